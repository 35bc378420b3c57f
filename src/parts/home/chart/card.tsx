import type { ReactNode } from 'react'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import styles from './chart.module.css'

type Asked = { data: unknown; error: unknown; refetch: () => unknown; isFetching: boolean }

/** A chart with what it says as a table under it. */
export function ChartCard(props: {
  title: string
  note?: ReactNode
  asked: Asked
  /** Why there is nothing to draw; undefined where there is. */
  empty?: string | undefined
  head: readonly string[]
  rows: readonly (readonly ReactNode[])[]
  children: ReactNode
}) {
  const { title, note, asked, empty, head, rows, children } = props
  return (
    <section className={`ui-card ${styles.card}`} aria-busy={asked.isFetching}>
      <h2>{title}</h2>
      {note && <p className="ui-hint">{note}</p>}
      {!asked.data ? (
        asked.error ? (
          <ErrorState error={asked.error} retry={() => void asked.refetch()} />
        ) : (
          <Skeleton rows={6} />
        )
      ) : empty ? (
        <Empty drawing="sheet" text={empty} />
      ) : (
        <>
          {children}
          <div className={styles.table} tabIndex={0} role="region" aria-label={`${title}：数据`}>
            <table>
              <thead>
                <tr>
                  {head.map((word) => (
                    <th key={word} scope="col">
                      {word}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(([first, ...rest], at) => (
                  <tr key={at}>
                    <th scope="row">{first}</th>
                    {rest.map((cell, column) => (
                      <td key={head[column + 1] ?? column}>{typeof cell === 'number' ? cell.toLocaleString('zh-CN') : cell}</td>
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
