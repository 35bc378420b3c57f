import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import type { getSlip } from '../../../server/contract/payslips/employee.ts'
import { can } from '../../../server/contract/shared/statuses.ts'
import { PayslipPlaceholder } from '../../app/preload/placeholders.tsx'
import { lazyComponent, lazyDialog, lazyExtra } from '../../components/lazy.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { formatDate, formatDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import styles from '../../features/payslips/employee/m.module.css'
import { PageTopBar } from '../../features/payslips/employee/page-top-bar.tsx'
import { PhoneOwnerStep } from '../../features/payslips/employee/phone-owner-step.tsx'
import {
  isClosedError,
  isClosesAfterViewError,
  isNotFoundError,
  isOtherCompanyError,
  isUnconfirmedOwnerError,
  isViewLockedError,
  payslipQuery,
  useLastError,
  useRefreshOnReturn,
} from '../../features/payslips/employee/queries.ts'
import { UnlockStep } from '../../features/payslips/employee/unlock-step.tsx'
import { PayslipView } from '../../features/payslips/view/slip-view.tsx'

export const Route = createFileRoute('/m/slip/$id')({ staticData: { title: '工资条' }, component: PayslipPage })

function PayslipPage() {
  const { id } = Route.useParams()
  const [openedId, setOpenedId] = useState('')
  const payslip = useQuery(payslipQuery(id, openedId === id))
  const error = useLastError(payslip)
  const [isNoticeClosed, setNoticeClosed] = useState(false)
  const { data, refetch } = payslip
  const refresh = useCallback(() => void refetch(), [refetch])
  useRefreshOnReturn()
  const isSettled = data !== undefined || error !== null
  // The amounts rendered before the app loaded are shown only once: on return the user may have hidden amounts.
  useEffect(() => {
    if (isSettled) window.sight = undefined
  }, [isSettled])
  // An error overrides the data shown before it.
  if (isNotFoundError(error) || isOtherCompanyError(error)) return <PayslipNotFound slip_id={id} was={data !== undefined} />
  if (isUnconfirmedOwnerError(error)) return <PhoneOwnerStep title="工资条" />
  if (isViewLockedError(error)) return <UnlockStep title="工资条" />
  if (isClosesAfterViewError(error))
    return <OpenOncePrompt minutes={Number(error?.data.minutes)} onOpen={() => setOpenedId(id)} />
  if (isClosedError(error)) return <ClosedPayslip slip_id={String(error?.data.slip_id)} error={error} />
  const isNoticeVisible = data?.notice_due === true && !isNoticeClosed
  if (data && !isNoticeVisible) return <PayslipContent data={data} again={refresh} />
  return (
    <>
      <PageTopBar title="工资条" to="/m/slips" />
      {error ? (
        <main className={styles.pad}>
          <ErrorState error={error} retry={refresh} />
        </main>
      ) : (
        <main>
          <PayslipPlaceholder preview={window.sight?.slip_id === id ? window.sight : undefined} />
        </main>
      )}
      {isNoticeVisible && (
        <PrivacyNoticeSheet
          onClose={() => {
            setNoticeClosed(true)
            // Time has passed since the response: a payslip may close soon.
            refresh()
          }}
        />
      )}
    </>
  )
}

// Few payslips close after viewing, so this code loads on demand.
const OpenOncePrompt = lazyComponent(
  async () => (await import('../../features/payslips/employee/open/closing-payslip.tsx')).OpenOncePrompt,
)
const ClosedPayslip = lazyComponent(
  async () => (await import('../../features/payslips/employee/open/closing-payslip.tsx')).ClosedPayslip,
)
const PayslipFooter = lazyExtra(async () => (await import('../../features/payslips/employee/open/footer.tsx')).PayslipFooter)
const loadNetPayChanges = async () => (await import('../../features/payslips/employee/open/net-pay-changes.tsx')).NetPayChanges
const NetPayChanges = lazyDialog(loadNetPayChanges)
const PayslipWatcher = lazyExtra(async () => (await import('../../features/payslips/employee/open/watcher.tsx')).PayslipWatcher)
const PayslipNotFound = lazyComponent(
  async () => (await import('../../features/payslips/employee/open/not-found.tsx')).PayslipNotFound,
)
// Needed once in the employee's time with the company. Whatever fails in it, the payslip is shown when it is closed.
const PrivacyNoticeSheet = lazyDialog(
  async () => (await import('../../features/payslips/employee/own/privacy-notice.tsx')).PrivacyNoticeSheet,
)
const loadConfirmSheet = async () => (await import('../../features/payslips/employee/confirm.tsx')).ConfirmPayslipSheet
const ConfirmSheet = lazyDialog(loadConfirmSheet)

/**
 * Loads the code when the page is idle, so that the first view stays light, and what a user often opens neither waits
 * nor needs a network.
 */
function usePreload(load: () => Promise<unknown>, isNeeded: boolean, delayMs: number): void {
  useEffect(() => {
    if (!isNeeded) return
    const timer = setTimeout(() => void load().catch(() => undefined), delayMs)
    return () => clearTimeout(timer)
  }, [load, isNeeded, delayMs])
}

function PayslipContent({ data, again: refresh }: { data: CallOutput<typeof getSlip>; again: () => void }) {
  const { slip_id, slip, version, hash, status, rules } = data
  const [hiddenOverride, setHiddenOverride] = useState<boolean | null>(null)
  const [confirmingVersion, setConfirmingVersion] = useState<number | null>(null)
  const [isExplanationOpen, setExplanationOpen] = useState(false)
  const hidden = hiddenOverride ?? data.pay_hide
  const canConfirm = rules.confirm && can.confirm(status) === true
  const canGiveFeedback = rules.feedback || data.feedback_id !== null
  usePreload(loadConfirmSheet, canConfirm, 300)
  usePreload(loadNetPayChanges, data.previous !== null, 2_000)
  return (
    <>
      <PageTopBar
        title="工资条"
        to="/m/slips"
        action={
          <button type="button" className={`${styles.link} ${styles.wide}`} onClick={() => print()}>
            打印
          </button>
        }
      />
      <main className={styles.slip}>
        <PayslipWatcher key={slip_id} visible={data} again={refresh} hidden={hidden} />
        <PayslipView
          slip={slip}
          hidden={hidden}
          onHide={setHiddenOverride}
          last={data.previous}
          onWhy={() => setExplanationOpen(true)}
          corrected={data.corrected}
          watermark={data.watermark}
          issued={data.sent_at && formatDate(data.sent_at)}
          state={
            data.confirmed_at && (
              <p>
                <StatusDot salary="confirmed" /> · {data.confirmed_auto && '到期自动 · '}
                {formatDateTime(data.confirmed_at)}
              </p>
            )
          }
        />
        <PayslipFooter visible={{ ...data, pay_hide: hidden }} again={refresh} />
      </main>
      {isExplanationOpen && <NetPayChanges slip_id={slip_id} onClose={() => setExplanationOpen(false)} />}
      {(canConfirm || canGiveFeedback) && (
        <footer className={`${styles.bar} no-print`}>
          {canGiveFeedback && (
            <Link to="/m/feedback/$id" params={{ id: slip_id }} className={`ui-button ${styles.button}`}>
              {data.answer_unread ? '查看回复' : data.feedback_id ? '查看反馈' : '有疑问'}
            </Link>
          )}
          {canConfirm && (
            <button
              type="button"
              className={`ui-button ${styles.button} ${styles.primary}`}
              onClick={() => setConfirmingVersion(version)}
            >
              确认
            </button>
          )}
        </footer>
      )}
      {confirmingVersion === version && canConfirm && (
        <ConfirmSheet
          slip={{ slip_id, version, hash, title: slip.title, net: slip.net, hidden }}
          onClose={() => setConfirmingVersion(null)}
        />
      )}
    </>
  )
}
