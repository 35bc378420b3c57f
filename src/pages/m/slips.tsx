import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { InfiniteScroll, PullToRefresh } from 'antd-mobile'
import { useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getSlipList } from '../../../server/contract/own/employee.ts'
import { ApiError, ask, cache } from '../../api.ts'
import { CorpMark } from '../../parts/company/picture/corp-mark.tsx'
import pictureStyles from '../../parts/company/picture/picture.module.css'
import { CorpSheet } from '../../parts/employee/corps.tsx'
import { HolderStep } from '../../parts/employee/holder-step.tsx'
import styles from '../../parts/employee/m.module.css'
import { spanText } from '../../parts/employee/open/changed.ts'
import { issuedOf } from '../../parts/employee/open/issued.ts'
import { YearCard } from '../../parts/employee/open/year-card.tsx'
import { isUnconfirmed, meQuery, neverKept, useRecheck, useRefusal } from '../../parts/employee/queries.ts'
import { useArrival } from '../../parts/employee/top.tsx'
import { useFrame } from '../../parts/entry/use-frame.ts'
import { Icon } from '../../ui/icon.tsx'
import { gathered } from '../../ui/search.ts'
import { Empty } from '../../ui/state/empty.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { Money } from '../../ui/value/money.tsx'
import { StatusDot } from '../../ui/value/status-dot.tsx'

const yearOf = (value: unknown) => {
  const year = Number(value)
  return Number.isInteger(year) && year >= 2000 && year <= 2100 ? year : undefined
}
type Search = { year?: number | undefined }
export const Route = createFileRoute('/m/slips')({
  validateSearch: (raw): Search => ({ year: yearOf(raw.year) }),
  staticData: { title: '工资条' },
  component: SlipsPage,
})

type Line = OutputOf<typeof getSlipList>['list'][number]
const pagesize = 24

function SlipsPage() {
  useFrame()
  const { year } = Route.useSearch()
  const me = useQuery(meQuery)
  const [reached, setReached] = useState({ year, pages: 1 })
  const pages = reached.year === year ? reached.pages : 1
  const asked = useQuery({
    queryKey: ['slips', year ?? null, pages] as const,
    queryFn: ({ signal }) =>
      Promise.all(
        Array.from({ length: pages }, (_, at) =>
          ask(getSlipList, { ...(year ? { year } : {}), page: at + 1, pagesize }, { signal }),
        ),
      ),
    // What is there stays while more of it comes.
    placeholderData: (before, last) => (last?.queryKey[1] === (year ?? null) ? before : undefined),
    ...neverKept,
  })
  useRecheck()
  const [chosen, setChosen] = useState<boolean | null>(null)
  const [switching, setSwitching] = useState(false)
  const hidden = chosen ?? me.data?.pay_hide ?? true
  const lines = gathered(asked.data ?? [])
  const total = asked.data?.[0]?.page.total ?? 0
  const years = asked.data?.[0]?.years ?? []
  const error = useTrouble(asked, me)
  return (
    <>
      <header className={styles.home}>
        {me.data && me.data.corps.length > 1 ? (
          <button type="button" className={styles.corp} onClick={() => setSwitching(true)}>
            <CorpTitle me={me.data} />
            <Icon name="down" size={16} />
            <span className="sr-only">切换公司</span>
          </button>
        ) : (
          <CorpTitle me={me.data} />
        )}
        {lines.length > 0 && (
          <button
            type="button"
            className={styles.icon}
            aria-pressed={hidden}
            aria-label={hidden ? '显示金额' : '隐藏金额'}
            onClick={() => setChosen(!hidden)}
          >
            <Icon name={hidden ? 'eyeoff' : 'eye'} size={22} />
          </button>
        )}
      </header>
      <PullToRefresh onRefresh={() => cache.resetQueries({ queryKey: ['slips'] })}>
        <main className={`${styles.pad} ${styles.slips}`}>
          <Year years={years} chosen={year} hidden={hidden} lines={lines} />
          {error ? (
            <Refused error={error} retry={() => void Promise.all([asked.refetch(), me.refetch()])} />
          ) : !asked.data || !me.data ? (
            <Skeleton rows={6} />
          ) : lines.length === 0 ? (
            <Empty drawing="letter" text={`${me.data.name}，您好。还没有发给您的工资条，发薪后会显示在这里。`} />
          ) : (
            <>
              <ByYear lines={lines} hidden={hidden} />
              <InfiniteScroll
                hasMore={lines.length < total}
                loadMore={async () => {
                  if (!asked.isFetching) setReached({ year, pages: pages + 1 })
                }}
              >
                {lines.length < total ? '正在加载…' : `共 ${total} 张工资条`}
              </InfiniteScroll>
            </>
          )}
        </main>
      </PullToRefresh>
      {switching && me.data && <CorpSheet me={me.data} onClose={() => setSwitching(false)} />}
    </>
  )
}

type Asked = { data: unknown; error: Error | null; isFetching: boolean }
/** Why there is nothing to show; it outlives asking again. */
function useTrouble(asked: Asked, me: Asked): Error | null {
  const refusal = useRefusal(asked)
  return asked.data ? null : (refusal ?? (me.data ? null : me.error))
}

/** In the order they came: newest month first. */
function byYear(lines: readonly Line[]): [string, Line[]][] {
  const groups: [string, Line[]][] = []
  for (const line of lines) {
    const title = line.month ? `${line.month.slice(0, 4)} 年` : '其他'
    const last = groups.at(-1)
    if (last?.[0] === title) last[1].push(line)
    else groups.push([title, [line]])
  }
  return groups
}

const ByYear = ({ lines, hidden }: { lines: readonly Line[]; hidden: boolean }) =>
  byYear(lines).map(([title, group]) => (
    <section key={title} aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {group.map((line) => (
          <Row key={line.slip_id} line={line} issued={issuedOf(line, lines)} hidden={hidden} />
        ))}
      </ul>
    </section>
  ))

function Row({ line, issued, hidden }: { line: Line; issued: string; hidden: boolean }) {
  const unread = line.status === 'sent'
  const net = line.net_fen !== null && !line.locked && !line.closed ? line.net_fen : null
  const about = (
    <span>
      <strong>{line.title}</strong>
      <small>
        {unread ? <StatusDot word="未读" tone="brand" /> : <StatusDot salary={line.status} />}
        {line.answer_unread && <em>有新回复</em>}
        {line.corrected && <em>已更正</em>}
        <span>{issued}</span>
        {unread && line.burn_after_minutes > 0 && <em>打开后 {spanText(line.burn_after_minutes)}关闭</em>}
      </small>
    </span>
  )
  // What was withdrawn leaves a note, and nothing to open.
  if (line.withdrawn_at)
    return (
      <li>
        <div className={styles.slipRow} data-withdrawn>
          {about}
        </div>
      </li>
    )
  return (
    <li>
      <Link to="/m/slip/$id" params={{ id: line.slip_id }} className={styles.slipRow} data-unread={unread || undefined}>
        {about}
        {(line.locked || line.closed) && (
          <span className={styles.slipRowLocked}>
            <Icon name="lock" size={16} /> {line.locked ? '验证后可见' : '已关闭'}
          </span>
        )}
        {net !== null && <Money fen={net} hidden={hidden} strong />}
        <Icon name="arrow" size={16} />
      </Link>
    </li>
  )
}

function CorpTitle({ me }: { me: { corp_name: string; corp_logo: string | null } | undefined }) {
  const heading = useArrival()
  return (
    <div className={pictureStyles.corpTitle}>
      <CorpMark logo={me?.corp_logo} />
      <h1 ref={heading} tabIndex={-1}>
        {me?.corp_name ?? '工资条'}
      </h1>
    </div>
  )
}

/** Which year, where there are several; and what it came to. */
function Year({ years, chosen, hidden, lines }: YearProps) {
  const year = chosen ?? years[0]
  const months = new Set(lines.flatMap(({ month }) => (month?.startsWith(`${year}-`) ? [month] : [])))
  return (
    <>
      {years.length > 1 && <Years years={years} chosen={chosen} />}
      <YearCard year={year} hidden={hidden} expected={months.size > 1} />
    </>
  )
}
type YearProps = { years: readonly number[]; chosen: number | undefined; hidden: boolean; lines: readonly Line[] }

function Years({ years, chosen }: { years: readonly number[]; chosen: number | undefined }) {
  const navigate = useNavigate()
  const go = (year: number | undefined) => void navigate({ to: '/m/slips', search: year ? { year } : {}, replace: true })
  return (
    <nav className={styles.years} aria-label="年份">
      <button type="button" aria-pressed={chosen === undefined} onClick={() => go(undefined)}>
        全部
      </button>
      {years.map((year) => (
        <button key={year} type="button" aria-pressed={chosen === year} onClick={() => go(year)}>
          {year}
        </button>
      ))}
    </nav>
  )
}

/** An administrator who is no employee of the company has no slips. */
function Refused({ error, retry }: { error: unknown; retry: () => void }) {
  if (isUnconfirmed(error)) return <HolderStep />
  if (!(error instanceof ApiError && error.is('not_permitted'))) return <ErrorState error={error} retry={retry} />
  return (
    <Empty
      drawing="people"
      text="您在这家企业没有员工身份，所以没有工资条。"
      action={
        <a className={`ui-button ${styles.button}`} href="/landing">
          进入管理后台
        </a>
      }
    />
  )
}
