import type { Problem } from '../../../server/contract/sheet/sheet.ts'
import { StatusDot } from '../../ui/value/status-dot.tsx'
import styles from './check.module.css'
import type { Kind } from './problem-fixes.ts'
import { levelWords, problemWords } from './problem-words.ts'

export const kindId = ({ kind, level }: Pick<Kind, 'kind' | 'level'>) => `${kind}:${level}`
const levels = ['error', 'warning'] as const satisfies readonly Problem['level'][]

/** Problems by kind: first those that must be put right, then those that ask. */
export function ProblemKinds(props: { kinds: readonly Kind[]; chosen: Kind; onChoose: (kind: Kind) => void }) {
  const { kinds, chosen, onChoose } = props
  return (
    <nav className={`ui-card ${styles.kinds}`} aria-label="问题种类">
      {levels.map((level) => {
        const own = kinds.filter((one) => one.level === level)
        if (own.length === 0) return null
        return (
          <div key={level}>
            <h2>
              {levelWords[level]} {own.reduce((sum, { count }) => sum + count, 0).toLocaleString('zh-CN')}
            </h2>
            <ul>
              {own.map((kind) => (
                <li key={kindId(kind)} data-chosen={kind === chosen || undefined}>
                  <button type="button" aria-current={kind === chosen ? 'true' : undefined} onClick={() => onChoose(kind)}>
                    <StatusDot word={problemWords[kind.kind].name} tone={level === 'error' ? 'danger' : 'warn'} />
                    <b>{kind.count.toLocaleString('zh-CN')}</b>
                  </button>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}
