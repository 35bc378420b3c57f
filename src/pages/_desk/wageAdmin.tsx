import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button, DatePicker, Select } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { clearBatchTitle, fetchCache } from '../../../server/contract/sheet.ts'
import { getWageList } from '../../../server/contract/slip.ts'
import { batchWords, can } from '../../../server/contract/states.ts'
import { holders } from '../../../server/contract/who.ts'
import { batchStatuses } from '../../../server/contract/words.ts'
import { intent, query, useCall } from '../../api.ts'
import { ExportBar } from '../../parts/slip/export-bar.tsx'
import { useExport } from '../../parts/slip/export-jobs.ts'
import { stepOf } from '../../parts/slip/step.ts'
import { WithdrawDialog } from '../../parts/slip/withdraw-dialog.tsx'
import { type BatchesSearch, batchesOf, kindWords, listOf, partsOfLine } from '../../parts/slip/words.ts'
import { dayAndTime, monthName, shortTime } from '../../ui/dates.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { FilterTag } from '../../ui/filter-tag.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PartsBar } from '../../ui/progress.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { type Columns, DataTable } from '../../ui/table/data-table.tsx'
import { type RowAct, RowMenu } from '../../ui/table/row-menu.tsx'
import { toast } from '../../ui/toast.ts'
import '../../parts/slip/batch.css'

export const Route = createFileRoute('/_desk/wageAdmin')({
  validateSearch: batchesOf,
  staticData: { title: '工资条管理', section: 'wage', who: holders('2') },
  component: WageAdmin,
})

type Line = OutputOf<typeof getWageList>['list'][number]
type Dialog = { kind: 'withdraw' | 'delete'; line: Line } | null

const unsent = (line: Line) => line.status === 'draft' || line.status === 'checked'
const nameOf = (line: Line) => line.title || line.file_name
/** With its time, where it waits for one. */
const stateOf = ({ status, scheduled_at }: Line) =>
  scheduled_at ? <StatusDot word={`定时 ${shortTime(scheduled_at)}`} tone="info" /> : <StatusDot batch={status} />

function WageAdmin() {
  const search = Route.useSearch()
  const navigate = useNavigate()
  const { page = 1, pagesize = 10, month, status, name } = search
  const list = listOf(search)
  const asked = useQuery({
    ...query(getWageList, {
      page,
      pagesize,
      ...(month ? { month } : {}),
      ...(status ? { status } : {}),
      ...(name ? { name } : {}),
    }),
    // What is on its way moves by itself.
    refetchInterval: ({ state }) => (state.data?.list.some((line) => line.status === 'sending') ? 3000 : false),
  })
  const wizard = useQuery(query(fetchCache, {})).data?.wizard ?? null
  const { begin } = useExport()
  const [dialog, setDialog] = useState<Dialog>(null)
  const filter = (change: Partial<BatchesSearch>) =>
    void navigate({ to: '/wageAdmin', search: { ...search, page: undefined, ...change } })
  const open = (line: Line) =>
    void navigate(
      unsent(line)
        ? { to: stepOf(line, wizard), search: { batch_id: line.batch_id } }
        : { to: '/wageDetail', search: { batch_id: line.batch_id, list } },
    )

  const actsOf = (line: Line): RowAct[] => [
    {
      key: 'detail',
      label: '导出明细',
      verdict: unsent(line) ? '还没有发送，没有可以导出的工资条' : true,
      onClick: () => begin({ batch_id: line.batch_id, title: nameOf(line) }, 'detail'),
    },
    {
      key: 'status',
      label: '导出查看与确认状态',
      verdict: unsent(line) ? '还没有发送，没有可以导出的状态' : true,
      onClick: () => begin({ batch_id: line.batch_id, title: nameOf(line) }, 'status'),
    },
    {
      key: 'withdraw',
      label: '撤回',
      danger: true,
      verdict: can.withdrawBatch(line.status),
      onClick: () => setDialog({ kind: 'withdraw', line }),
    },
    {
      key: 'delete',
      label: '删除草稿',
      danger: true,
      verdict: can.delete(line.status),
      onClick: () => setDialog({ kind: 'delete', line }),
    },
  ]
  const columns: Columns<Line> = [
    {
      title: '工资条',
      key: 'title',
      render: (_, line) => (
        <div className="batch-title">
          <button type="button" className="link" onClick={() => open(line)}>
            {nameOf(line)}
          </button>
          <small>{line.month ? `${monthName(line.month)} · ${kindWords[line.kind]}` : '还没有填写标题和月份'}</small>
        </div>
      ),
    },
    { title: '状态', key: 'status', render: (_, line) => stateOf(line) },
    { title: '人数', dataIndex: 'people', align: 'right', responsive: ['md'] },
    {
      title: '进度',
      key: 'bar',
      responsive: ['sm'],
      render: (_, line) =>
        unsent(line) || line.status === 'withdrawn' ? (
          <span className="ui-hint">—</span>
        ) : (
          <div className="batch-bar">
            <PartsBar parts={partsOfLine(line)} total={line.people} />
            <span className="ui-hint ui-nowrap">
              已发送 {line.sent} · 已查看 {line.viewed} · 已确认 {line.confirmed}
            </span>
          </div>
        ),
    },
    {
      title: '疑问',
      dataIndex: 'feedback',
      responsive: ['md'],
      align: 'right',
      render: (_, line) => <Asked line={line} list={list} />,
    },
    {
      title: '负责人',
      dataIndex: 'owner',
      className: 'ui-nowrap',
      responsive: ['lg'],
      render: (owner: string, line) => (line.mine ? '我' : owner),
    },
    {
      title: '创建时间',
      dataIndex: 'created_at',
      className: 'ui-nowrap',
      responsive: ['lg'],
      render: (at: string) => dayAndTime(at),
    },
    {
      title: '操作',
      key: 'acts',
      fixed: 'end',
      render: (_, line) => (
        <div className="row-acts">
          <button type="button" className="link ui-nowrap" onClick={() => open(line)}>
            {unsent(line) ? '继续' : '查看'}
          </button>
          <RowMenu label={nameOf(line)} acts={actsOf(line)} />
        </div>
      ),
    },
  ]
  const filtered = Boolean(month || status || name)
  return (
    <div className="ui-page">
      <PageHead
        title="工资条管理"
        action={
          <Link to="/wageSend1">
            <Button type="primary" tabIndex={-1}>
              发工资条
            </Button>
          </Link>
        }
      >
        <DatePicker
          picker="month"
          aria-label="工资月份"
          placeholder="工资月份"
          value={month ? dayjs(`${month}-01`) : null}
          onChange={(value) => filter({ month: value ? value.format('YYYY-MM') : undefined })}
        />
        <Select
          aria-label="状态"
          placeholder="全部状态"
          allowClear
          style={{ width: 140 }}
          value={status ?? null}
          options={batchStatuses.map((value) => ({ value, label: batchWords[value].word }))}
          onChange={(value) => filter({ status: value ?? undefined })}
        />
        <SearchBox value={name} placeholder="搜索标题或文件名" onSearch={(text) => filter({ name: text })} />
        {name && <FilterTag onRemove={() => filter({ name: undefined })}>{`搜索：${name}`}</FilterTag>}
      </PageHead>
      <ExportBar />
      <section className="ui-card">
        <DataTable
          asked={asked}
          columns={columns}
          rowKey="batch_id"
          unit="批"
          label="工资条列表"
          empty={
            filtered
              ? {
                  drawing: 'search',
                  text: '没有符合条件的工资条，换个条件试试。',
                  action: (
                    <Button onClick={() => filter({ month: undefined, status: undefined, name: undefined })}>清除筛选</Button>
                  ),
                }
              : {
                  drawing: 'sheet',
                  text: '还没有工资条。上传一张工资表，几分钟就能发出第一批。',
                  action: (
                    <Link to="/wageSend1" className="ui-button">
                      发工资条
                    </Link>
                  ),
                }
          }
        />
      </section>
      {dialog?.kind === 'withdraw' && (
        <WithdrawDialog what={{ ...dialog.line, title: nameOf(dialog.line) }} onClose={() => setDialog(null)} />
      )}
      {dialog?.kind === 'delete' && <DeleteDialog line={dialog.line} onClose={() => setDialog(null)} />}
    </div>
  )
}

/** How many questions wait, and the way to them. */
const Asked = ({ line: { batch_id, feedback }, list }: { line: Line; list: BatchesSearch | undefined }) =>
  feedback > 0 ? (
    <Link to="/wageDetail" search={{ batch_id, status: 'feedback', list }} aria-label={`${feedback} 个疑问待处理`}>
      {feedback}
    </Link>
  ) : (
    <span className="ui-hint">0</span>
  )

function DeleteDialog({ line, onClose }: { line: Line; onClose: () => void }) {
  const [key] = useState(intent)
  const clear = useCall(clearBatchTitle, {
    key,
    onSuccess: () => {
      toast.done('草稿已删除')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title="删除这份草稿？"
      action="删除草稿"
      busy={clear.isPending}
      onConfirm={() => clear.mutate({ batch_id: line.batch_id })}
      onClose={onClose}
    >
      「{nameOf(line)}」和上传的文件会一起删除，不能恢复。它还没有发送，员工不会受影响。
    </ConfirmDialog>
  )
}
