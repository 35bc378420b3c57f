import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getTodoList } from '../../../server/contract/corp/agency.ts'
import { getIndex } from '../../../server/contract/corp/company.ts'
import { holders } from '../../../server/contract/who.ts'
import { query } from '../../api.ts'
import { Todos } from '../../parts/approval/todos.tsx'
import { BatchProgress } from '../../parts/home/batch-progress.tsx'
import { DropSheet } from '../../parts/home/drop-sheet.tsx'
import styles from '../../parts/home/home.module.css'
import { Starter } from '../../parts/home/starter.tsx'
import { Trend } from '../../parts/home/trend.tsx'
import { begin, first } from '../../routed/first.ts'
import { useMay } from '../../session.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/media.ts'
import { Numbers } from '../../ui/page/numbers.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Empty } from '../../ui/state/empty.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { monthName } from '../../ui/value/dates.ts'

export const Route = createFileRoute('/_desk/home')({
  staticData: { title: '首页', section: 'none', who: holders('1', '2') },
  loader: ({ route }) => first(route, () => [begin(query(getIndex, {})), begin(query(getTodoList, {}))]),
  component: Home,
})

const quick = [
  { path: '/wageSend1', title: '发工资条', icon: 'send' },
  { path: '/companyMember', title: '花名册', icon: 'people' },
  { path: '/wageAdmin', title: '工资条管理', icon: 'sheet' },
  { path: '/wageSet', title: '工资条设置', icon: 'setting' },
] as const satisfies readonly { path: string; title: string; icon: IconName }[]

/** As in home.module.css. */
const oneColumn = 1100

type Month = OutputOf<typeof getIndex>
const figuresOf = ({ counts, members, sms_left }: Month) =>
  [
    { key: 'sent', label: '本月已发送', value: counts.sent.toLocaleString('zh-CN'), note: `${counts.batches} 个批次` },
    {
      key: 'viewed',
      label: '已查看',
      value: counts.viewed.toLocaleString('zh-CN'),
      note: counts.sent > 0 ? `占 ${Math.round((counts.viewed / counts.sent) * 100)}%` : '还没有发送',
    },
    { key: 'members', label: '在职员工', value: members.toLocaleString('zh-CN') },
    {
      key: 'sms',
      label: '短信余量',
      value: sms_left.toLocaleString('zh-CN'),
      tone: sms_left < members ? 'warn' : 'ink',
      note: sms_left < members && '不够给每人发一条',
    },
  ] as const

/** This month at a glance. */
function Home() {
  const { data, error, refetch } = useQuery(query(getIndex, {}))
  const sends = useMay()(holders('2'))
  // What there is to do stands over the rest in one column: nothing goes down below a thumb.
  const todos = useQuery(query(getTodoList, {}))
  if (!data || !todos.isFetched) return <NotYet error={error} retry={() => void refetch()} />

  const isNew = data.batches.length === 0 && data.trend.length === 0
  return (
    <DropSheet may={sends}>
      <PageHead
        title={monthName(data.month)}
        note="本月工资条"
        action={
          // The starter's first step is the one thing to do then.
          sends &&
          !isNew && (
            <Link to="/wageSend1" className={styles.primary}>
              <Icon name="send" />
              发工资条
            </Link>
          )
        }
      />
      {isNew && sends ? (
        <Starter members={data.members} />
      ) : (
        <>
          <Numbers items={figuresOf(data)} />
          <Cards data={data} sends={sends} />
        </>
      )}
    </DropSheet>
  )
}

/** Beside one another; in one column, what waits for somebody comes before what there is to see. */
function Cards({ data, sends }: { data: Month; sends: boolean }) {
  const isOneColumn = useNarrow(oneColumn)
  const batches = <Batches data={data} />
  const trend = (
    <section className="ui-card" aria-labelledby="home-trend">
      <h2 id="home-trend">近六个月</h2>
      <Trend months={data.trend} />
    </section>
  )
  const todos = (
    <section className="ui-card" aria-labelledby="home-todos">
      <h2 id="home-todos">待办</h2>
      <Todos />
    </section>
  )
  if (isOneColumn)
    return (
      <div className="ui-stack">
        {todos}
        {batches}
        {trend}
        <Shortcuts sends={sends} />
      </div>
    )
  return (
    <div className={styles.columns}>
      <div className="ui-stack">
        {batches}
        {trend}
      </div>
      <div className="ui-stack">
        {todos}
        <Shortcuts sends={sends} />
      </div>
    </div>
  )
}

const Batches = ({ data: { batches, counts } }: { data: Month }) => (
  <section className={`ui-card ${styles.batches}`} aria-labelledby="home-batches">
    <h2 id="home-batches">本月批次</h2>
    {batches.length === 0 ? (
      <Empty text="本月还没有工资条。上传工资表，核对后就可以发送。" drawing="sheet" />
    ) : (
      <ul>
        {batches.map((batch) => (
          <BatchProgress key={batch.batch_id} batch={batch} />
        ))}
        {counts.batches > batches.length && <More shown={batches.length} all={counts.batches} />}
      </ul>
    )}
  </section>
)

/** Whoever does not send has the roster alone. */
const Shortcuts = ({ sends }: { sends: boolean }) => (
  <section className="ui-card" aria-labelledby="home-quick">
    <h2 id="home-quick">快捷操作</h2>
    <div className={styles.quick}>
      {quick
        .filter(({ path }) => sends || path === '/companyMember')
        .map(({ path, title, icon }) => (
          <Link key={path} to={path}>
            <Icon name={icon} size={22} />
            {title}
          </Link>
        ))}
    </div>
  </section>
)

const More = ({ shown, all }: { shown: number; all: number }) => (
  <li className="ui-hint">
    这里只列最近 {shown} 个批次，<Link to="/wageAdmin">查看全部 {all} 个</Link>
  </li>
)

const NotYet = ({ error, retry }: { error: unknown; retry: () => void }) => (
  <div className="ui-page">
    <PageHead title="首页" />
    <section className="ui-card">{error ? <ErrorState error={error} retry={retry} /> : <Skeleton rows={8} />}</section>
  </div>
)
