import { DatePicker } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'

type DateFieldProps = {
  value?: string | null
  onChange?: (day: string | null) => void
  id?: string
  label?: string
  disabled?: boolean
}

/** A date as `2026-10-08`, selected in a Chinese calendar. Fits directly into a Form.Item. */
export const DateField = ({ value, onChange, label, ...rest }: DateFieldProps) => (
  <DatePicker
    {...rest}
    {...(label ? { 'aria-label': label } : {})}
    {...(zhCN.DatePicker ? { locale: zhCN.DatePicker } : {})}
    style={{ width: '100%' }}
    value={value ? dayjs(value).locale('zh-cn') : null}
    onChange={(date) => onChange?.(date ? date.format('YYYY-MM-DD') : null)}
  />
)
