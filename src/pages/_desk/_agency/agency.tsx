import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { getTodoList } from '../../../../server/contract/corp/agency.ts'
import { type ApprovalStatus, approvalStatuses, getApprovalList } from '../../../../server/contract/corp/approval.ts'
import { getNoticeList, read } from '../../../../server/contract/corp/desk.ts'
import { cache, query } from '../../../api.ts'
import { send } from '../../../api-core.ts'
import { Approvals } from '../../../parts/approval/approvals.tsx'
import { Joins } from '../../../parts/approval/joins.tsx'
import { Notices } from '../../../parts/approval/notices.tsx'
import { type TodoSearch, type TodoView, todoSearchOf } from '../../../parts/approval/search.ts'
import { Todos } from '../../../parts/approval/todos.tsx'
import { statusWords } from '../../../parts/approval/words.ts'
import { begin, first } from '../../../routed/first.ts'
import { type Role, roleQuery } from '../../../session.ts'
import { Dropdown, unchosen } from '../../../ui/form/select.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { Tabs } from '../../../ui/page/tabs.tsx'

export const Route = createFileRoute('/_desk/_agency/agency')({
  staticData: { title: '待办与通知', who: 'admin' },
  validateSearch: todoSearchOf,
  loader: ({ route, location }) =>
    first(route, () => {
      const { view = 'todo', status, page, pagesize } = todoSearchOf(location.search)
      if (view === 'notice') return begin(query(getNoticeList, { page, pagesize }))
      if (view === 'approval') return begin(query(getApprovalList, { status, page, pagesize }))
      return [begin(query(getTodoList, {})), begin(query(getApprovalList, { status: 0, page, pagesize }))]
    }),
  component: Agency,
})

const words: Readonly<Record<TodoView, string>> = { todo: '待办', approval: '审批', notice: '通知' }
const statusOptions = approvalStatuses.map((value) => ({ value, label: statusWords[value].word }))

/** To-dos with what waits for a decision, all applications, and notices. */
function Agency() {
  const search = Route.useSearch()
  const { view = 'todo', status, page, pagesize } = search
  const navigate = useNavigate()
  // Whoever is here has seen the red dot, however he came. Not a mutation of the cache's: nothing shown is to be fetched anew.
  useEffect(() => {
    send(read, { seen: true }).catch(() => undefined)
    cache.setQueryData(roleQuery.queryKey, (old: Role | undefined) => old && { ...old, user: { ...old.user, notice_number: 0 } })
  }, [])
  const go = (next: TodoSearch) => void navigate({ to: '/agency', search: next })
  return (
    <div className="ui-page">
      <PageHead title="待办与通知" action={<Link to="/strategic">资讯</Link>}>
        <Tabs label="待办与通知" at={view} words={words} onGo={(next) => go(next === 'todo' ? {} : { view: next })} />
        {view === 'approval' && (
          <Dropdown<ApprovalStatus>
            label="审批状态"
            all="全部状态"
            options={statusOptions}
            value={status}
            onChange={(next) => go({ view, status: next === unchosen ? undefined : next })}
          />
        )}
      </PageHead>
      {view === 'todo' && (
        <>
          <section className="ui-card" aria-labelledby="todo-mine">
            <h2 id="todo-mine">等我处理</h2>
            <Todos />
          </section>
          <Joins />
          <section className="ui-card" aria-labelledby="todo-approvals">
            <h2 id="todo-approvals">未完成的申请</h2>
            <Approvals calm label="未完成的申请" status={0} page={page} pagesize={pagesize} empty="没有等待审批的申请" />
          </section>
        </>
      )}
      {view === 'approval' && (
        <section className="ui-card" aria-label="审批">
          <Approvals
            label="审批"
            status={status}
            page={page}
            pagesize={pagesize}
            empty={
              status === undefined
                ? '还没有申请。薪酬管理员申请移交权限时，会出现在这里。'
                : `没有${statusWords[status].word}的申请。换一个状态再看。`
            }
          />
        </section>
      )}
      {view === 'notice' && (
        <section className="ui-card" aria-label="通知">
          <Notices page={page} pagesize={pagesize} />
        </section>
      )}
    </div>
  )
}
