import { useState } from 'react'
import { Icon } from '../../../../components/icon.tsx'
import { lazyDialog } from '../../../../components/lazy.tsx'
import { formatDateTime } from '../../../../components/value/dates.ts'
import employeeStyles from '../m.module.css'
import styles from './open.module.css'

const ReceiptSheet = lazyDialog(async () => (await import('../own/receipt-sheet.tsx')).ReceiptSheet)

/** Returns the distinguishing part of the long signature. */
export const getReceiptNumber = (receipt: string): string => receipt.slice(receipt.lastIndexOf('.') + 1).slice(0, 16)

type ReceiptProps = { slip_id: string; receipt: string | null; confirmedAt: string; isAutomatic: boolean }
/** Proof that this version was confirmed, and whether by the employee; contains no amounts. */
export function ConfirmationReceipt({ slip_id, receipt, confirmedAt, isAutomatic }: ReceiptProps) {
  const [open, setOpen] = useState(false)
  return (
    <section className={styles.receipt} aria-label="确认回执">
      <h3>
        <Icon name="check" size={18} /> {isAutomatic ? '到期自动确认' : '已确认'}
      </h3>
      <dl>
        <div>
          <dt>确认时间</dt>
          <dd>{formatDateTime(confirmedAt)}</dd>
        </div>
        {receipt && (
          <div>
            <dt>回执编号</dt>
            <dd>
              <code>{getReceiptNumber(receipt)}</code>
            </dd>
          </div>
        )}
      </dl>
      {isAutomatic && <p className="ui-hint">您在公司规定的天数内未确认也未反馈，系统已按公司设置自动确认。</p>}
      {receipt && (
        <button type="button" className={`ui-button ${employeeStyles.button} no-print`} onClick={() => setOpen(true)}>
          出示或下载回执
        </button>
      )}
      {open && <ReceiptSheet slip_id={slip_id} onClose={() => setOpen(false)} />}
    </section>
  )
}
