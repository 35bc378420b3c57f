import { formatFen } from '../../../server/contract/shared/money.ts'
import '../ui.css'

/**
 * An amount: thousands separators, two decimals, a real minus sign; negative in the danger colour. `yen` only where it stands
 * alone; where letters are large it may go on below after a comma. `masked` shows ****. No amount (null) is a dash.
 */
export function Money(props: { fen: number | null | undefined; yen?: boolean; hidden?: boolean; strong?: boolean }) {
  const { fen, yen = false, hidden: masked = false, strong = false } = props
  if (fen === null || fen === undefined) return <span className="ui-money">—</span>
  const text = masked ? '****' : formatFen(fen)
  return (
    <span className="ui-money" data-strong={strong || undefined} data-negative={(!masked && fen < 0) || undefined}>
      {yen ? ['¥ ', ...text.split(',').flatMap((part, at) => (at > 0 ? [',', <wbr key={part} />, part] : part))] : text}
    </span>
  )
}

/** Whether a text of a sheet is an amount, however it is written: such a text stands right in its column. */
export const isAmountText = (text: string): boolean => /^[-+−(（]?[¥￥]?\s?\d[\d,，]*(?:\.\d+)?[)）]?$/.test(text.trim())

/**
 * What changed: `+312.40 ↑` in ok, `−98.00 ↓` plain (pay that falls is no fault), 「持平」 when nothing did. In fen, or with `unit` a count
 * (`<Difference value={2} unit="人" />` → `+2 人 ↑`).
 */
export function AmountChange({ value, unit }: { value: number; unit?: string }) {
  if (value === 0) return <span className="ui-difference">持平</span>
  const size = unit === undefined ? formatFen(Math.abs(value)) : `${Math.abs(value).toLocaleString('zh-CN')} ${unit}`
  return (
    <span className="ui-difference" data-way={value > 0 ? 'up' : 'down'}>
      {value > 0 ? '+' : '−'}
      {size}
      <span aria-hidden="true">{value > 0 ? '↑' : '↓'}</span>
    </span>
  )
}
