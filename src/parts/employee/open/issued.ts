import { day, dayAndTime, monthName } from '../../../ui/value/dates.ts'

type Line = { slip_id: string; title: string; month: string | null; sent_at: string | null; withdrawn_at: string | null }

/** When a line of the list was given; to the minute where another one of the same day has the same title, so that the two are told apart. */
export function issuedOf(line: Line, lines: readonly Line[]): string {
  if (line.withdrawn_at) return `公司已于 ${day(line.withdrawn_at)} 撤回`
  if (!line.sent_at) return monthName(line.month)
  const has_twin = lines.some(
    (other) =>
      other.slip_id !== line.slip_id && other.title === line.title && other.sent_at && day(other.sent_at) === day(line.sent_at),
  )
  return `${has_twin ? dayAndTime(line.sent_at) : day(line.sent_at)} 发放`
}
