import type { Issue } from '../../../../server/contract/sheets/sheet.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import styles from './check.module.css'
import type { IssueGroup } from './issue-fixes.ts'
import { issueLabels, issueLevelLabels } from './issue-labels.ts'

export const getIssueGroupId = ({ kind: group, level }: Pick<IssueGroup, 'kind' | 'level'>) => `${group}:${level}`
const levels = ['error', 'warning'] as const satisfies readonly Issue['level'][]

/** Issues by kind: errors first, then warnings. */
export function IssueGroups(props: { kinds: readonly IssueGroup[]; selected: IssueGroup; onChoose: (kind: IssueGroup) => void }) {
  const { kinds: groups, selected, onChoose: onSelect } = props
  return (
    <nav className={`ui-card ${styles.kinds}`} aria-label="问题种类">
      {levels.map((level) => {
        const levelGroups = groups.filter((candidate) => candidate.level === level)
        if (levelGroups.length === 0) return null
        return (
          <div key={level}>
            <h2>
              {issueLevelLabels[level]} {levelGroups.reduce((sum, { count }) => sum + count, 0).toLocaleString('zh-CN')}
            </h2>
            <ul>
              {levelGroups.map((group) => (
                <li key={getIssueGroupId(group)} data-chosen={group === selected || undefined}>
                  <button type="button" aria-current={group === selected ? 'true' : undefined} onClick={() => onSelect(group)}>
                    <StatusDot label={issueLabels[group.kind].name} color={level === 'error' ? 'danger' : 'warn'} />
                    <b>{formatCount(group.count)}</b>
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
