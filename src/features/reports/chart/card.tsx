import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import styles from './chart.module.css'

type ChartQuery = { data: unknown; error: unknown; refetch: () => unknown; isFetching: boolean }

/** A chart, and behind a switch the same data as a table. Paper shows both. */
export function ChartCard(props: {
  title: string
  note?: ReactNode
  requested: ChartQuery
  /** Why there is no data; undefined if there is. */
  empty?: string | undefined
  head: readonly string[]
  rows: readonly (readonly ReactNode[])[]
  /** Spans both columns. */
  isWide?: boolean
  children: ReactNode
}) {
  const { title, note, requested: query, empty, head: headings, rows, isWide, children } = props
  const [showsTable, setShowsTable] = useState(false)
  const hasData = Boolean(query.data) && !empty
  return (
    <section className={`ui-card ${styles.card} ${isWide ? styles.wide : ''}`} aria-busy={query.isFetching}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {hasData && (
          <Button
            size="small"
            className="no-print"
            aria-pressed={showsTable}
            aria-label={`${title}：表格`}
            onClick={() => setShowsTable(!showsTable)}
          >
            {showsTable ? '图' : '表'}
          </Button>
        )}
      </div>
      {note && <p className="ui-hint">{note}</p>}
      {!query.data ? (
        query.error ? (
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        ) : (
          <Skeleton rows={6} />
        )
      ) : empty ? (
        <EmptyState illustration="sheet" text={empty} />
      ) : (
        <>
          {!showsTable && children}
          <div className={styles.table} hidden={!showsTable} tabIndex={0} role="region" aria-label={`${title}：数据`}>
            <table>
              <thead>
                <tr>
                  {headings.map((heading) => (
                    <th key={heading} scope="col">
                      {heading}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(([first, ...rest], index) => (
                  <tr key={index}>
                    <th scope="row">{first}</th>
                    {rest.map((cell, column) => (
                      <td key={headings[column + 1] ?? column}>
                        {typeof cell === 'number' ? cell.toLocaleString('zh-CN') : cell}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  )
}
