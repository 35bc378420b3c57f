import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { getRehearsal } from '../../../server/contract/wage/send/rehearsal.ts'
import { query } from '../../api.ts'
import styles from '../../parts/employee/m.module.css'
import { isGone, neverKept, useRecheck, useRefusal } from '../../parts/employee/queries.ts'
import { Top } from '../../parts/employee/top.tsx'
import { useFrame } from '../../parts/entry/use-frame.ts'
import { SlipView } from '../../parts/slip/view/slip-view.tsx'
import { Empty } from '../../ui/state/empty.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { shortTime } from '../../ui/value/dates.ts'

export const Route = createFileRoute('/m/rehearsal/$id')({ staticData: { title: '试发' }, component: RehearsalPage })

/** A slip that was tried out on whoever opens it: the same picture, and that it is no slip said above, across and below it. */
function RehearsalPage() {
  useFrame()
  const { id } = Route.useParams()
  const asked = useQuery({ ...query(getRehearsal, { rehearsal_id: id }), ...neverKept, meta: { quiet: true } })
  const refusal = useRefusal(asked)
  useRecheck()
  const data = refusal ? undefined : asked.data
  return (
    <>
      <Top title="试发" to="/m" />
      {data ? (
        <main className={styles.slip}>
          <p className={styles.note} role="status">
            <strong>试发，不是正式工资条。</strong>
            {data.by} 于 {shortTime(data.at)} 试发给您，只有您能打开，{shortTime(data.expires_at)} 失效。
            {data.sample && '数字都是示例。'}
          </p>
          <SlipView slip={data.slip} watermark={data.sample ? '试发 · 示例' : '试发'} />
          <p className={`ui-hint ${styles.pad}`}>正式工资条在这里可以确认、提问；试发的不能。</p>
        </main>
      ) : isGone(refusal) ? (
        <main className={styles.middle}>
          <Empty
            drawing="broken"
            text="没有找到这次试发：只有收到的人能打开，并且一天后失效。"
            action={
              <Link to="/m" className={`ui-button ${styles.button}`}>
                回到首页
              </Link>
            }
          />
        </main>
      ) : (
        <main className={styles.pad}>
          {refusal ? <ErrorState error={refusal} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
        </main>
      )}
    </>
  )
}
