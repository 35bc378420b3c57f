import { useQuery } from '@tanstack/react-query'
import { Button, Form, Radio } from 'antd'
import { useState } from 'react'
import type { NewsKind } from '../../../server/contract/agency/agency.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getOpsNews, publishNews, withdrawNews } from '../../../server/contract/operator/billing.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { ConfirmDialog, FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { announcementKindLabels } from './labels.ts'
import { type OperatorSearch, useOperatorNavigate } from './navigation.ts'

type Announcement = CallOutput<typeof getOpsNews>['list'][number]
const createColumns = (withdraw: (news: Announcement) => void): Columns<Announcement> => [
  {
    title: '标题',
    dataIndex: 'title',
    render: (title: string, { summary }) => (
      <div>
        <div>{title}</div>
        <small className="ui-hint">{summary}</small>
      </div>
    ),
  },
  {
    title: '类别',
    dataIndex: 'kind',
    width: 120,
    className: 'ui-nowrap',
    card: 'line',
    render: (kind: NewsKind) => announcementKindLabels[kind],
  },
  { title: '发布', dataIndex: 'at', width: 150, className: 'ui-nowrap', card: 'line', render: formatDateTime },
  { title: '发布人', dataIndex: 'by', width: 120, card: 'line' },
  {
    title: '状态',
    dataIndex: 'withdrawn_at',
    width: 110,
    card: 'end',
    render: (at: string | null) => (
      <StatusDot {...(at ? ({ label: '已撤下', color: 'ink3' } as const) : ({ label: '展示中', color: 'ok' } as const))} />
    ),
  },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 100,
    render: (_, events) =>
      events.withdrawn_at ? null : (
        <Button aria-label={`撤下 ${events.title}`} onClick={() => withdraw(events)}>
          撤下
        </Button>
      ),
  },
]

export function AnnouncementTable({ page, pagesize }: OperatorSearch) {
  const events = useQuery(callQuery(getOpsNews, { page, pagesize }))
  const navigate = useOperatorNavigate()
  const [isFormOpen, setFormOpen] = useState(false)
  const [withdrawn, setWithdrawn] = useState<Announcement>()
  const publish = useCallMutation(publishNews, { onSuccess: () => toast.success('已发布') })
  const withdraw = useCallMutation(withdrawNews, {
    onSuccess: () => {
      toast.success('已撤下')
      setWithdrawn(undefined)
    },
  })
  return (
    <section className="ui-card ui-stack">
      <div className="ui-row">
        <Button type="primary" onClick={() => setFormOpen(true)}>
          发布资讯
        </Button>
      </div>
      <DataTable
        requested={events}
        columns={createColumns(setWithdrawn)}
        onPage={(to, size) => navigate({ view: 'news', page: to, pagesize: size })}
        rowKey="id"
        label="资讯"
        empty={{ illustration: 'letter', text: '还没有发布过资讯；随产品附带的文章不在这里。' }}
      />
      {isFormOpen && (
        <FormDialog<{ kind: NewsKind; title: string; summary: string; text: string }>
          open
          title="发布资讯"
          action="发布给所有企业"
          initial={{ kind: 'strategic' }}
          onSubmit={(values) => publish.mutateAsync(values)}
          onClose={() => setFormOpen(false)}
        >
          <Form.Item name="kind" label="类别">
            <Radio.Group
              aria-label="类别"
              options={[
                { value: 'strategic', label: announcementKindLabels.strategic },
                { value: 'agency', label: announcementKindLabels.agency },
              ]}
            />
          </Form.Item>
          <FormField name="title" label="标题" required="请填写标题" maxLength={60} />
          <FormField name="summary" label="摘要" required="请填写摘要" maxLength={120} />
          <FormField name="text" label="正文（空行分段）" kind="multiline" required="请填写正文" rows={6} maxLength={5_000} />
        </FormDialog>
      )}
      {withdrawn && (
        <ConfirmDialog
          open
          title="撤下这条资讯？"
          action="撤下"
          busy={withdraw.isPending}
          onConfirm={() => withdraw.mutate({ id: withdrawn.id })}
          onClose={() => setWithdrawn(undefined)}
        >
          「{withdrawn.title}」撤下后，所有企业都不再看到它。
        </ConfirmDialog>
      )}
    </section>
  )
}
