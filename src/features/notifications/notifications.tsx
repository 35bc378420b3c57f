import { useQuery } from '@tanstack/react-query'
import { type LinkOptions, linkOptions, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getNotificationList, markNotificationsRead } from '../../../server/contract/notifications/notifications.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import shellStyles from '../../app/desktop/shell.module.css'
import { lazyDialog } from '../../components/lazy.tsx'
import type { PageParams } from '../../components/search-params.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import styles from '../approvals/approval.module.css'
import { getNotificationStatus } from '../approvals/labels.ts'

const NotificationChannels = lazyDialog(async () => (await import('./notification-channels.tsx')).NotificationChannels)

type NotificationItem = CallOutput<typeof getNotificationList>['list'][number]

/** Returns the link of a notification; null if it is for information only. */
function getNotificationLink({ kind, batch_id }: NotificationItem): LinkOptions | null {
  if (kind === 'approval') return linkOptions({ to: '/agency', search: { view: 'approval' } })
  if (kind === 'join') return linkOptions({ to: '/agency' })
  if (kind === 'service') return linkOptions({ to: '/CompanyService' })
  if (kind === 'security') return linkOptions({ to: '/profile' })
  if (!batch_id) return null
  return kind === 'feedback' ? linkOptions({ to: '/memberFeedback' }) : linkOptions({ to: '/wageDetail', search: { batch_id } })
}

/** Notifications, newest first. Opening one marks it as read and leads to its subject. */
export function NotificationTable({ page, pagesize }: PageParams) {
  const notifications = useQuery(callQuery(getNotificationList, { page, pagesize }))
  const markRead = useCallMutation(markNotificationsRead)
  const navigate = useNavigate()
  const [isDialogOpen, setDialogOpen] = useState(false)
  const unread = notifications.data?.list.some((notification) => !notification.read)
  const open = (notification: NotificationItem) => {
    if (!notification.read) markRead.mutate({ ids: [notification.id] })
    const target = getNotificationLink(notification)
    if (target) void navigate(target)
  }
  const columns: Columns<NotificationItem> = [
    {
      title: '类型',
      dataIndex: 'kind',
      width: 120,
      render: (kind: NotificationItem['kind']) => <StatusDot {...getNotificationStatus(kind)} />,
    },
    {
      title: '内容',
      dataIndex: 'text',
      render: (text: string, notice) => (
        <Button type="link" className={shellStyles.notice} data-unread={!notice.read || undefined} onClick={() => open(notice)}>
          {text}
          {!notice.read && <span className="sr-only">（未读）</span>}
        </Button>
      ),
    },
    { title: '时间', dataIndex: 'created_at', width: 160, className: 'ui-nowrap', render: formatDateTime },
    { title: '状态', dataIndex: 'read', width: 88, render: (isRead: boolean) => (isRead ? '已读' : <strong>未读</strong>) },
  ]
  return (
    <>
      <div className={`ui-row ${styles.todoAll}`}>
        {unread && (
          <Button size="small" loading={markRead.isPending} onClick={() => markRead.mutate({ all: true })}>
            全部标为已读
          </Button>
        )}
        <Button size="small" onClick={() => setDialogOpen(true)}>
          通知方式
        </Button>
      </div>
      {isDialogOpen && <NotificationChannels onClose={() => setDialogOpen(false)} />}
      <DataTable
        requested={notifications}
        columns={columns}
        rowKey="id"
        label="通知"
        empty={{ illustration: 'bell', text: '没有通知。工资条发送完成、未送达或收到员工反馈时，在这里通知。' }}
      />
    </>
  )
}
