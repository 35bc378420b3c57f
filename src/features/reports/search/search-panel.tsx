import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { canAccess } from '../../../../server/contract/access.ts'
import { search } from '../../../../server/contract/reports/search.ts'
import { callQuery } from '../../../api.ts'
import { useFindRoute } from '../../../app/find-route.ts'
import { Icon } from '../../../components/icon.tsx'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { toAccessSubject, useCurrentUser } from '../../../session.ts'
import styles from './find.module.css'
import { helpQuestions, type SearchablePage, searchablePages, searchPages } from './pages.ts'
import { addRecent, clearRecent, useRecentResults } from './recent.ts'
import { groupSearchResults, type SearchResult, type SearchResultGroup } from './results.ts'

function useAccessiblePages() {
  const user = useCurrentUser()
  const findRoute = useFindRoute()
  return (pages: readonly SearchablePage[]): SearchablePage[] =>
    pages.filter(({ path }) => {
      const page = findRoute(path)?.options?.staticData
      return user !== undefined && page !== undefined && (!page.who || canAccess(toAccessSubject(user), page.who))
    })
}

/**
 * The search with its results. `onLeave` is called with Esc in an empty box, and when a result is opened in this window.
 */
export function SearchPanel({ onLeave }: { onLeave: (reason: 'opened' | 'cancelled') => void }) {
  const [text, setText] = useState('')
  const [selectedIndex, setSelectedIndex] = useState(0)
  const trimmed = text.trim()
  // Each keystroke triggers a search; while one is in flight, later keystrokes wait, and then only the newest text is
  // searched.
  const [requestText, setRequestText] = useState('')
  const results = useQuery({
    ...callQuery(search, { text: requestText }),
    enabled: requestText !== '',
    placeholderData: (before) => before,
  })
  if (trimmed !== requestText && !results.isFetching) setRequestText(trimmed)
  const filterAccessible = useAccessiblePages()
  const recent = useRecentResults()
  const groups =
    trimmed === ''
      ? []
      : groupSearchResults(
          results.data,
          filterAccessible(searchPages(searchablePages, trimmed)),
          filterAccessible(searchPages(helpQuestions, trimmed)),
        )
  const recentGroups: SearchResultGroup[] = useMemo(
    () => (recent.length > 0 ? [{ title: '最近打开', icon: 'clock', results: recent }] : []),
    [recent],
  )
  const help: SearchResultGroup = {
    title: '常见问题',
    icon: 'help',
    results: groupSearchResults(undefined, [], filterAccessible(helpQuestions))[0]?.results ?? [],
  }
  const visibleGroups = trimmed === '' ? [...recentGroups, ...(help.results.length > 0 ? [help] : [])] : groups
  const flatResults = visibleGroups.flatMap((group) => group.results)
  const activeIndex = Math.min(selectedIndex, Math.max(0, flatResults.length - 1))
  const isDone = trimmed === requestText && !results.isFetching
  return (
    <div className={styles.panel}>
      <SearchInput {...{ text, results: flatResults, activeIndex, onLeave }} onText={setText} onActivate={setSelectedIndex} />
      {results.error && trimmed !== '' ? <ErrorState error={results.error} retry={() => void results.refetch()} /> : null}
      {trimmed !== '' && visibleGroups.length === 0 && !results.error ? (
        <section className="ui-card" data-answers={isDone ? trimmed : undefined}>
          {isDone ? (
            <EmptyState illustration="search" text={`没有找到和「${trimmed}」有关的内容。可以输入名称的一部分或拼音首字母。`} />
          ) : (
            <Skeleton rows={4} />
          )}
        </section>
      ) : (
        <ResultGroups
          groups={visibleGroups}
          activeKey={flatResults[activeIndex]?.key}
          requestText={results.isPlaceholderData ? undefined : requestText}
          onOpen={() => onLeave('opened')}
        />
      )}
      {trimmed === '' && recent.length > 0 && (
        <button type="button" className="ui-link" onClick={clearRecent}>
          清除最近打开
        </button>
      )}
    </div>
  )
}

const getResultId = (key: string) => `find-${key.replace(/[^\w-]/g, '-')}`

/** The arrow keys move through the results, Enter opens one, Esc clears the box and then leaves. */
type SearchInputProps = {
  text: string
  results: readonly SearchResult[]
  activeIndex: number
  onText: (text: string) => void
  onActivate: (at: number) => void
  onLeave: (reason: 'opened' | 'cancelled') => void
}
function SearchInput({ text, results, activeIndex, onText, onActivate, onLeave }: SearchInputProps) {
  const router = useRouter()
  const activate = (next: number) => {
    onActivate(next)
    document.getElementById(getResultId(results[next]?.key ?? ''))?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      activate(Math.min(Math.max(0, activeIndex + (event.key === 'ArrowDown' ? 1 : -1)), results.length - 1))
    } else if (event.key === 'Enter' && results[activeIndex]) {
      event.preventDefault()
      addRecent(results[activeIndex])
      onLeave('opened')
      router.history.push(results[activeIndex].href)
    } else if (event.key === 'Escape') {
      // The first press empties the box; a dialog around it stays open.
      event.stopPropagation()
      if (text !== '') onText('')
      else onLeave('cancelled')
    }
  }
  return (
    <>
      <input
        className={styles.box}
        type="text"
        role="searchbox"
        aria-label="搜索"
        placeholder="名称的一部分，或拼音首字母"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the panel is this box
        autoFocus
        autoComplete="off"
        maxLength={50}
        value={text}
        onChange={(event) => {
          onText(event.target.value)
          onActivate(0)
        }}
        onKeyDown={onKeyDown}
      />
      <p className={`ui-hint ${styles.keys}`}>↑ ↓ 选择，Enter 打开，Esc 清空；任何页面按 Ctrl K（Mac 为 ⌘K）可搜索</p>
    </>
  )
}

/** `requestText`: the text that was searched for. */
type ResultGroupsProps = {
  groups: readonly SearchResultGroup[]
  activeKey: string | undefined
  requestText: string | undefined
  onOpen: () => void
}
function ResultGroups({ groups, activeKey, requestText, onOpen }: ResultGroupsProps) {
  return (
    <div className={styles.groups} aria-live="polite" data-answers={requestText}>
      {groups.map(({ title, icon, results }) => (
        <section key={title} className="ui-card" aria-label={title}>
          <h2>
            <Icon name={icon} />
            {title}
          </h2>
          {results.map((result) => (
            <ResultLink key={result.key} line={result} isSelected={result.key === activeKey} onOpen={onOpen} />
          ))}
        </section>
      ))}
    </div>
  )
}

function ResultLink(props: { line: SearchResult; isSelected: boolean; onOpen: () => void }) {
  const { line: result, isSelected: isActive, onOpen } = props
  const router = useRouter()
  return (
    <a
      id={getResultId(result.key)}
      className={styles.line}
      data-chosen={isActive || undefined}
      href={result.href}
      onClick={(event) => {
        addRecent(result)
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        onOpen()
        router.history.push(result.href)
      }}
    >
      <strong>{result.title}</strong>
      {result.note && <span>{result.note}</span>}
    </a>
  )
}
