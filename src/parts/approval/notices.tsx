import { useQuery } from '@tanstack/react-query'
import { type LinkOptions, linkOptions, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getNoticeList, read } from '../../../server/contract/corp/desk.ts'
import { query, useCall } from '../../api.ts'
import shellStyles from '../../shell/desk/shell.module.css'
import type { PageSearch } from '../../ui/search.ts'
import { type Columns, DataTable } from '../../ui/table/data-table.tsx'
import { dayAndTime } from '../../ui/value/dates.ts'
import { StatusDot } from '../../ui/value/status-dot.tsx'
import styles from './approval.module.css'
import { noticeWordOf } from './words.ts'

const NoticeWays = lazy(async () => ({ default: (await import('./notice-ways.tsx')).NoticeWays }))

type Notice = OutputOf<typeof getNoticeList>['list'][number]

/** Where a notice leads to; null when it only tells. */
function targetOf({ kind, batch_id }: Notice): LinkOptions | null {
  if (kind === 'approval') return linkOptions({ to: '/agency', search: { view: 'approval' } })
  if (kind === 'join') return linkOptions({ to: '/agency' })
  if (kind === 'service') return linkOptions({ to: '/CompanyService' })
  if (kind === 'security') return linkOptions({ to: '/profile' })
  if (!batch_id) return null
  return kind === 'feedback' ? linkOptions({ to: '/memberFeedback' }) : linkOptions({ to: '/wageDetail', search: { batch_id } })
}

/** Notices, newest first. Opening one marks it as read and leads to what it is about. */
export function Notices({ page, pagesize }: PageSearch) {
  const notices = useQuery(query(getNoticeList, { page, pagesize }))
  const markRead = useCall(read)
  const navigate = useNavigate()
  const [choosing, setChoosing] = useState(false)
  const unread = notices.data?.list.some((notice) => !notice.read)
  const open = (notice: Notice) => {
    if (!notice.read) markRead.mutate({ ids: [notice.id] })
    const target = targetOf(notice)
    if (target) void navigate(target)
  }
  const columns: Columns<Notice> = [
    {
      title: '类型',
      dataIndex: 'kind',
      width: 120,
      render: (kind: Notice['kind']) => <StatusDot {...noticeWordOf(kind)} />,
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
    { title: '时间', dataIndex: 'created_at', width: 160, className: 'ui-nowrap', render: dayAndTime },
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
        <Button size="small" onClick={() => setChoosing(true)}>
          通知方式
        </Button>
      </div>
      <Suspense fallback={null}>{choosing && <NoticeWays onClose={() => setChoosing(false)} />}</Suspense>
      <DataTable
        asked={notices}
        columns={columns}
        rowKey="id"
        label="通知"
        empty={{ drawing: 'bell', text: '没有通知。工资条发送完成、有人没收到或员工提出疑问时，会在这里告诉您。' }}
      />
    </>
  )
}
