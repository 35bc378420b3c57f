import { useQuery } from '@tanstack/react-query'
import { Link, type LinkOptions, linkOptions } from '@tanstack/react-router'
import { getTodoList } from '../../../server/contract/agency/agency.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { callQuery } from '../../api.ts'
import { Icon, type IconName } from '../../components/icon.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { getColorStyle } from '../../components/value/status-dot.tsx'
import type { StatusColor } from '../../theme.ts'
import styles from './todos.module.css'

type Todo = CallOutput<typeof getTodoList>['list'][number]
type TodoDescription = {
  /** The page where the to-do can be completed. */
  link: (todo: Todo) => LinkOptions
  icon: IconName
  color: StatusColor
  text: (count: number, late: number) => string
}

/** A batch page without a batch would be a dead end. */
const getDetailLink = ({ batch_id }: Todo): LinkOptions =>
  batch_id ? linkOptions({ to: '/wageDetail', search: { batch_id } }) : linkOptions({ to: '/wageAdmin' })
const todoDescriptions: Readonly<Record<Todo['kind'], TodoDescription>> = {
  approval: {
    link: () => linkOptions({ to: '/agency', search: { view: 'approval', status: 0 } }),
    icon: 'shield',
    color: 'warn',
    text: (count) => `${count} 份申请等您审批`,
  },
  join: {
    link: () => linkOptions({ to: '/agency', hash: 'todo-joins' }),
    icon: 'people',
    color: 'warn',
    text: (count) => `${count} 人扫码申请加入，请核对本人`,
  },
  failed: {
    link: getDetailLink,
    icon: 'warn',
    color: 'danger',
    text: (count) => `${count} 人没有收到工资条，请核对后重发`,
  },
  feedback: {
    link: () => linkOptions({ to: '/memberFeedback' }),
    icon: 'suggest',
    color: 'warn',
    text: (count, late) => `${count} 条员工反馈等待回复${late ? `，${late} 条已超时` : ''}`,
  },
  unviewed: {
    link: getDetailLink,
    icon: 'eye',
    color: 'info',
    text: (count) => `${count} 人还没有查看，可以提醒`,
  },
  draft: {
    link: () => linkOptions({ to: '/wageAdmin' }),
    icon: 'edit',
    color: 'ink2',
    text: (count) => `${count} 份工资表还没有发送`,
  },
}

/** The current user's to-dos, on /agency and the home page; each links to where it can be completed. */
export function TodoList() {
  const todos = useQuery({ ...callQuery(getTodoList, {}), retryOnMount: false })
  if (!todos.data)
    return todos.error ? <ErrorState error={todos.error} retry={() => void todos.refetch()} /> : <Skeleton rows={3} />
  const { list } = todos.data
  if (list.length === 0)
    return (
      <p className={styles.todoCalm}>
        <Icon name="check" />
        都处理完了
      </p>
    )
  return (
    <ul className={styles.todoList}>
      {list.map((todo) => {
        const { link, icon, color, text } = todoDescriptions[todo.kind]
        return (
          <li key={todo.kind + (todo.batch_id ?? '')}>
            <Link {...link(todo)}>
              <i style={getColorStyle(color)}>
                <Icon name={icon} />
              </i>
              {text(todo.count, todo.late ?? 0)}
              <Icon name="arrow" size={16} />
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
