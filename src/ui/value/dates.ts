/** Instants as people in China read them, always in Shanghai's time, whatever the computer's. */
const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('zh-CN', { timeZone: 'Asia/Shanghai', hourCycle: 'h23', ...options })
const parts = format({ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' })

const read = (iso: string) => {
  const found: Record<string, string> = {}
  for (const { type, value } of parts.formatToParts(new Date(iso))) found[type] = value
  return found
}

/** `2026-10-08 09:12`, a dash for none. */
export const dayAndTime = (iso: string | null | undefined): string => {
  if (!iso) return '—'
  const { year, month, day, hour, minute } = read(iso)
  return `${year}-${month}-${day} ${hour}:${minute}`
}
/** `10-08 09:12`, for lists of the current year. */
export const shortTime = (iso: string | null | undefined): string => (iso ? dayAndTime(iso).slice(5) : '—')
/** `2026-10-08`. */
export const day = (iso: string | null | undefined): string => (iso ? dayAndTime(iso).slice(0, 10) : '—')
/** `2026-10` → `2026年10月`. */
export const monthName = (month: string | null | undefined): string => {
  if (!month) return '—'
  const [year, number] = month.split('-')
  return `${year}年${Number(number)}月`
}
