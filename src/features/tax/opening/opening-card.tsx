import { Button } from 'antd'
import { useState } from 'react'
import { lazyDialog } from '../../../components/lazy.tsx'
import type { PeriodDetail } from '../period/labels.ts'
import styles from '../tax.module.css'

const ImportOpeningDialog = lazyDialog(async () => (await import('./import-dialog.tsx')).ImportOpeningDialog)
const SentMonthsDialog = lazyDialog(async () => (await import('./sent-months-dialog.tsx')).SentMonthsDialog)

/** The two ways to begin in the middle of a year, for everybody at once. */
export function OpeningActions({ period }: { period: PeriodDetail }) {
  const [openDialog, setOpenDialog] = useState<'file' | 'sent' | null>(null)
  const close = () => setOpenDialog(null)
  return (
    <>
      <Button onClick={() => setOpenDialog('file')}>从扣缴端文件引入</Button>
      <Button onClick={() => setOpenDialog('sent')}>引入已发月份</Button>
      {openDialog === 'file' && <ImportOpeningDialog period={period} onClose={close} />}
      {openDialog === 'sent' && <SentMonthsDialog period={period} onClose={close} />}
    </>
  )
}

/** Formats months of one year: `2026-01 … 2026-10` → `1–10 月`. */
function formatMonthRange(months: readonly string[]): string {
  const numbers = months.map((month) => Number(month.slice(5)))
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
  return `${last - first === numbers.length - 1 && first !== last ? `${first}–${last}` : numbers.join('、')} 月`
}

/** Offers the opening balances where earlier months of the year are not locked here. */
export function OpeningCard({ period }: { period: PeriodDetail }) {
  if (period.uncovered_months.length === 0 || period.status === 'locked') return null
  return (
    <section className={`ui-card ${styles.opening}`} aria-labelledby="period-opening">
      <div>
        <h2 id="period-opening">期初累计</h2>
        <p className="ui-label">
          本年 {formatMonthRange(period.uncovered_months)}
          没有锁定的期间。引入每个人这几个月的累计收入、扣除和已扣个税，个税才接得上。
        </p>
      </div>
      <div className="ui-row">
        <OpeningActions period={period} />
      </div>
    </section>
  )
}
