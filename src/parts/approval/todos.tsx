import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { getTodoList } from '../../../server/contract/agency.ts'
import type { OutputOf } from '../../../server/contract/call.ts'
import { query } from '../../api.ts'
import { useRouteExists } from '../../shell/routes.ts'
import type { Tone } from '../../theme.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toneStyle } from '../../ui/status-dot.tsx'
import type { TodoSearch } from './search.ts'
import './todos.css'

type Todo = OutputOf<typeof getTodoList>['list'][number]
type Saying = {
  path: string
  search?: (todo: Todo) => object
  /** What stands on that page. */
  hash?: string
  icon: IconName
  tone: Tone
  text: (count: number) => string
}

const ofBatch = ({ batch_id }: Todo) => (batch_id ? { batch_id } : {})
const says: Readonly<Record<Todo['kind'], Saying>> = {
  approval: {
    path: '/agency',
    search: (): TodoSearch => ({ view: 'approval', status: 0 }),
    icon: 'shield',
    tone: 'warn',
    text: (count) => `${count} 份申请等您审批`,
  },
  join: {
    path: '/agency',
    hash: 'todo-joins',
    icon: 'people',
    tone: 'warn',
    text: (count) => `${count} 人扫码申请加入，请核对本人`,
  },
  failed: {
    path: '/wageDetail',
    search: ofBatch,
    icon: 'warn',
    tone: 'danger',
    text: (count) => `${count} 人没有收到工资条，请重发`,
  },
  feedback: {
    path: '/memberFeedback',
    search: ofBatch,
    icon: 'suggest',
    tone: 'warn',
    text: (count) => `${count} 条员工反馈等待回复`,
  },
  unviewed: {
    path: '/wageDetail',
    search: ofBatch,
    icon: 'eye',
    tone: 'info',
    text: (count) => `${count} 人还没有查看，可以提醒`,
  },
  draft: { path: '/wageAdmin', icon: 'edit', tone: 'ink2', text: (count) => `${count} 份工资表还没有发送` },
}

/** What waits for my hand, at /agency and on the home page; a line leads to the place where it can be done. */
export function Todos() {
  const todos = useQuery(query(getTodoList, {}))
  const exists = useRouteExists()
  if (!todos.data)
    return todos.error ? <ErrorState error={todos.error} retry={() => void todos.refetch()} /> : <Skeleton rows={3} />
  const { list } = todos.data
  if (list.length === 0)
    return (
      <p className="todo-calm">
        <Icon name="check" />
        都处理完了
      </p>
    )
  return (
    <ul className="todo-list">
      {list.map((todo) => {
        const { path, search, hash, icon, tone, text } = says[todo.kind]
        // A batch's page without its batch would be a dead end.
        const to = path === '/wageDetail' && !todo.batch_id ? '/wageAdmin' : path
        const inside = (
          <>
            <i style={toneStyle(tone)}>
              <Icon name={icon} />
            </i>
            {text(todo.count)}
          </>
        )
        return (
          <li key={todo.kind + (todo.batch_id ?? '')}>
            {exists(to) ? (
              <Link to={to as '/'} search={(search?.(todo) ?? {}) as never} {...(hash ? { hash } : {})}>
                {inside}
                <Icon name="arrow" size={16} />
              </Link>
            ) : (
              <span>{inside}</span>
            )}
          </li>
        )
      })}
    </ul>
  )
}
