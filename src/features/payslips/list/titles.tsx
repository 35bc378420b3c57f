import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { clearTitle, getTitleList } from '../../../../server/contract/sheets/titles.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { type RowAction, RowMenu } from '../../../components/table/row-menu.tsx'
import { formatMonth, formatShortDateTime } from '../../../components/value/dates.ts'
import styles from '../batch/batch.module.css'
import { type BatchListSearch, titleKindLabels } from '../labels.ts'
import { ShareDialog } from './share-dialog.tsx'

type TitleListItem = CallOutput<typeof getTitleList>['list'][number]
type TitleAction = { kind: 'share' | 'delete'; title: TitleListItem } | null

const rightsLabels = { own: '', view: '共享给我：可查看', manage: '共享给我：可管理' } as const
const notOwnerText = '只有标题的负责人可以这样做'

export const titleListQuery = ({ page = 1, pagesize, month, name }: BatchListSearch) =>
  callQuery(getTitleList, { page, pagesize, ...(month ? { month } : {}), ...(name ? { name } : {}) })

/** Titles: named pay runs, the current user's own and those shared with them. Each links to its batches. */
export function TitleTable({ search, onClear }: { search: BatchListSearch; onClear: () => void }) {
  const { month, name } = search
  const titles = useQuery(titleListQuery(search))
  const [action, setAction] = useState<TitleAction>(null)
  const close = () => setAction(null)
  const filtered = Boolean(month || name)
  return (
    <section className="ui-card">
      <DataTable
        requested={titles}
        columns={createColumns(setAction)}
        rowKey="title_id"
        unit="个标题"
        label="标题列表"
        empty={
          filtered
            ? {
                illustration: 'search',
                text: '没有符合条件的标题，换个条件试试。',
                action: <Button onClick={onClear}>清除筛选</Button>,
              }
            : { illustration: 'sheet', text: '还没有标题。上传工资表并填写标题后，同一标题的工资条会归在一起。' }
        }
      />
      {action?.kind === 'share' && <ShareDialog title={action.title} onClose={close} />}
      {action?.kind === 'delete' && <DeleteTitleDialog title={action.title} onClose={close} />}
    </section>
  )
}

const createColumns = (onAction: (doing: TitleAction) => void): Columns<TitleListItem> => [
  {
    title: '标题',
    key: 'title',
    render: (_, { title_id, title, month, kind }) => (
      <div className={styles.title}>
        <Link to="/wageAdmin" search={{ title_id }}>
          {title}
        </Link>
        <small>
          {formatMonth(month)} · {titleKindLabels[kind]}
        </small>
      </div>
    ),
  },
  {
    title: '批次',
    dataIndex: 'batches',
    align: 'right',
    className: 'ui-nowrap',
    card: 'named',
    render: (batches: number, { unsent }) => (unsent > 0 ? `${batches}（${unsent} 批未发送）` : batches),
  },
  {
    title: '共享',
    key: 'shared',
    className: 'ui-nowrap',
    card: 'side',
    render: (_, title) =>
      title.rights === 'own' ? (
        <button type="button" className="ui-link" onClick={() => onAction({ kind: 'share', title })}>
          {title.shared > 0 ? `已共享给 ${title.shared} 人` : '共享'}
          <span className="sr-only">：{title.title}</span>
        </button>
      ) : (
        <span className="ui-hint">{rightsLabels[title.rights]}</span>
      ),
  },
  {
    title: '负责人',
    dataIndex: 'owner',
    className: 'ui-nowrap',
    from: 'lg',
    card: ({ is_own }) => (is_own ? 'none' : 'line'),
    render: (owner: string, { is_own }) => (is_own ? '我' : owner),
  },
  {
    title: '最近一批',
    dataIndex: 'last_batch_at',
    className: 'ui-nowrap',
    from: 'lg',
    card: 'named',
    render: (at: string | null) => (at ? formatShortDateTime(at) : '—'),
  },
  {
    title: '操作',
    key: 'acts',
    fixed: 'end',
    render: (_, title) => <RowMenu label={title.title} acts={getTitleActions(title, onAction)} />,
  },
]

const getTitleActions = (title: TitleListItem, onAction: (doing: TitleAction) => void): RowAction[] => [
  {
    key: 'share',
    label: '共享给其他薪酬管理员',
    allowed: title.rights === 'own' || notOwnerText,
    onClick: () => onAction({ kind: 'share', title }),
  },
  {
    key: 'delete',
    label: '删除标题和草稿',
    danger: true,
    allowed: title.rights !== 'own' ? notOwnerText : title.unsent < title.batches ? '里面有已经发送的工资条，不能删除' : true,
    onClick: () => onAction({ kind: 'delete', title }),
  },
]

function DeleteTitleDialog({ title, onClose }: { title: TitleListItem; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const clear = useCallMutation(clearTitle, {
    key,
    onSuccess: () => {
      toast.success('标题已删除')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={`删除「${title.title}」？`}
      action={title.batches > 0 ? `删除标题和 ${title.batches} 份草稿` : '删除标题'}
      busy={clear.isPending}
      onClose={onClose}
      onConfirm={() => clear.mutate({ title_id: title.title_id })}
    >
      {title.batches > 0
        ? `里面的 ${title.batches} 份工资表草稿会一起删除，不能恢复。没有人收到过它们。`
        : '里面没有工资表。删除后不能恢复。'}
    </ConfirmDialog>
  )
}
