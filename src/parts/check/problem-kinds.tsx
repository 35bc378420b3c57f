import { Button } from 'antd'
import type { Problem } from '../../../server/contract/sheet.ts'
import type { Fix, ProblemKind } from '../../../server/contract/words.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import { fixAllWords, fixesForAll, levelWords, problemWords } from '../sheet/words.ts'

export type Kind = { kind: ProblemKind; level: Problem['level']; count: number }

/** Problems by kind, errors first; the chosen kind offers its fix for all. */
export function ProblemKinds(props: {
  kinds: readonly Kind[]
  problems: readonly Problem[]
  chosen: Kind
  busy: boolean
  onChoose: (kind: Kind) => void
  onFixAll: (kind: Kind, fix: Fix) => void
}) {
  const { kinds, problems, chosen, busy } = props
  return (
    <nav className="ui-card check-kinds" aria-label="问题种类">
      <h2>问题 {kinds.reduce((sum, { count }) => sum + count, 0)}</h2>
      <ul>
        {kinds.map((kind) => {
          const isChosen = kind === chosen
          const same = problems.filter((one) => one.kind === kind.kind && one.level === kind.level)
          // A fix for all goes by kind on the server: where one kind has both levels, it would reach the other level too.
          const alone = kinds.filter((one) => one.kind === kind.kind).length === 1
          return (
            <li key={`${kind.kind}:${kind.level}`} data-chosen={isChosen || undefined}>
              <button type="button" aria-current={isChosen ? 'true' : undefined} onClick={() => props.onChoose(kind)}>
                <StatusDot word={problemWords[kind.kind]} tone={kind.level === 'error' ? 'danger' : 'warn'} />
                <small>{levelWords[kind.level]}</small>
                <b>{kind.count}</b>
              </button>
              {isChosen && alone && (
                <div className="ui-row">
                  {fixesForAll(same).map((fix) => (
                    <Button key={fix} size="small" disabled={busy} onClick={() => props.onFixAll(kind, fix)}>
                      {fixAllWords[fix]}
                    </Button>
                  ))}
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
