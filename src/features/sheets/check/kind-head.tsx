import { Button } from 'antd'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import styles from './check.module.css'
import { type BulkFix, getBulkFixLabels, type IssueGroup } from './issue-fixes.ts'
import { issueLabels, issueLevelLabels } from './issue-labels.ts'

/** The header of one kind of issue: its meaning, remedy, bulk fixes, and a search. */
export function IssueKindHeader(props: {
  kind: IssueGroup
  fixes: readonly BulkFix[]
  busy: boolean
  find: string | undefined
  onFind: (text: string | undefined) => void
  onFixAll: (all: BulkFix) => void
}) {
  const { kind, fixes, busy, find: searchText } = props
  const labels = issueLabels[kind.kind]
  return (
    <header className={styles.head}>
      <h2>
        {labels.name}
        <small>
          {issueLevelLabels[kind.level]} · {formatCount(kind.count)} 个
        </small>
      </h2>
      <p>
        {labels.description}
        {labels.advice}
      </p>
      {kind.count > 1 && (
        <div className="ui-row">
          {fixes.map((bulkFix, index) => (
            <Button
              key={bulkFix.fix}
              size="small"
              type={
                index > 0
                  ? 'text'
                  : kind.level === 'error' && bulkFix.fix !== 'skip' && bulkFix.fix !== 'accept'
                    ? 'primary'
                    : 'default'
              }
              disabled={busy}
              onClick={() => props.onFixAll(bulkFix)}
            >
              {getBulkFixLabels(bulkFix, kind).button}
            </Button>
          ))}
          <span className="ui-grow" />
          <SearchBox value={searchText} onSearch={props.onFind} placeholder="搜索姓名、行号" width={180} />
        </div>
      )}
    </header>
  )
}
