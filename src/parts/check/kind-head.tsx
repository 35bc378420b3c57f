import { Button } from 'antd'
import { SearchBox } from '../../ui/page/search-box.tsx'
import styles from './check.module.css'
import { type FixAll, type Kind, wordsOf } from './problem-fixes.ts'
import { levelWords, problemWords } from './problem-words.ts'

/** Above the problems of a kind: what it means, what one does about it, fixes for all, and a search. */
export function KindHead(props: {
  kind: Kind
  fixes: readonly FixAll[]
  busy: boolean
  find: string | undefined
  onFind: (text: string | undefined) => void
  onFixAll: (all: FixAll) => void
}) {
  const { kind, fixes, busy, find } = props
  const words = problemWords[kind.kind]
  return (
    <header className={styles.head}>
      <h2>
        {words.name}
        <small>
          {levelWords[kind.level]} · {kind.count.toLocaleString('zh-CN')} 个
        </small>
      </h2>
      <p>
        {words.means}
        {words.todo}
      </p>
      {kind.count > 1 && (
        <div className="ui-row">
          {fixes.map((all, at) => (
            <Button
              key={all.fix}
              size="small"
              type={
                at > 0 ? 'text' : kind.level === 'error' && all.fix !== 'skip' && all.fix !== 'accept' ? 'primary' : 'default'
              }
              disabled={busy}
              onClick={() => props.onFixAll(all)}
            >
              {wordsOf(all, kind).button}
            </Button>
          ))}
          <span className="ui-grow" />
          <SearchBox value={find} onSearch={props.onFind} placeholder="搜索姓名、行号" width={180} />
        </div>
      )}
    </header>
  )
}
