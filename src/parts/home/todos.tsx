import { Link } from '@tanstack/react-router'
import type { OutputOf } from '../../../server/contract/call.ts'
import type { getIndex } from '../../../server/contract/company.ts'
import { useRouteExists } from '../../shell/routes.ts'
import type { Tone } from '../../theme.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { toneStyle } from '../../ui/status-dot.tsx'

type Todo = OutputOf<typeof getIndex>['todos'][number]

const says: Record<Todo['kind'], { path: string; icon: IconName; tone: Tone; text: (count: number) => string }> = {
  failed: { path: '/wageDetail', icon: 'warn', tone: 'danger', text: (count) => `${count} 人没有收到工资条，请重发` },
  feedback: { path: '/memberFeedback', icon: 'suggest', tone: 'warn', text: (count) => `${count} 条员工反馈等待回复` },
  unviewed: { path: '/wageDetail', icon: 'eye', tone: 'info', text: (count) => `${count} 人还没有查看，可以提醒` },
  draft: { path: '/wageAdmin', icon: 'edit', tone: 'ink2', text: (count) => `${count} 份工资表还没有发送` },
}

/** What waits for this person; a line leads to the place where it can be done. */
export function Todos({ todos }: { todos: readonly Todo[] }) {
  const exists = useRouteExists()
  return (
    <section className="ui-card" aria-labelledby="home-todos">
      <h2 id="home-todos">待办</h2>
      {todos.length === 0 ? (
        <p className="home-calm">
          <Icon name="check" />
          都处理完了
        </p>
      ) : (
        <ul className="home-todos">
          {todos.map((todo) => {
            const { path, icon, tone, text } = says[todo.kind]
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
                {exists(path) ? (
                  <Link to={path} search={(todo.batch_id ? { batch_id: todo.batch_id } : {}) as never}>
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
      )}
    </section>
  )
}
