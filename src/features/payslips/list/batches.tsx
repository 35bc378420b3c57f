import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getWageList } from '../../../../server/contract/payslips/send.ts'
import { can } from '../../../../server/contract/shared/statuses.ts'
import { fetchCache } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../../api.ts'
import { SegmentedBar } from '../../../components/state/progress.tsx'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { type RowAction, RowMenu } from '../../../components/table/row-menu.tsx'
import { formatDateTime, formatMonth, formatShortDateTime } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import styles from '../batch/batch.module.css'
import { ExportBar } from '../batch/export-bar.tsx'
import { useExport } from '../batch/export-jobs.ts'
import { WithdrawDialog } from '../batch/withdraw-dialog.tsx'
import { type BatchListSearch, getListProgressSegments, parseOriginList, titleKindLabels } from '../labels.ts'
import { DeleteDraftsDialog } from './delete-drafts.tsx'
import { getWizardPath } from './wizard-path.ts'

type BatchListItem = CallOutput<typeof getWageList>['list'][number]
type BatchDialog = { kind: 'withdraw'; batch: BatchListItem } | { kind: 'delete'; drafts: readonly BatchListItem[] } | null

const isUnsent = (batch: BatchListItem) => batch.status === 'draft' || batch.status === 'checked'
/** The batch was sent and not withdrawn as a whole. */
const showsProgress = (batch: BatchListItem) => !isUnsent(batch) && batch.status !== 'withdrawn'
const getBatchName = (batch: BatchListItem) => batch.title || batch.file_name
/** Renders the status, with the scheduled time if there is one. */
const renderBatchStatus = ({ status, scheduled_at, soon }: BatchListItem) =>
  scheduled_at && !soon ? (
    <StatusDot label={`定时 ${formatShortDateTime(scheduled_at)}`} color="info" />
  ) : (
    <StatusDot batch={status} dispatchPending={soon} />
  )

export const batchListQuery = ({ page = 1, pagesize, month, status, name, title_id }: BatchListSearch) =>
  callQuery(getWageList, {
    page,
    pagesize,
    ...(month ? { month } : {}),
    ...(status ? { status } : {}),
    ...(name ? { name } : {}),
    ...(title_id ? { title_id } : {}),
  })

export function BatchTable({ search, onClear }: { search: BatchListSearch; onClear: () => void }) {
  const navigate = useNavigate()
  const { month, status, name, title_id } = search
  const list = parseOriginList(search)
  const batches = useQuery({
    ...batchListQuery(search),
    // Polls while a batch is being sent.
    refetchInterval: ({ state }) => (state.data?.list.some((line) => line.status === 'sending' || line.soon) ? 3000 : false),
  })
  const wizard = useQuery(callQuery(fetchCache, {})).data?.wizard ?? null
  const { start: startExport } = useExport()
  const [dialog, setDialog] = useState<BatchDialog>(null)
  const [selected, setSelected] = useState<readonly string[]>([])
  // Selected rows of another page or filter are not shown, so they are not deleted.
  const drafts = (batches.data?.list ?? []).filter(isUnsent)
  const selectedDrafts = drafts.filter(({ batch_id }) => selected.includes(batch_id))
  const getLink = (batch: BatchListItem) =>
    isUnsent(batch)
      ? { to: getWizardPath(batch, wizard), search: { batch_id: batch.batch_id } }
      : ({ to: '/wageDetail', search: { batch_id: batch.batch_id, list } } as const)

  const getActions = (batch: BatchListItem) =>
    getBatchActions(batch, {
      sendRest: () => void navigate({ to: '/wageSend3', search: { batch_id: batch.batch_id } }),
      exportAs: (what) => startExport({ batch_id: batch.batch_id, title: getBatchName(batch) }, what),
      send: (kind) => setDialog(kind === 'delete' ? { kind, drafts: [batch] } : { kind, batch }),
    })
  const filtered = Boolean(month || status || name || title_id)
  return (
    <>
      <ExportBar />
      <section className="ui-card">
        {selectedDrafts.length > 0 && (
          <div className="ui-selection" role="region" aria-label="已选草稿">
            <span>已选 {selectedDrafts.length} 份草稿</span>
            <Button danger onClick={() => setDialog({ kind: 'delete', drafts: selectedDrafts })}>
              删除 {selectedDrafts.length} 份
            </Button>
            <Button type="link" onClick={() => setSelected([])}>
              取消选择
            </Button>
          </div>
        )}
        <DataTable
          requested={batches}
          columns={createColumns({ list, getLink, getActions })}
          rowKey="batch_id"
          unit="批"
          label="工资条列表"
          {...(drafts.length > 1
            ? {
                selected: {
                  keys: selectedDrafts.map(({ batch_id }) => batch_id),
                  onChange: (keys: React.Key[]) => setSelected(keys.map(String)),
                  disabled: (batch: BatchListItem) => (isUnsent(batch) ? false : '已发送的工资条不能删除，可以撤回'),
                  getLabel: (batch: BatchListItem) => `选择 ${getBatchName(batch)}`,
                },
              }
            : {})}
          empty={
            filtered
              ? {
                  illustration: 'search',
                  text: '没有符合条件的工资条，换个条件试试。',
                  action: <Button onClick={onClear}>清除筛选</Button>,
                }
              : {
                  illustration: 'sheet',
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
        <WithdrawDialog what={{ ...dialog.batch, title: getBatchName(dialog.batch) }} onClose={() => setDialog(null)} />
      )}
      {dialog?.kind === 'delete' && (
        <DeleteDraftsDialog
          drafts={dialog.drafts.map((batch) => ({ batch_id: batch.batch_id, name: getBatchName(batch) }))}
          onDone={() => setSelected([])}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  )
}

/** Returns the actions for one batch, or why they are not allowed. */
const getBatchActions = (
  batch: BatchListItem,
  handlers: { sendRest: () => void; exportAs: (what: 'detail' | 'status') => void; send: (kind: 'withdraw' | 'delete') => void },
): RowAction[] => [
  ...(batch.unsent > 0
    ? [
        {
          key: 'rest',
          label: `发给其余 ${batch.unsent} 人`,
          allowed: can.send(batch.status, batch.unsent),
          onClick: handlers.sendRest,
        },
      ]
    : []),
  {
    key: 'detail',
    label: '导出明细',
    allowed: isUnsent(batch) ? '还没有发送，没有可以导出的工资条' : true,
    onClick: () => handlers.exportAs('detail'),
  },
  {
    key: 'status',
    label: '导出查看与确认状态',
    allowed: isUnsent(batch) ? '还没有发送，没有可以导出的状态' : true,
    onClick: () => handlers.exportAs('status'),
  },
  {
    key: 'withdraw',
    label: '撤回',
    danger: true,
    allowed: can.withdrawBatch(batch.status),
    onClick: () => handlers.send('withdraw'),
  },
  {
    key: 'delete',
    label: '删除草稿',
    danger: true,
    allowed: can.delete(batch.status),
    onClick: () => handlers.send('delete'),
  },
]
const createColumns = ({
  list,
  getLink,
  getActions,
}: {
  list: BatchListSearch | undefined
  getLink: (line: BatchListItem) => LinkProps
  getActions: (line: BatchListItem) => RowAction[]
}): Columns<BatchListItem> => [
  {
    title: '工资条',
    key: 'title',
    render: (_, line) => (
      <div className={styles.title}>
        <Link {...getLink(line)}>{getBatchName(line)}</Link>
        <small>
          {line.month
            ? `${formatMonth(line.month)} · ${titleKindLabels[line.kind]}${isUnsent(line) ? ` · ${line.file_name}` : ''}`
            : `${formatShortDateTime(line.created_at)} 上传，标题和月份待确认`}
        </small>
      </div>
    ),
  },
  { title: '状态', key: 'status', card: 'side', render: (_, line) => renderBatchStatus(line) },
  { title: '人数', dataIndex: 'people', align: 'right', from: 'xl', card: 'named' },
  {
    title: '进度',
    key: 'bar',
    from: 'sm',
    card: (line) => (showsProgress(line) ? 'wide' : 'none'),
    render: (_, line) =>
      showsProgress(line) ? (
        <div className={styles.bar}>
          <SegmentedBar sections={getListProgressSegments(line)} total={line.people} />
          <span className="ui-hint ui-nowrap">
            已发送 {line.sent} · 已查看 {line.viewed} · 已确认 {line.confirmed}
            {line.unsent > 0 && ` · 未发送 ${line.unsent}`}
          </span>
        </div>
      ) : (
        <span className="ui-hint">—</span>
      ),
  },
  {
    title: '实发合计',
    dataIndex: 'net_fen',
    from: 'lg',
    align: 'right',
    className: 'ui-nowrap',
    card: ({ net_fen }) => (net_fen === null ? 'none' : 'named'),
    render: (fen: number | null) => <Money fen={fen} />,
  },
  {
    title: '反馈',
    dataIndex: 'feedback',
    from: 'md',
    align: 'right',
    card: ({ feedback }) => (feedback > 0 ? 'named' : 'none'),
    render: (_, line) => <FeedbackCount line={line} list={list} />,
  },
  {
    title: '负责人',
    dataIndex: 'owner',
    className: 'ui-nowrap',
    from: 'xl',
    card: ({ is_own }) => (is_own ? 'none' : 'line'),
    render: (owner: string, line) => (line.is_own ? '我' : owner),
  },
  {
    title: '创建时间',
    dataIndex: 'created_at',
    className: 'ui-nowrap',
    from: 'xl',
    card: 'line',
    render: (at: string) => formatDateTime(at),
  },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    fixed: 'end',
    width: 60,
    render: (_, line) => <RowMenu label={getBatchName(line)} acts={getActions(line)} />,
  },
]

/** The number of open feedback threads, linked to them. */
const FeedbackCount = ({ line: { batch_id, feedback }, list }: { line: BatchListItem; list: BatchListSearch | undefined }) =>
  feedback > 0 ? (
    <Link to="/wageDetail" search={{ batch_id, status: 'feedback', list }} aria-label={`${feedback} 条反馈待回复`}>
      {feedback}
    </Link>
  ) : (
    <span className="ui-hint">0</span>
  )
