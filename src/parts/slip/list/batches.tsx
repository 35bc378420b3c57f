import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { clearBatchTitle, fetchCache } from '../../../../server/contract/sheet/sheet.ts'
import { getWageList } from '../../../../server/contract/slip/slip.ts'
import { can } from '../../../../server/contract/words/states.ts'
import { intent, query, useCall } from '../../../api.ts'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { PartsBar } from '../../../ui/state/progress.tsx'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { type RowAct, RowMenu } from '../../../ui/table/row-menu.tsx'
import { dayAndTime, monthName, shortTime } from '../../../ui/value/dates.ts'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import styles from '../batch/batch.module.css'
import { ExportBar } from '../batch/export-bar.tsx'
import { useExport } from '../batch/export-jobs.ts'
import { WithdrawDialog } from '../batch/withdraw-dialog.tsx'
import { type BatchesSearch, kindWords, listSearchOf, partsOfLine } from '../words.ts'
import { stepOf } from './step.ts'

type Line = OutputOf<typeof getWageList>['list'][number]
type Dialog = { kind: 'withdraw' | 'delete'; line: Line } | null

const unsent = (line: Line) => line.status === 'draft' || line.status === 'checked'
/** It has gone out, and is not taken back as a whole. */
const hasParts = (line: Line) => !unsent(line) && line.status !== 'withdrawn'
const nameOf = (line: Line) => line.title || line.file_name
/** With its time, where it waits for one. */
const stateOf = ({ status, scheduled_at, soon }: Line) =>
  scheduled_at && !soon ? (
    <StatusDot word={`定时 ${shortTime(scheduled_at)}`} tone="info" />
  ) : (
    <StatusDot batch={status} soon={soon} />
  )

export const batchesQuery = ({ page = 1, pagesize = 10, month, status, name, title_id }: BatchesSearch) =>
  query(getWageList, {
    page,
    pagesize,
    ...(month ? { month } : {}),
    ...(status ? { status } : {}),
    ...(name ? { name } : {}),
    ...(title_id ? { title_id } : {}),
  })

/** What can be done with batches, and how each stands. */
export function Batches({ search, onClear }: { search: BatchesSearch; onClear: () => void }) {
  const navigate = useNavigate()
  const { month, status, name, title_id } = search
  const list = listSearchOf(search)
  const asked = useQuery({
    ...batchesQuery(search),
    // What is on its way moves by itself.
    refetchInterval: ({ state }) => (state.data?.list.some((line) => line.status === 'sending' || line.soon) ? 3000 : false),
  })
  const wizard = useQuery(query(fetchCache, {})).data?.wizard ?? null
  const { begin } = useExport()
  const [dialog, setDialog] = useState<Dialog>(null)
  const open = (line: Line) =>
    void navigate(
      unsent(line)
        ? { to: stepOf(line, wizard), search: { batch_id: line.batch_id } }
        : { to: '/wageDetail', search: { batch_id: line.batch_id, list } },
    )

  const acts = (line: Line) =>
    actsOf(line, {
      exportAs: (what) => begin({ batch_id: line.batch_id, title: nameOf(line) }, what),
      ask: (kind) => setDialog({ kind, line }),
    })
  const filtered = Boolean(month || status || name || title_id)
  return (
    <>
      <ExportBar />
      <section className="ui-card">
        <DataTable
          asked={asked}
          columns={columnsOf({ list, open, acts })}
          rowKey="batch_id"
          unit="批"
          label="工资条列表"
          empty={
            filtered
              ? {
                  drawing: 'search',
                  text: '没有符合条件的工资条，换个条件试试。',
                  action: <Button onClick={onClear}>清除筛选</Button>,
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
    </>
  )
}

/** What may be done with one, or why not. */
const actsOf = (
  line: Line,
  does: { exportAs: (what: 'detail' | 'status') => void; ask: (kind: 'withdraw' | 'delete') => void },
): RowAct[] => [
  {
    key: 'detail',
    label: '导出明细',
    verdict: unsent(line) ? '还没有发送，没有可以导出的工资条' : true,
    onClick: () => does.exportAs('detail'),
  },
  {
    key: 'status',
    label: '导出查看与确认状态',
    verdict: unsent(line) ? '还没有发送，没有可以导出的状态' : true,
    onClick: () => does.exportAs('status'),
  },
  {
    key: 'withdraw',
    label: '撤回',
    danger: true,
    verdict: can.withdrawBatch(line.status),
    onClick: () => does.ask('withdraw'),
  },
  {
    key: 'delete',
    label: '删除草稿',
    danger: true,
    verdict: can.delete(line.status),
    onClick: () => does.ask('delete'),
  },
]
const columnsOf = ({
  list,
  open,
  acts,
}: {
  list: BatchesSearch | undefined
  open: (line: Line) => void
  acts: (line: Line) => RowAct[]
}): Columns<Line> => [
  {
    title: '工资条',
    key: 'title',
    render: (_, line) => (
      <div className={styles.title}>
        <button type="button" className="ui-link" onClick={() => open(line)}>
          {nameOf(line)}
        </button>
        <small>{line.month ? `${monthName(line.month)} · ${kindWords[line.kind]}` : '还没有填写标题和月份'}</small>
      </div>
    ),
  },
  { title: '状态', key: 'status', card: 'side', render: (_, line) => stateOf(line) },
  { title: '人数', dataIndex: 'people', align: 'right', from: 'md', card: 'named' },
  {
    title: '进度',
    key: 'bar',
    from: 'sm',
    card: (line) => (hasParts(line) ? 'wide' : 'none'),
    render: (_, line) =>
      hasParts(line) ? (
        <div className={styles.bar}>
          <PartsBar parts={partsOfLine(line)} total={line.people} />
          <span className="ui-hint ui-nowrap">
            已发送 {line.sent} · 已查看 {line.viewed} · 已确认 {line.confirmed}
          </span>
        </div>
      ) : (
        <span className="ui-hint">—</span>
      ),
  },
  {
    title: '反馈',
    dataIndex: 'feedback',
    from: 'md',
    align: 'right',
    card: ({ feedback }) => (feedback > 0 ? 'named' : 'none'),
    render: (_, line) => <Asked line={line} list={list} />,
  },
  {
    title: '负责人',
    dataIndex: 'owner',
    className: 'ui-nowrap',
    from: 'lg',
    card: ({ mine }) => (mine ? 'none' : 'line'),
    render: (owner: string, line) => (line.mine ? '我' : owner),
  },
  {
    title: '创建时间',
    dataIndex: 'created_at',
    className: 'ui-nowrap',
    from: 'lg',
    card: 'line',
    render: (at: string) => dayAndTime(at),
  },
  {
    title: '操作',
    key: 'acts',
    fixed: 'end',
    render: (_, line) => (
      <div className={styles.rowActs}>
        <button type="button" className="ui-link ui-nowrap" onClick={() => open(line)}>
          {unsent(line) ? '继续' : '查看'}
        </button>
        <RowMenu label={nameOf(line)} acts={acts(line)} />
      </div>
    ),
  },
]

/** How many questions wait, and the way to them. */
const Asked = ({ line: { batch_id, feedback }, list }: { line: Line; list: BatchesSearch | undefined }) =>
  feedback > 0 ? (
    <Link to="/wageDetail" search={{ batch_id, status: 'feedback', list }} aria-label={`${feedback} 条反馈待回复`}>
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
