import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getNoticeList, read } from '../../../server/contract/desk.ts'
import { query, useCall } from '../../api.ts'
import { useRouteExists } from '../../shell/routes.ts'
import { type Columns, DataTable } from '../../ui/data-table.tsx'
import { dayAndTime } from '../../ui/dates.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { pageOf } from '../../ui/search.ts'
import { StatusDot } from '../../ui/status-dot.tsx'

type Notice = OutputOf<typeof getNoticeList>['list'][number]

export const Route = createFileRoute('/_desk/agency')({
  staticData: { title: '待办与通知', who: 'admin' },
  validateSearch: pageOf,
  component: Agency,
})

const kinds = {
  sent: { word: '已发送', tone: 'ok' },
  failed: { word: '发送失败', tone: 'danger' },
  feedback: { word: '员工反馈', tone: 'warn' },
  unviewed: { word: '查看情况', tone: 'info' },
  phone: { word: '手机号变更', tone: 'warn' },
} as const

/** Notices, newest first. Opening one marks it as read and leads to its batch. */
function Agency() {
  const { page, pagesize } = Route.useSearch()
  const notices = useQuery(query(getNoticeList, { page, pagesize }))
  const markRead = useCall(read)
  const navigate = useNavigate()
  const exists = useRouteExists()

  const unread = notices.data?.list.some((notice) => !notice.read)
  const target = (notice: Notice) => (notice.kind === 'feedback' ? '/memberFeedback' : '/wageDetail')
  const open = (notice: Notice) => {
    if (!notice.read) markRead.mutate({ ids: [notice.id] })
    if (notice.batch_id && exists(target(notice)))
      void navigate({ to: target(notice) as '/', search: { batch_id: notice.batch_id } as never })
  }
  const columns: Columns<Notice> = [
    { title: '类型', dataIndex: 'kind', width: 120, render: (kind: Notice['kind']) => <StatusDot {...kinds[kind]} /> },
    {
      title: '内容',
      dataIndex: 'text',
      render: (text: string, notice) => (
        <Button type="link" className="notice" data-unread={!notice.read || undefined} onClick={() => open(notice)}>
          {text}
          {!notice.read && <span className="sr-only">（未读）</span>}
        </Button>
      ),
    },
    { title: '时间', dataIndex: 'created_at', width: 160, className: 'ui-nowrap', render: dayAndTime },
    { title: '状态', dataIndex: 'read', width: 88, render: (isRead: boolean) => (isRead ? '已读' : <strong>未读</strong>) },
  ]
  return (
    <div className="ui-page">
      <PageHead
        title="待办与通知"
        action={
          unread && (
            <Button loading={markRead.isPending} onClick={() => markRead.mutate({ all: true })}>
              全部标为已读
            </Button>
          )
        }
      />
      <section className="ui-card">
        <DataTable
          asked={notices}
          columns={columns}
          rowKey="id"
          label="通知"
          empty={{ drawing: 'bell', text: '没有通知。工资条发送完成、有人没收到或员工提出疑问时，会在这里告诉您。' }}
        />
      </section>
    </div>
  )
}
