import { formatDate, formatDateTime, formatMonth } from '../../../../components/value/dates.ts'

type PayslipListItem = {
  slip_id: string
  title: string
  month: string | null
  sent_at: string | null
  withdrawn_at: string | null
}

/** Formats when a payslip in the list was issued; to the minute if another of the same day has the same title. */
export function formatIssuedAt(item: PayslipListItem, items: readonly PayslipListItem[]): string {
  if (item.withdrawn_at) return `公司已于 ${formatDate(item.withdrawn_at)} 撤回`
  if (!item.sent_at) return formatMonth(item.month)
  const hasSameTitle = items.some(
    (other) =>
      other.slip_id !== item.slip_id &&
      other.title === item.title &&
      other.sent_at &&
      formatDate(other.sent_at) === formatDate(item.sent_at),
  )
  return `${hasSameTitle ? formatDateTime(item.sent_at) : formatDate(item.sent_at)} 发放`
}
