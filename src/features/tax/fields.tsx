import { DatePicker, InputNumber } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { formatPlainFen, parseFen } from '../../../server/contract/shared/money.ts'
import styles from './tax.module.css'

/** A month in the form `2026-10`, for example. */
export const MonthField = (props: {
  value: string | null
  onChange: (month: string | null) => void
  label: string
  clear?: boolean
  hint?: string
}) => (
  <DatePicker
    picker="month"
    aria-label={props.label}
    {...(zhCN.DatePicker ? { locale: zhCN.DatePicker } : {})}
    allowClear={props.clear ?? true}
    placeholder={props.hint ?? (props.clear === false ? '选择月份' : '不填表示一直有效')}
    style={{ width: '100%' }}
    value={props.value ? dayjs(`${props.value}-01`).locale('zh-cn') : null}
    onChange={(date) => props.onChange(date ? date.format('YYYY-MM') : null)}
  />
)

/** An amount in yuan, stored in fen. It is parsed digit by digit, never through a float. */
export const AmountField = (props: {
  value: number | null
  onChange: (fen: number | null) => void
  label: string
  hint?: string
}) => (
  <InputNumber<string>
    aria-label={props.label}
    stringMode
    min="0"
    precision={2}
    controls={false}
    suffix="元"
    {...(props.hint ? { placeholder: props.hint } : {})}
    style={{ width: '100%' }}
    value={props.value === null ? null : formatPlainFen(props.value)}
    onChange={(text) => props.onChange(text === null || text === '' ? null : parseFen(text))}
  />
)

/** A rate in percent, stored in parts per million. */
export const RateField = (props: {
  value: number | null
  onChange: (ppm: number | null) => void
  label: string
  hint?: string
}) => (
  <InputNumber<string>
    aria-label={props.label}
    stringMode
    min="0"
    max="100"
    precision={4}
    controls={false}
    suffix="%"
    {...(props.hint ? { placeholder: props.hint } : {})}
    style={{ width: '100%' }}
    formatter={(text) =>
      String(text ?? '')
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '')
    }
    value={props.value === null ? null : formatRate(props.value)}
    onChange={(text) => props.onChange(text === null || text === '' ? null : parseRate(text))}
  />
)
/** Formats a rate: `80000` → `8`, `5000` → `0.5`. */
export const formatRate = (ppm: number): string => {
  const digits = String(ppm).padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/\.?0+$/, '')
}
const parseRate = (text: string): number => {
  const [integerPart = '0', fraction = ''] = text.split('.')
  return Number(integerPart) * 10_000 + Number(fraction.padEnd(4, '0').slice(0, 4))
}

/** A field with its label above and its error below. */
export const LabeledField = (props: { label: string; error?: string | undefined; wide?: boolean; children: React.ReactNode }) => (
  <div className={styles.field} data-wide={props.wide || undefined}>
    <span className="ui-label">{props.label}</span>
    {props.children}
    {props.error && (
      <span className={styles.wrong} role="alert">
        {props.error}
      </span>
    )}
  </div>
)
