/** Formats instants in Chinese formats, always in Shanghai time, whatever the computer's time zone. */
const createFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('zh-CN', { timeZone: 'Asia/Shanghai', hourCycle: 'h23', ...options })
const dateTimeFormat = createFormat({ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' })

const toDateFields = (iso: string) => {
  const dateFields: Record<string, string> = {}
  for (const { type, value } of dateTimeFormat.formatToParts(new Date(iso))) dateFields[type] = value
  return dateFields
}

/** Formats `2026-10-08 09:12`, or a dash for no value. */
export const formatDateTime = (iso: string | null | undefined): string => {
  if (!iso) return '—'
  const { year, month, day, hour, minute } = toDateFields(iso)
  return `${year}-${month}-${day} ${hour}:${minute}`
}
/** Formats `10-08 09:12`, for lists of the current year. */
export const formatShortDateTime = (iso: string | null | undefined): string => (iso ? formatDateTime(iso).slice(5) : '—')
/** Formats a date: `2026-10-08`. */
export const formatDate = (iso: string | null | undefined): string => (iso ? formatDateTime(iso).slice(0, 10) : '—')
/** Formats a month: `2026-10` → `2026年10月`. */
export const formatMonth = (month: string | null | undefined): string => {
  if (!month) return '—'
  const [year, number] = month.split('-')
  return `${year}年${Number(number)}月`
}
