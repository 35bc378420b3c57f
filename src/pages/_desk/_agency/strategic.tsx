import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { getNewsDetail, getNewsList } from '../../../../server/contract/agency/agency.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { callQuery } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../../components/search-params.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import styles from '../../../features/approvals/approval.module.css'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const kindLabels = { all: '全部', strategic: '政策与产品', agency: '代理服务' } as const
type NewsKind = 'strategic' | 'agency'
type NewsSearch = PageParams & { kind?: NewsKind | undefined; id?: string | undefined }

const parseSearch = (raw: Record<string, unknown>): NewsSearch => ({
  ...parsePageParams(raw),
  kind: parseEnum(raw.kind, ['strategic', 'agency']),
  id: parseText(raw.id),
})

export const Route = createFileRoute('/_desk/_agency/strategic')({
  staticData: { title: '资讯', who: 'admin' },
  validateSearch: parseSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { id, kind, page, pagesize } = parseSearch(location.search)
      return id
        ? prefetchQuery(callQuery(getNewsDetail, { id }))
        : prefetchQuery(callQuery(getNewsList, { kind, page, pagesize }))
    }),
  component: Strategic,
})

type NewsListItem = CallOutput<typeof getNewsList>['list'][number]

/** News about the product and the industry; each article has its own address. */
function Strategic() {
  const { id, ...search } = Route.useSearch()
  return <div className="ui-page">{id ? <NewsDetail id={id} back={search} /> : <NewsList {...search} />}</div>
}

function NewsList({ kind, page, pagesize }: NewsSearch) {
  const events = useQuery(callQuery(getNewsList, { kind, page, pagesize }))
  const navigate = useNavigate()
  const currentSearch = { kind, page, pagesize }
  const columns: Columns<NewsListItem> = [
    {
      title: '内容',
      dataIndex: 'title',
      render: (title: string, { id, summary }) => (
        <div className={styles.news}>
          <Link to="/strategic" search={{ ...currentSearch, id }}>
            {title}
          </Link>
          <p>{summary}</p>
        </div>
      ),
    },
    {
      title: '类型',
      dataIndex: 'kind',
      width: 110,
      className: 'ui-nowrap',
      card: 'line',
      render: (of: NewsKind) => kindLabels[of],
    },
    { title: '日期', dataIndex: 'at', width: 120, className: 'ui-nowrap', card: 'line' },
  ]
  return (
    <>
      <PageHeader title="资讯" note={events.data && `${events.data.page.total} 篇`}>
        <Tabs
          label="资讯类型"
          at={kind ?? 'all'}
          labels={kindLabels}
          onGo={(next) => void navigate({ to: '/strategic', search: next === 'all' ? {} : { kind: next } })}
        />
      </PageHeader>
      <section className="ui-card" aria-label="资讯">
        <DataTable
          requested={events}
          columns={columns}
          rowKey="id"
          unit="篇"
          label="资讯"
          empty={{ illustration: 'letter', text: '还没有资讯，有新的内容会出现在这里。' }}
        />
      </section>
    </>
  )
}

function NewsDetail({ id, back }: { id: string; back: NewsSearch }) {
  const events = useQuery(callQuery(getNewsDetail, { id }))
  const listLink = (
    <Link to="/strategic" search={back} className={styles.newsBack}>
      <Icon name="back" size={16} />
      全部资讯
    </Link>
  )
  if (!events.data)
    return (
      <>
        {listLink}
        <section className="ui-card">
          {events.error ? <ErrorState error={events.error} retry={() => void events.refetch()} /> : <Skeleton />}
        </section>
      </>
    )
  const { title, kind, at, paragraphs } = events.data
  return (
    <>
      {listLink}
      <article className="ui-card">
        <div className={styles.newsText}>
          <h1>{title}</h1>
          <small>
            {kindLabels[kind]} · {at}
          </small>
          {paragraphs.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      </article>
    </>
  )
}
