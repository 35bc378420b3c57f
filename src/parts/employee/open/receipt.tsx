import { useState } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { later } from '../later.tsx'
import employeeStyles from '../m.module.css'
import styles from './open.module.css'

const ReceiptSheet = later(async () => (await import('../own/receipt-sheet.tsx')).ReceiptSheet)

/** Of a signature that is long, what tells it from others. */
export const numberOf = (receipt: string): string => receipt.slice(receipt.lastIndexOf('.') + 1).slice(0, 16)

type Shown = { slip_id: string; receipt: string | null; at: string; auto: boolean }
/** Proof that this version was confirmed, and whether by the person; tells no amounts. */
export function Receipt({ slip_id, receipt, at, auto }: Shown) {
  const [open, setOpen] = useState(false)
  return (
    <section className={styles.receipt} aria-label="确认回执">
      <h3>
        <Icon name="check" size={18} /> {auto ? '到期自动确认' : '已确认'}
      </h3>
      <dl>
        <div>
          <dt>确认时间</dt>
          <dd>{dayAndTime(at)}</dd>
        </div>
        {receipt && (
          <div>
            <dt>回执编号</dt>
            <dd>
              <code>{numberOf(receipt)}</code>
            </dd>
          </div>
        )}
      </dl>
      {auto && <p className="ui-hint">您在公司规定的天数内没有确认，也没有提出疑问，系统已按公司设置自动确认。</p>}
      {receipt && (
        <button type="button" className={`ui-button ${employeeStyles.button} no-print`} onClick={() => setOpen(true)}>
          出示或下载回执
        </button>
      )}
      {open && <ReceiptSheet slip_id={slip_id} onClose={() => setOpen(false)} />}
    </section>
  )
}
