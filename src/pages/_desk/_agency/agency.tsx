import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { getTodoList } from '../../../../server/contract/agency/agency.ts'
import { type ApprovalStatus, approvalStatuses, getApprovalList } from '../../../../server/contract/approvals/approvals.ts'
import { getNotificationList, markNotificationsRead } from '../../../../server/contract/notifications/notifications.ts'
import { callQuery, queryClient } from '../../../api.ts'
import { sendRequest } from '../../../api-core.ts'
import { Dropdown, noSelection } from '../../../components/form/select.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { ApprovalTable } from '../../../features/approvals/approvals.tsx'
import { JoinRequests } from '../../../features/approvals/joins.tsx'
import { approvalStatusLabels } from '../../../features/approvals/labels.ts'
import { parseTodoSearch, type TodoSearch, type TodoView } from '../../../features/approvals/search.ts'
import { TodoList } from '../../../features/approvals/todos.tsx'
import { NotificationTable } from '../../../features/notifications/notifications.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'
import { type CurrentUser, currentUserQuery } from '../../../session.ts'

export const Route = createFileRoute('/_desk/_agency/agency')({
  staticData: { title: '待办与通知', who: 'admin' },
  validateSearch: parseTodoSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { view = 'todo', status, page, pagesize } = parseTodoSearch(location.search)
      if (view === 'notice') return prefetchQuery(callQuery(getNotificationList, { page, pagesize }))
      if (view === 'approval') return prefetchQuery(callQuery(getApprovalList, { status, page, pagesize }))
      return [prefetchQuery(callQuery(getTodoList, {})), prefetchQuery(callQuery(getApprovalList, { status: 0, page, pagesize }))]
    }),
  component: Agency,
})

const viewLabels: Readonly<Record<TodoView, string>> = { todo: '待办', approval: '审批', notice: '通知' }
const statusOptions = approvalStatuses.map((value) => ({ value, label: approvalStatusLabels[value].label }))

/** The page of an agency: to-dos including pending decisions, all applications, and notifications. */
function Agency() {
  const search = Route.useSearch()
  const { view = 'todo', status, page, pagesize } = search
  const navigate = useNavigate()
  // Opening this page marks the red dot as seen, whichever way the user came. Not a cached mutation, because no query
  // on the page needs a refetch.
  useEffect(() => {
    sendRequest(markNotificationsRead, { home_visited: true }).catch(() => undefined)
    queryClient.setQueryData(
      currentUserQuery.queryKey,
      (previous: CurrentUser | undefined) => previous && { ...previous, user: { ...previous.user, notice_number: 0 } },
    )
  }, [])
  const navigateTo = (next: TodoSearch) => void navigate({ to: '/agency', search: next })
  return (
    <div className="ui-page">
      <PageHeader title="待办与通知" action={<Link to="/strategic">资讯</Link>}>
        <Tabs
          label="待办与通知"
          at={view}
          labels={viewLabels}
          onGo={(next) => navigateTo(next === 'todo' ? {} : { view: next })}
        />
        {view === 'approval' && (
          <Dropdown<ApprovalStatus>
            label="审批状态"
            allLabel="全部状态"
            options={statusOptions}
            value={status}
            onChange={(next) => navigateTo({ view, status: next === noSelection ? undefined : next })}
          />
        )}
      </PageHeader>
      {view === 'todo' && (
        <>
          <section className="ui-card" aria-labelledby="todo-mine">
            <h2 id="todo-mine">等我处理</h2>
            <TodoList />
          </section>
          <JoinRequests />
          <section className="ui-card" aria-labelledby="todo-approvals">
            <h2 id="todo-approvals">未完成的申请</h2>
            <ApprovalTable calm label="未完成的申请" status={0} page={page} pagesize={pagesize} empty="没有等待审批的申请" />
          </section>
        </>
      )}
      {view === 'approval' && (
        <section className="ui-card" aria-label="审批">
          <ApprovalTable
            label="审批"
            status={status}
            page={page}
            pagesize={pagesize}
            empty={
              status === undefined
                ? '还没有申请。薪酬管理员申请移交权限时，会出现在这里。'
                : `没有${approvalStatusLabels[status].label}的申请。换一个状态再看。`
            }
          />
        </section>
      )}
      {view === 'notice' && (
        <section className="ui-card" aria-label="通知">
          <NotificationTable page={page} pagesize={pagesize} />
        </section>
      )}
    </div>
  )
}
