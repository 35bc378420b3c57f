import { useEffect, useState } from 'react'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import type { getSlip } from '../../../../../server/contract/payslips/employee.ts'
import { findProviderByUserAgent } from '../../../../../server/contract/shared/providers.ts'
import { Icon } from '../../../../components/icon.tsx'
import { lazyDialog } from '../../../../components/lazy.tsx'
import { formatDate } from '../../../../components/value/dates.ts'
import employeeStyles from '../m.module.css'
import { MenuItem } from '../own/menu-item.tsx'
import { ChatExitLinks } from './chat-exit.tsx'
import { formatRemainingTime } from './compare-payslips.ts'
import styles from './open.module.css'
import { ConfirmationReceipt } from './receipt.tsx'

type FooterPayslip = Pick<
  CallOutput<typeof getSlip>,
  | 'slip'
  | 'slip_id'
  | 'pay_hide'
  | 'confirmed_at'
  | 'confirmed_auto'
  | 'receipt'
  | 'auto_confirms_at'
  | 'closes_in_seconds'
  | 'version'
  | 'rules'
>

/** The footer of a payslip, with its receipt, the time of its automatic confirmation, and the time when it closes. */
export function PayslipFooter({ visible: payslip, again: onRefresh }: { visible: FooterPayslip; again: () => void }) {
  const { confirmed_at, auto_confirms_at, closes_in_seconds } = payslip
  return (
    <>
      {confirmed_at && (
        <ConfirmationReceipt
          slip_id={payslip.slip_id}
          receipt={payslip.receipt}
          confirmedAt={confirmed_at}
          isAutomatic={payslip.confirmed_auto}
        />
      )}
      {auto_confirms_at && (
        <p className={`${employeeStyles.note} no-print`}>
          {formatDate(auto_confirms_at)} 前未确认也未反馈，系统会按公司设置自动确认。
        </p>
      )}
      <MoreActions visible={payslip} />
      {closes_in_seconds !== null && <Countdown key={payslip.version} seconds={closes_in_seconds} onOver={onRefresh} />}
      <ChatExitLinks done={confirmed_at !== null || !payslip.rules.confirm} />
    </>
  )
}

/** Chat clients' windows cannot print, whatever their API claims. */
const canPrint = () =>
  typeof print === 'function' && !findProviderByUserAgent(navigator.userAgent) && !/MicroMessenger/i.test(navigator.userAgent)

const EmployeeTaxSheet = lazyDialog(async () => (await import('../own/tax-sheet.tsx')).EmployeeTaxSheet)
const taxLabelPattern = /个税|个人所得税/

/** Further actions of a payslip: how its tax was calculated, if it has tax, and printing (a wide page has that in its bar). */
function MoreActions({ visible: { slip, slip_id, pay_hide } }: { visible: FooterPayslip }) {
  const [open, setOpen] = useState(false)
  const taxes = slip.groups.flatMap(({ cells }) => cells.filter(({ label }) => taxLabelPattern.test(label)))
  const slip_tax_fen = taxes.reduce((sum, { fen }) => sum + Math.abs(fen ?? 0), 0)
  const isPrintable = canPrint()
  if (taxes.length === 0 && !isPrintable) return null
  return (
    <>
      <ul className={`${employeeStyles.meList} ${styles.more} ${taxes.length === 0 ? styles.narrow : ''} no-print`}>
        {taxes.length > 0 && (
          <li>
            <MenuItem icon="help" text="个税怎么算的" onClick={() => setOpen(true)} />
          </li>
        )}
        {isPrintable && (
          <li className={styles.narrow}>
            <MenuItem icon="print" text="打印或存为 PDF" onClick={() => print()} />
          </li>
        )}
      </ul>
      {open && (
        <EmployeeTaxSheet slip_id={slip_id} slip_tax_fen={slip_tax_fen} hidden={pay_hide} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

/** Counts down with this page's own clock from the response on: the phone's clock may be wrong. */
function Countdown({ seconds, onOver: onEnd }: { seconds: number; onOver: () => void }) {
  const [endsAt] = useState(() => performance.now() + seconds * 1000)
  const [remaining, setRemaining] = useState(seconds)
  // A timer is a side effect outside React. A tab that is reopened later shows the correct remaining time.
  useEffect(() => {
    const tick = () => {
      const seconds_left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1000))
      setRemaining(seconds_left)
      if (seconds_left > 0) return
      clearInterval(timer)
      onEnd()
    }
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [endsAt, onEnd])
  return (
    <p className={`${employeeStyles.note} ${styles.clock} no-print`} role="timer">
      <Icon name="clock" size={16} /> 还剩 {formatRemainingTime(remaining)}，之后按公司设置关闭。
    </p>
  )
}
