import { useEffect, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import type { getSlip } from '../../../../server/contract/own/employee.ts'
import { Icon } from '../../../ui/icon.tsx'
import { day } from '../../../ui/value/dates.ts'
import { later } from '../later.tsx'
import employeeStyles from '../m.module.css'
import { Entry } from '../own/entry.tsx'
import { leftText } from './changed.ts'
import { Leave } from './leave.tsx'
import styles from './open.module.css'
import { Receipt } from './receipt.tsx'

type Shown = Pick<
  OutputOf<typeof getSlip>,
  | 'slip'
  | 'slip_id'
  | 'pay_hide'
  | 'confirmed_at'
  | 'confirmed_auto'
  | 'receipt'
  | 'confirms_at'
  | 'closes_in_s'
  | 'version'
  | 'rules'
>

/** What stands below a slip: its receipt, when it confirms itself, when it closes. */
export function Foot({ shown, again }: { shown: Shown; again: () => void }) {
  const { confirmed_at, confirms_at, closes_in_s } = shown
  return (
    <>
      {confirmed_at && <Receipt slip_id={shown.slip_id} receipt={shown.receipt} at={confirmed_at} auto={shown.confirmed_auto} />}
      {confirms_at && (
        <p className={`${employeeStyles.note} no-print`}>
          {day(confirms_at)} 前没有确认、也没有提出疑问的，系统会按公司设置自动确认。
        </p>
      )}
      <More shown={shown} />
      {closes_in_s !== null && <Countdown key={shown.version} seconds={closes_in_s} onOver={again} />}
      <Leave done={confirmed_at !== null || !shown.rules.confirm} />
    </>
  )
}

/** Windows of chat programs print nothing, whatever they are asked. */
const canPrint = () =>
  typeof print === 'function' && !/MicroMessenger|wxwork\/|\b(?:Lark|Feishu)\/|DingTalk/i.test(navigator.userAgent)

const OwnTaxSheet = later(async () => (await import('../own/own-tax.tsx')).OwnTaxSheet)
const isTax = /个税|个人所得税/

/** What else one may want of a slip: how its tax came about, where it has one, and it on paper (a wide page has that in its bar). */
function More({ shown: { slip, slip_id, pay_hide } }: { shown: Shown }) {
  const [open, setOpen] = useState(false)
  const taxes = slip.groups.flatMap(({ cells }) => cells.filter(({ label }) => isTax.test(label)))
  const slip_tax_fen = taxes.reduce((sum, { fen }) => sum + Math.abs(fen ?? 0), 0)
  const prints = canPrint()
  if (taxes.length === 0 && !prints) return null
  return (
    <>
      <ul className={`${employeeStyles.meList} ${styles.more} ${taxes.length === 0 ? styles.narrow : ''} no-print`}>
        {taxes.length > 0 && (
          <li>
            <Entry icon="help" text="个税怎么算的" onClick={() => setOpen(true)} />
          </li>
        )}
        {prints && (
          <li className={styles.narrow}>
            <Entry icon="print" text="打印或存为 PDF" onClick={() => print()} />
          </li>
        )}
      </ul>
      {open && <OwnTaxSheet slip_id={slip_id} slip_tax_fen={slip_tax_fen} hidden={pay_hide} onClose={() => setOpen(false)} />}
    </>
  )
}

/** By this page's own clock from the moment of the answer: the phone's may be wrong. */
function Countdown({ seconds, onOver }: { seconds: number; onOver: () => void }) {
  const [ends] = useState(() => performance.now() + seconds * 1000)
  const [left, setLeft] = useState(seconds)
  // A clock is none of React's. Who opens the tab again after a while finds the right time.
  useEffect(() => {
    const tick = () => {
      const seconds_left = Math.max(0, Math.ceil((ends - performance.now()) / 1000))
      setLeft(seconds_left)
      if (seconds_left > 0) return
      clearInterval(timer)
      onOver()
    }
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [ends, onOver])
  return (
    <p className={`${employeeStyles.note} ${styles.clock} no-print`} role="timer">
      <Icon name="clock" size={16} /> 还剩 {leftText(left)}，之后按公司设置关闭。
    </p>
  )
}
