import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, Navigate, useNavigate } from '@tanstack/react-router'
import { requirePower } from '../../../server/contract/access.ts'
import { getFeedBackList } from '../../../server/contract/payslips/feedback.ts'
import { callQuery } from '../../api.ts'
import { Dropdown, noSelection } from '../../components/form/select.tsx'
import { Icon } from '../../components/icon.tsx'
import { useIsNarrow } from '../../components/media.ts'
import { PageHeader } from '../../components/page/page-header.tsx'
import { SearchBox } from '../../components/page/search-box.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { parseEnum, parsePageParams, parseText } from '../../components/search-params.ts'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { parseId } from '../../features/payslips/labels.ts'
import styles from '../../features/payslips/question/inbox.module.css'
import { FeedbackList } from '../../features/payslips/question/list.tsx'
import { FeedbackThreadView, NoThreadSelected } from '../../features/payslips/question/thread.tsx'
import { prefetchPage, prefetchQuery } from '../../routed/prefetch.ts'
import { narrowWidth } from '../../theme.ts'

const statusFilters = ['open', 'answered', 'resolved', 'all'] as const
const statusFilterLabels = { open: '待处理', answered: '已回复', resolved: '已解决', all: '全部' } as const
const onlyFilters = ['mine', 'late'] as const
type FeedbackSearch = {
  page?: number | undefined
  status?: (typeof statusFilters)[number] | undefined
  only?: (typeof onlyFilters)[number] | undefined
  name?: string | undefined
  id?: string | undefined
}
const parseSearch = (raw: Record<string, unknown>): FeedbackSearch => ({
  page: parsePageParams(raw).page,
  status: parseEnum(raw.status, statusFilters),
  only: parseEnum(raw.only, onlyFilters),
  name: parseText(raw.name)?.slice(0, 50),
  id: parseId(raw.id),
})
const feedbackListQuery = ({ page = 1, status = 'open', only, name }: FeedbackSearch) => ({
  ...callQuery(getFeedBackList, {
    page,
    pagesize: 20,
    ...(status === 'all' ? {} : { status }),
    ...(only ? { [only]: true } : {}),
    ...(name ? { name } : {}),
  }),
  gcTime: 0,
})

export const Route = createFileRoute('/_desk/memberFeedback')({
  validateSearch: parseSearch,
  staticData: { title: '员工反馈', section: 'member', who: requirePower('2') },
  loader: ({ route, location }) => prefetchPage(route, () => prefetchQuery(feedbackListQuery(parseSearch(location.search)))),
  component: MemberFeedback,
})

/** The feedback inbox: unanswered threads come first. */
function MemberFeedback() {
  const search = Route.useSearch()
  const { page = 1, id } = search
  const navigate = useNavigate()
  // On a phone one thread fills the screen: the back button leads to the list with its filters.
  const isAlone = useIsNarrow(narrowWidth) && id !== undefined
  const feedback = useQuery({
    ...feedbackListQuery(search),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
  const filter = (change: Partial<typeof search>) =>
    void navigate({ to: '/memberFeedback', search: { ...search, page: undefined, ...change } })
  const isEmptyPage = feedback.data?.list.length === 0 && !feedback.isPlaceholderData
  const isEmpty = isEmptyPage && page === 1
  // After the last thread of a page is answered, that page no longer exists.
  if (isEmptyPage && page > 1)
    return <Navigate to="/memberFeedback" search={{ ...search, page: page > 2 ? page - 1 : undefined }} replace />
  return (
    <div className="ui-page">
      <PageHeader title="员工反馈">{!isAlone && <FeedbackFilters search={search} filter={filter} />}</PageHeader>
      {id && (
        <Link to="/memberFeedback" search={{ ...search, id: undefined }} className={`ui-button ${styles.back}`}>
          <Icon name="back" size={16} /> 返回列表
        </Link>
      )}
      {!feedback.data ? (
        <section className="ui-card">
          {feedback.error ? <ErrorState error={feedback.error} retry={() => void feedback.refetch()} /> : <Skeleton rows={8} />}
        </section>
      ) : isEmpty && !id ? (
        <section className="ui-card">
          <NoFeedback search={search} />
        </section>
      ) : (
        <div className={styles.root} data-open={id ? '' : undefined}>
          <FeedbackList
            answer={feedback.data}
            selected={id}
            busy={feedback.isFetching}
            onPage={(next) => filter({ page: next, id: undefined })}
          />
          {id ? (
            <FeedbackThreadView key={id} id={id} message_at={feedback.data.list.find((thread) => thread.id === id)?.updated_at} />
          ) : (
            <NoThreadSelected />
          )}
        </div>
      )}
    </div>
  )
}

function FeedbackFilters({ search, filter }: { search: FeedbackSearch; filter: (change: Partial<FeedbackSearch>) => void }) {
  const { status = 'open', only, name } = search
  return (
    <>
      <Tabs
        label="状态"
        at={status}
        labels={statusFilterLabels}
        onGo={(next) => filter({ status: next === 'open' ? undefined : next, id: undefined })}
      />
      <Dropdown
        label="范围"
        allLabel="全部反馈"
        width={120}
        value={only}
        options={[
          { value: 'mine', label: '我处理的' },
          { value: 'late', label: '已超时' },
        ]}
        onChange={(next) => filter({ only: next === noSelection ? undefined : next, id: undefined })}
      />
      <SearchBox value={name} placeholder="搜索姓名" onSearch={(text) => filter({ name: text, id: undefined })} />
    </>
  )
}

/** States why the list is empty, depending on the filter. */
function NoFeedback({ search: { name, only, status = 'open' } }: { search: FeedbackSearch }) {
  const text = name
    ? '没有找到此人的反馈。'
    : only
      ? { late: '没有超时的反馈。', mine: '没有待您处理的反馈。' }[only]
      : status === 'open'
        ? '没有待处理的反馈。员工在工资条上点「有疑问」后，会出现在这里。'
        : '还没有反馈。'
  return <EmptyState illustration={name || only ? 'search' : 'letter'} text={text} />
}
