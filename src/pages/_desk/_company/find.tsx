import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { find } from '../../../../server/contract/people/find.ts'
import { holders, may } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import styles from '../../../parts/home/find/find.module.css'
import { type FoundGroup, type FoundLine, groupsOfFound } from '../../../parts/home/find/found.ts'
import { type FindPlace, helpFound, pagesFound, placesCalled } from '../../../parts/home/find/places.ts'
import { forgetRecent, remember, useRecent } from '../../../parts/home/find/recent.ts'
import { personOf, useRole } from '../../../session.ts'
import { useRouteOf } from '../../../shell/routes.ts'
import { Icon } from '../../../ui/icon.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

export const Route = createFileRoute('/_desk/_company/find')({
  staticData: { title: '搜索', section: 'none', who: holders('1', '2', '3') },
  component: FindPage,
})

/** Pages that are there and that I may open. */
function useMyPlaces() {
  const me = useRole()
  const routeOf = useRouteOf()
  return (places: readonly FindPlace[]): FindPlace[] =>
    places.filter(({ path }) => {
      const page = routeOf(path)?.options?.staticData
      return me !== undefined && page !== undefined && (!page.who || may(personOf(me), page.who))
    })
}

function FindPage() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const now = text.trim()
  // Each key asks at once; while an answer is on its way the keys behind it wait, and then the newest asks.
  const [typed, setTyped] = useState('')
  const asked = useQuery({ ...query(find, { text: typed }), enabled: typed !== '', placeholderData: (before) => before })
  if (now !== typed && !asked.isFetching) setTyped(now)
  const mine = useMyPlaces()
  const recent = useRecent()
  const groups =
    now === '' ? [] : groupsOfFound(asked.data, mine(placesCalled(pagesFound, now)), mine(placesCalled(helpFound, now)))
  const start: FoundGroup[] = useMemo(
    () => (recent.length > 0 ? [{ title: '最近打开', icon: 'clock', lines: recent }] : []),
    [recent],
  )
  const help: FoundGroup = {
    title: '常见问题',
    icon: 'help',
    lines: groupsOfFound(undefined, [], mine(helpFound))[0]?.lines ?? [],
  }
  const shown = now === '' ? [...start, ...(help.lines.length > 0 ? [help] : [])] : groups
  const lines = shown.flatMap((group) => group.lines)
  const chosen = Math.min(at, Math.max(0, lines.length - 1))
  const isDone = now === typed && !asked.isFetching
  return (
    <div className="ui-page">
      <PageHead title="搜索" note="员工、批次、标题、工资条、反馈、订单、设置与帮助" />
      <Box {...{ text, lines, chosen }} onText={setText} onChoose={setAt} />
      {asked.error && now !== '' ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : null}
      {now !== '' && shown.length === 0 && !asked.error ? (
        <section className="ui-card" data-answers={isDone ? now : undefined}>
          {isDone ? (
            <Empty drawing="search" text={`没有找到和「${now}」有关的内容。可以输入名称的一部分或拼音首字母。`} />
          ) : (
            <Skeleton rows={4} />
          )}
        </section>
      ) : (
        <Groups groups={shown} chosen={lines[chosen]?.key} answers={asked.isPlaceholderData ? undefined : typed} />
      )}
      {now === '' && recent.length > 0 && (
        <button type="button" className="ui-link" onClick={forgetRecent}>
          清除最近打开
        </button>
      )}
    </div>
  )
}

const lineId = (key: string) => `find-${key.replace(/[^\w-]/g, '-')}`

/** Up and down go through what was found, Enter opens it, Esc empties the box and then goes back. */
type BoxProps = {
  text: string
  lines: readonly FoundLine[]
  chosen: number
  onText: (text: string) => void
  onChoose: (at: number) => void
}
function Box({ text, lines, chosen, onText, onChoose }: BoxProps) {
  const router = useRouter()
  const mark = (next: number) => {
    onChoose(next)
    document.getElementById(lineId(lines[next]?.key ?? ''))?.scrollIntoView({ block: 'nearest' })
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      mark(Math.min(Math.max(0, chosen + (event.key === 'ArrowDown' ? 1 : -1)), lines.length - 1))
    } else if (event.key === 'Enter' && lines[chosen]) {
      event.preventDefault()
      remember(lines[chosen])
      router.history.push(lines[chosen].href)
    } else if (event.key === 'Escape') {
      if (text !== '') onText('')
      else router.history.back()
    }
  }
  return (
    <>
      <input
        className={styles.box}
        type="search"
        aria-label="搜索"
        placeholder="名称的一部分，或拼音首字母"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this box
        autoFocus
        autoComplete="off"
        maxLength={50}
        value={text}
        onChange={(event) => {
          onText(event.target.value)
          onChoose(0)
        }}
        onKeyDown={press}
      />
      <p className={`ui-hint ${styles.keys}`}>↑ ↓ 选择，Enter 打开，Esc 清空；在任何页面按 Ctrl K（Mac 上 ⌘K）回到这里</p>
    </>
  )
}

/** `answers`: what was asked for. */
type GroupsProps = { groups: readonly FoundGroup[]; chosen: string | undefined; answers: string | undefined }
function Groups({ groups, chosen, answers }: GroupsProps) {
  return (
    <div className={styles.groups} aria-live="polite" data-answers={answers}>
      {groups.map(({ title, icon, lines }) => (
        <section key={title} className="ui-card" aria-label={title}>
          <h2>
            <Icon name={icon} />
            {title}
          </h2>
          {lines.map((line) => (
            <Line key={line.key} line={line} isChosen={line.key === chosen} />
          ))}
        </section>
      ))}
    </div>
  )
}

function Line({ line, isChosen }: { line: FoundLine; isChosen: boolean }) {
  const router = useRouter()
  return (
    <a
      id={lineId(line.key)}
      className={styles.line}
      data-chosen={isChosen || undefined}
      href={line.href}
      onClick={(event) => {
        remember(line)
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        router.history.push(line.href)
      }}
    >
      <strong>{line.title}</strong>
      {line.note && <span>{line.note}</span>}
    </a>
  )
}
