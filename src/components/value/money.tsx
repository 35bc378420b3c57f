import { formatFen } from '../../../server/contract/shared/money.ts'
import '../ui.css'

/**
 * An amount: thousands separators, two decimals, a real minus sign; negative in the danger color. `yen` only where it
 * stands alone; with large text it may wrap after a comma. `hidden` shows ****. No amount (null) is a dash.
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

/** Returns whether a text of a wage sheet is an amount in any notation: such text is right-aligned. */
export const isAmountText = (text: string): boolean => /^[-+−(（]?[¥￥]?\s?\d[\d,，]*(?:\.\d+)?[)）]?$/.test(text.trim())

/**
 * A change: `+312.40 ↑` in the ok color, `−98.00 ↓` plain (falling pay is not an error), 「持平」 if nothing changed. In
 * fen, or with `unit` a count (`<AmountChange value={2} unit="人" />` → `+2 人 ↑`).
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
