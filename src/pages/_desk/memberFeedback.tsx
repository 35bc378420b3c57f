import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, Navigate, useNavigate } from '@tanstack/react-router'
import { Segmented } from 'antd'
import { getFeedBackList } from '../../../server/contract/slip/feedback.ts'
import { holders } from '../../../server/contract/who.ts'
import { query } from '../../api.ts'
import styles from '../../parts/slip/question/inbox.module.css'
import { FeedbackList } from '../../parts/slip/question/list.tsx'
import { FeedbackThread, NothingChosen } from '../../parts/slip/question/thread.tsx'
import { idOf } from '../../parts/slip/words.ts'
import { begin, first } from '../../routed/first.ts'
import { narrow } from '../../theme.ts'
import { Dropdown, unchosen } from '../../ui/form/select.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/media.ts'
import { PageHead } from '../../ui/page/page-head.tsx'
import { SearchBox } from '../../ui/page/search-box.tsx'
import { oneOf, pageOf, textOf } from '../../ui/search.ts'
import { Empty } from '../../ui/state/empty.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'

const shown = ['open', 'answered', 'resolved', 'all'] as const
const narrowed = ['mine', 'late'] as const
type Search = {
  page?: number | undefined
  status?: (typeof shown)[number] | undefined
  only?: (typeof narrowed)[number] | undefined
  name?: string | undefined
  id?: string | undefined
}
const searchOf = (raw: Record<string, unknown>): Search => ({
  page: pageOf(raw).page,
  status: oneOf(raw.status, shown),
  only: oneOf(raw.only, narrowed),
  name: textOf(raw.name)?.slice(0, 50),
  id: idOf(raw.id),
})
const listQuery = ({ page = 1, status = 'open', only, name }: Search) => ({
  ...query(getFeedBackList, {
    page,
    pagesize: 20,
    ...(status === 'all' ? {} : { status }),
    ...(only ? { [only]: true } : {}),
    ...(name ? { name } : {}),
  }),
  gcTime: 0,
})

export const Route = createFileRoute('/_desk/memberFeedback')({
  validateSearch: searchOf,
  staticData: { title: '员工反馈', section: 'member', who: holders('2') },
  loader: ({ route, location }) => first(route, () => begin(listQuery(searchOf(location.search)))),
  component: MemberFeedback,
})

/** The inbox: what waits for an answer first. */
function MemberFeedback() {
  const search = Route.useSearch()
  const { page = 1, id } = search
  const navigate = useNavigate()
  // One question fills a phone: the way back leads to the list and its filters.
  const isAlone = useNarrow(narrow) && id !== undefined
  const asked = useQuery({
    ...listQuery(search),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
  const filter = (change: Partial<typeof search>) =>
    void navigate({ to: '/memberFeedback', search: { ...search, page: undefined, ...change } })
  const none = asked.data?.list.length === 0 && !asked.isPlaceholderData
  const empty = none && page === 1
  // The last one of a page was answered: there is no such page any more.
  if (none && page > 1)
    return <Navigate to="/memberFeedback" search={{ ...search, page: page > 2 ? page - 1 : undefined }} replace />
  return (
    <div className="ui-page">
      <PageHead title="员工反馈">{!isAlone && <Filters search={search} filter={filter} />}</PageHead>
      {id && (
        <Link to="/memberFeedback" search={{ ...search, id: undefined }} className={`ui-button ${styles.back}`}>
          <Icon name="back" size={16} /> 返回列表
        </Link>
      )}
      {!asked.data ? (
        <section className="ui-card">
          {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
        </section>
      ) : empty && !id ? (
        <section className="ui-card">
          <NothingHere search={search} />
        </section>
      ) : (
        <div className={styles.root} data-open={id ? '' : undefined}>
          <FeedbackList
            answer={asked.data}
            chosen={id}
            busy={asked.isFetching}
            onPage={(next) => filter({ page: next, id: undefined })}
          />
          {id ? (
            <FeedbackThread key={id} id={id} said_at={asked.data.list.find((one) => one.id === id)?.updated_at} />
          ) : (
            <NothingChosen />
          )}
        </div>
      )}
    </div>
  )
}

function Filters({ search, filter }: { search: Search; filter: (change: Partial<Search>) => void }) {
  const { status = 'open', only, name } = search
  return (
    <>
      <Segmented<(typeof shown)[number]>
        aria-label="状态"
        value={status}
        options={[
          { value: 'open', label: '待处理' },
          { value: 'answered', label: '已回复' },
          { value: 'resolved', label: '已解决' },
          { value: 'all', label: '全部' },
        ]}
        onChange={(next) => filter({ status: next === 'open' ? undefined : next, id: undefined })}
      />
      <Dropdown
        label="范围"
        all="全部疑问"
        width={120}
        value={only}
        options={[
          { value: 'mine', label: '我处理的' },
          { value: 'late', label: '已超时' },
        ]}
        onChange={(next) => filter({ only: next === unchosen ? undefined : next, id: undefined })}
      />
      <SearchBox value={name} placeholder="搜索姓名" onSearch={(text) => filter({ name: text, id: undefined })} />
    </>
  )
}

/** Why there is nothing: by what was looked for. */
function NothingHere({ search: { name, only, status = 'open' } }: { search: Search }) {
  const text = name
    ? '没有找到这个人的疑问。'
    : only
      ? { late: '没有超时的疑问。', mine: '没有要您处理的疑问。' }[only]
      : status === 'open'
        ? '没有待处理的疑问。员工在工资条上点「有疑问」后，会出现在这里。'
        : '这里还没有疑问。'
  return <Empty drawing={name || only ? 'search' : 'letter'} text={text} />
}
