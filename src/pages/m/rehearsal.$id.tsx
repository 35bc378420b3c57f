import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { getTestSend } from '../../../server/contract/payslips/test-send.ts'
import { callQuery } from '../../api.ts'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatShortDateTime } from '../../components/value/dates.ts'
import { useChatFrame } from '../../features/auth/entry/use-frame.ts'
import styles from '../../features/payslips/employee/m.module.css'
import { PageTopBar } from '../../features/payslips/employee/page-top-bar.tsx'
import { isNotFoundError, noCacheOptions, useLastError, useRefreshOnReturn } from '../../features/payslips/employee/queries.ts'
import { PayslipView } from '../../features/payslips/view/slip-view.tsx'

export const Route = createFileRoute('/m/rehearsal/$id')({ staticData: { title: '试发' }, component: TestSendPage })

/** A test payslip for the user who opens it: the same layout, marked above, across and below as not a real payslip. */
function TestSendPage() {
  useChatFrame()
  const { id } = Route.useParams()
  const testSend = useQuery({ ...callQuery(getTestSend, { test_send_id: id }), ...noCacheOptions, meta: { quiet: true } })
  const error = useLastError(testSend)
  useRefreshOnReturn()
  const data = error ? undefined : testSend.data
  return (
    <>
      <PageTopBar title="试发" to="/m" />
      {data ? (
        <main className={styles.payslip}>
          <p className={styles.note} role="status">
            <strong>试发，不是正式工资条。</strong>
            {data.by} 于 {formatShortDateTime(data.at)} 试发给您，只有您能打开，{formatShortDateTime(data.expires_at)} 失效。
            {data.sample && '数字都是示例。'}
          </p>
          <PayslipView slip={data.payslip} watermark={data.sample ? '试发 · 示例' : '试发'} />
          <p className={`ui-hint ${styles.pad}`}>正式工资条在这里可以确认、提问；试发的不能。</p>
        </main>
      ) : isNotFoundError(error) ? (
        <main className={styles.middle}>
          <EmptyState
            illustration="broken"
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
          {error ? <ErrorState error={error} retry={() => void testSend.refetch()} /> : <Skeleton rows={8} />}
        </main>
      )}
    </>
  )
}
