import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { getDepartList } from '../../../server/contract/member.ts'
import { getWageDetail, sendSingle } from '../../../server/contract/slip.ts'
import { can } from '../../../server/contract/states.ts'
import { holders } from '../../../server/contract/who.ts'
import { query, useCall } from '../../api.ts'
import { SendingStatus } from '../../parts/sheet/send/undo.tsx'
import { type Again, AgainDialog } from '../../parts/slip/again-dialog.tsx'
import { BatchActs, BatchName, figures, figureWords, NoBatch, NotSent } from '../../parts/slip/batch-head.tsx'
import { ColumnsPicker, useChosenColumns } from '../../parts/slip/chosen-columns.tsx'
import { detailColumns } from '../../parts/slip/detail-columns.tsx'
import { EditDialog } from '../../parts/slip/edit/dialog.tsx'
import { ExportBar } from '../../parts/slip/export-bar.tsx'
import { choiceWords, type ExportChoice, useExport } from '../../parts/slip/export-jobs.ts'
import { ModifyLogDrawer } from '../../parts/slip/modify-log.tsx'
import { lookAgain, SendingNote } from '../../parts/slip/sending-note.tsx'
import { SlipDrawer } from '../../parts/slip/slip-drawer.tsx'
import { type Withdrawal, WithdrawDialog } from '../../parts/slip/withdraw-dialog.tsx'
import {
  type BatchesSearch,
  type Counts,
  type Detail,
  type DetailStatus,
  detailStatuses,
  idOf,
  listOf,
  nameOfDepartment,
  partsOf,
  type SlipLine,
} from '../../parts/slip/words.ts'
import { Act } from '../../ui/act.tsx'
import { monthName } from '../../ui/dates.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { FilterTag } from '../../ui/filter-tag.tsx'
import { Numbers } from '../../ui/numbers.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PartsBar } from '../../ui/progress.tsx'
import { oneOf, type PageSearch, pageOf, textOf } from '../../ui/search.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import type { RowAct } from '../../ui/table/row-menu.tsx'
import { toast } from '../../ui/toast.ts'
import { TreePicker } from '../../ui/tree/tree-picker.tsx'
import '../../parts/slip/batch.css'

export const Route = createFileRoute('/_desk/wageDetail')({
  validateSearch: (raw): Search => ({
    ...pageOf(raw),
    batch_id: idOf(raw.batch_id),
    status: oneOf(raw.status, detailStatuses),
    name: textOf(raw.name)?.slice(0, 50),
    department_id: idOf(raw.department_id),
    salary: idOf(raw.salary),
    list: listOf(raw.list),
  }),
  staticData: { title: '工资条详情', section: 'wage', who: holders('2') },
  component: WageDetail,
})
type Search = PageSearch & {
  batch_id?: string | undefined
  status?: DetailStatus | undefined
  name?: string | undefined
  department_id?: string | undefined
  /** The slip that is open in the drawer. */
  salary?: string | undefined
  /** The list that ‹ leads back to, as it was filtered. */
  list?: BatchesSearch | undefined
}
type Dialog =
  | { kind: 'withdraw'; what: Withdrawal }
  | { kind: 'again'; what: Again }
  | { kind: 'edit'; line: SlipLine }
  | { kind: 'log' }
  | null

function WageDetail() {
  const search = Route.useSearch()
  const { batch_id } = search
  if (!batch_id) return <NoBatch />
  return <Batch search={{ ...search, batch_id }} />
}

function Batch({ search }: { search: Search & { batch_id: string } }) {
  const { batch_id, page = 1, pagesize = 20, status, name, department_id } = search
  const asked = useQuery({
    ...query(getWageDetail, {
      batch_id,
      page,
      pagesize,
      ...(status ? { status } : {}),
      ...(name ? { name } : {}),
      ...(department_id ? { department_id } : {}),
    }),
    // A filter changes the rows, not the page around them. Another batch begins anew.
    placeholderData: (before, last) => ((last?.queryKey[1] as { batch_id?: string })?.batch_id === batch_id ? before : undefined),
    gcTime: 0,
    refetchInterval: ({ state }) => state.data && lookAgain(state.data),
  })
  if (asked.data) return <Shown search={search} asked={asked} data={asked.data} />
  return (
    <div className="ui-page batch-page">
      <PageHead title={<BatchName list={search.list}>工资条详情</BatchName>} />
      <section className="ui-card">
        {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={10} />}
      </section>
    </div>
  )
}

/** 已发送 is what it is on the list: handed over, looked at or not. */
const peopleOf = ({ total, sent, viewed, confirmed }: Counts) => `共 ${total} 人，已发送 ${sent + viewed + confirmed} 人`
const Standing = ({ batch }: { batch: Detail['batch'] }) => (
  <span className="ui-row">
    <SendingStatus status={batch.status} undo_seconds={batch.undo_seconds} />
    {batch.month && <span>{monthName(batch.month)}</span>}
    {batch.counts.total > 0 && <span>{peopleOf(batch.counts)}</span>}
    <span>负责人 {batch.owner}</span>
  </span>
)

/** Once more: what was taken back or failed is sent, whoever has not looked is reminded. */
const againAct = (
  { line, batch_id }: { line: SlipLine; batch_id: string },
  again: (one: { salary_id: string }) => void,
  sendAgain: (what: Again) => void,
): RowAct =>
  line.status === 'withdrawn'
    ? { key: 'again', label: '重新发送', onClick: () => sendAgain({ only: 'withdrawn', batch_id, count: 1, one: line }) }
    : {
        key: 'again',
        label: line.status === 'failed' ? '重发' : '提醒',
        verdict:
          line.status === 'failed'
            ? true
            : line.channel === 'link'
              ? '没有消息渠道，请直接把链接发给本人'
              : can.remind(line.status),
        onClick: () => again({ salary_id: line.salary_id }),
      }

const evidenceActs = (begin: (what: ExportChoice) => void): RowAct[] =>
  (['paper', 'paper_small', 'paper_large', 'evidence'] as const).map((key) => ({
    key,
    label: choiceWords[key],
    onClick: () => begin(key),
  }))
const withdrawAct = ({ status }: SlipLine, onClick: () => void): RowAct => ({
  key: 'withdraw',
  label: '撤回',
  danger: true,
  verdict: can.withdraw(status),
  onClick,
})

type Asked = { data: Detail | undefined; error: unknown; isFetching: boolean; dataUpdatedAt: number; refetch: () => unknown }

function Shown({ search, asked, data }: { search: Search & { batch_id: string }; asked: Asked; data: Detail }) {
  const { batch_id, status, name, department_id, salary } = search
  const { batch, list, columns } = data
  const { counts } = batch
  const navigate = useNavigate()
  const { chosen, choose, reset } = useChosenColumns()
  const departments = useQuery(query(getDepartList, {})).data?.list ?? []
  const { begin } = useExport()
  const again = useCall(sendSingle, { onSuccess: ({ queued }) => toast.done(queued ? '已安排发送' : '没有需要发送的') })
  const [dialog, setDialog] = useState<Dialog>(null)
  const close = () => setDialog(null)
  const go = (change: Partial<Search>, replace = false) =>
    void navigate({ to: '/wageDetail', search: { ...search, ...change }, replace })
  const filter = (change: Partial<Search>) => go({ page: undefined, salary: undefined, ...change })
  const title = batch.title || '未命名的工资条'
  // A schedule that was undone leaves what was planned; nobody was sent anything.
  const out = counts.total > 0 && batch.status !== 'draft' && batch.status !== 'checked'

  const actsOf = (line: SlipLine): RowAct[] => [
    { key: 'open', label: '查看工资条', onClick: () => go({ salary: line.salary_id }) },
    { key: 'edit', label: '修改', verdict: can.edit(line.status), onClick: () => setDialog({ kind: 'edit', line }) },
    againAct({ line, batch_id }, again.mutate, (what) => setDialog({ kind: 'again', what })),
    ...evidenceActs((what) => begin({ batch_id, salary_id: line.salary_id, title: `${title} ${line.name}` }, what)),
    withdrawAct(line, () => setDialog({ kind: 'withdraw', what: { salary_id: line.salary_id, title, name: line.name } })),
  ]
  const at = list.findIndex((line) => line.salary_id === salary)
  const line = list[at]
  const step = (by: number) => {
    const to = at === -1 ? undefined : list[at + by]
    return to && (() => go({ salary: to.salary_id }, true))
  }
  const filtered = Boolean(status || name || department_id)
  const department = nameOfDepartment(departments, department_id)
  return (
    <div className="ui-page batch-page">
      <PageHead
        title={<BatchName list={search.list}>{title}</BatchName>}
        note={<Standing batch={batch} />}
        action={
          out && (
            <BatchActs
              batch={batch}
              onExport={(what) => begin({ batch_id, title }, what)}
              onAgain={(only, count) => setDialog({ kind: 'again', what: { only, batch_id, count } })}
              onWithdraw={(people) =>
                setDialog({
                  kind: 'withdraw',
                  what: { batch_id, title, people, waiting: counts.queued, viewed: counts.viewed + counts.confirmed },
                })
              }
            />
          )
        }
      />
      <ExportBar />
      <SendingNote batch_id={batch_id} batch={batch} said_at={asked.dataUpdatedAt} look={() => void asked.refetch()} />
      {!out ? (
        <NotSent batch_id={batch_id} status={batch.status} />
      ) : (
        <>
          <Numbers
            items={figures(counts, batch.status)}
            chosen={status ?? null}
            onChoose={(key) => filter({ status: key ?? undefined })}
          />
          <section className="ui-card ui-stack">
            <PartsBar parts={partsOf(counts)} total={counts.total} words />
            <div className="ui-row">
              <SearchBox value={name} placeholder="搜索姓名" width={200} onSearch={(text) => filter({ name: text })} />
              <div style={{ width: 200 }}>
                <label htmlFor="department" className="sr-only">
                  部门
                </label>
                <TreePicker
                  id="department"
                  tree={departments}
                  placeholder="全部部门"
                  value={department_id}
                  onChange={(id) => filter({ department_id: id })}
                />
              </div>
              {status && <FilterTag onRemove={() => filter({ status: undefined })}>{figureWords[status]}</FilterTag>}
              {name && <FilterTag onRemove={() => filter({ name: undefined })}>{`姓名：${name}`}</FilterTag>}
              {department && <FilterTag onRemove={() => filter({ department_id: undefined })}>{department}</FilterTag>}
              <span className="ui-grow" />
              <Button onClick={() => setDialog({ kind: 'log' })}>修改记录</Button>
              <ColumnsPicker columns={columns} chosen={chosen} onChoose={choose} onReset={reset} />
            </div>
            <DataTable
              asked={asked}
              columns={detailColumns({
                columns,
                chosen,
                actsOf,
                batch,
                onOpen: (line) => go({ salary: line.salary_id }),
              })}
              rowKey="salary_id"
              unit="人"
              label="工资条"
              empty={{
                drawing: 'search',
                text: filtered ? '没有符合条件的人。' : '这一批里没有人。',
                action: filtered && (
                  <Button onClick={() => filter({ status: undefined, name: undefined, department_id: undefined })}>
                    清除筛选
                  </Button>
                ),
              }}
            />
          </section>
        </>
      )}
      <SlipDrawer
        salary_id={salary}
        onClose={() => go({ salary: undefined })}
        onPrevious={step(-1)}
        onNext={step(1)}
        footer={
          line && (
            <div className="drawer-foot">
              {actsOf(line)
                .filter((act) => act.key !== 'open')
                .map((act) => (
                  <Act key={act.key} danger={act.danger ?? false} verdict={act.verdict ?? true} onClick={act.onClick}>
                    {act.label}
                  </Act>
                ))}
            </div>
          )
        }
      />
      {dialog?.kind === 'withdraw' && <WithdrawDialog what={dialog.what} onClose={close} />}
      {dialog?.kind === 'again' && <AgainDialog what={dialog.what} onClose={close} />}
      {dialog?.kind === 'edit' && <EditDialog line={dialog.line} columns={columns} sums={data.sums} onClose={close} />}
      {dialog?.kind === 'log' && <ModifyLogDrawer batch_id={batch_id} onClose={close} />}
    </div>
  )
}
