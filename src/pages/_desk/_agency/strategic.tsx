import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getNewsDetail, getNewsList } from '../../../../server/contract/corp/agency.ts'
import { query } from '../../../api.ts'
import styles from '../../../parts/approval/approval.module.css'
import { begin, first } from '../../../routed/first.ts'
import { Icon } from '../../../ui/icon.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { Tabs } from '../../../ui/page/tabs.tsx'
import { oneOf, type PageSearch, pageOf, textOf } from '../../../ui/search.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'

const kinds = { all: '全部', strategic: '战略资讯', agency: '代理资讯' } as const
type Kind = 'strategic' | 'agency'
type Search = PageSearch & { kind?: Kind | undefined; id?: string | undefined }

const searchOf = (raw: Record<string, unknown>): Search => ({
  ...pageOf(raw),
  kind: oneOf(raw.kind, ['strategic', 'agency']),
  id: textOf(raw.id),
})

export const Route = createFileRoute('/_desk/_agency/strategic')({
  staticData: { title: '资讯', who: 'admin' },
  validateSearch: searchOf,
  loader: ({ route, location }) =>
    first(route, () => {
      const { id, kind, page, pagesize } = searchOf(location.search)
      return id ? begin(query(getNewsDetail, { id })) : begin(query(getNewsList, { kind, page, pagesize }))
    }),
  component: Strategic,
})

type News = OutputOf<typeof getNewsList>['list'][number]

/** News about the product and the trade; a piece of it has an address of its own. */
function Strategic() {
  const { id, ...search } = Route.useSearch()
  return <div className="ui-page">{id ? <Detail id={id} back={search} /> : <List {...search} />}</div>
}

function List({ kind, page, pagesize }: Search) {
  const news = useQuery(query(getNewsList, { kind, page, pagesize }))
  const navigate = useNavigate()
  const here = { kind, page, pagesize }
  const columns: Columns<News> = [
    {
      title: '内容',
      dataIndex: 'title',
      render: (title: string, { id, summary }) => (
        <div className={styles.news}>
          <Link to="/strategic" search={{ ...here, id }}>
            {title}
          </Link>
          <p>{summary}</p>
        </div>
      ),
    },
    { title: '类型', dataIndex: 'kind', width: 110, className: 'ui-nowrap', card: 'line', render: (of: Kind) => kinds[of] },
    { title: '日期', dataIndex: 'at', width: 120, className: 'ui-nowrap', card: 'line' },
  ]
  return (
    <>
      <PageHead title="资讯" note={news.data && `${news.data.page.total} 篇`}>
        <Tabs
          label="资讯类型"
          at={kind ?? 'all'}
          words={kinds}
          onGo={(next) => void navigate({ to: '/strategic', search: next === 'all' ? {} : { kind: next } })}
        />
      </PageHead>
      <section className="ui-card" aria-label="资讯">
        <DataTable
          asked={news}
          columns={columns}
          rowKey="id"
          unit="篇"
          label="资讯"
          empty={{ drawing: 'letter', text: '还没有资讯，有新的内容会出现在这里。' }}
        />
      </section>
    </>
  )
}

function Detail({ id, back }: { id: string; back: Search }) {
  const news = useQuery(query(getNewsDetail, { id }))
  const toList = (
    <Link to="/strategic" search={back} className={styles.newsBack}>
      <Icon name="back" size={16} />
      全部资讯
    </Link>
  )
  if (!news.data)
    return (
      <>
        {toList}
        <section className="ui-card">
          {news.error ? <ErrorState error={news.error} retry={() => void news.refetch()} /> : <Skeleton />}
        </section>
      </>
    )
  const { title, kind, at, paragraphs } = news.data
  return (
    <>
      {toList}
      <article className="ui-card">
        <div className={styles.newsText}>
          <h1>{title}</h1>
          <small>
            {kinds[kind]} · {at}
          </small>
          {paragraphs.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      </article>
    </>
  )
}
