/** When a company is told that its edition ends, or that its prepaid messages run low, and in what words. Pure. */
import { editionWords } from '../../../contract/corp/editions.ts'
import { trial_days } from './edition.ts'
import { isLow, type PoolLeft } from './pool.ts'

const day_ms = 86_400_000
/** So many days before the end, in Shanghai's calendar; 0 is the day itself. */
const marks = [30, 7, 1, 0] as const
/** A server that stood still on a mark's day tells it so many days later, but never after the next mark. */
const grace_days = 2

export type EndMark = (typeof marks)[number]
export type EndingEdition = {
  readonly edition: number
  readonly on_trial: boolean
  /** The day on which it ends, in Shanghai. */
  readonly last_day: string
  readonly is_over: boolean
}
export type Reminder = { readonly mark: EndMark; readonly text: string }

/** What is to be told today about the end of an edition or a trial; null where nothing is. A trial begins 30 days before its end: nobody is told that. */
export function endingOf({ edition: held, on_trial, last_day, is_over }: EndingEdition, today: string): Reminder | null {
  const edition = held === 53 || held === 60 ? held : null
  if (!edition) return null
  const left = (Date.parse(last_day) - Date.parse(today)) / day_ms
  const mark = marks.find(
    (one, at) => left <= one && left >= one - grace_days && left > (marks[at + 1] ?? Number.NEGATIVE_INFINITY),
  )
  if (mark === undefined || (on_trial && mark >= trial_days)) return null
  const what = on_trial ? '试用' : editionWords[edition]
  const [, month, day] = last_day.split('-').map(Number)
  const date = `${month} 月 ${day} 日`
  const then = on_trial ? '购买后可继续使用全部功能' : '续费后功能不中断'
  const text = is_over
    ? `${what}已于 ${date}到期，现为免费版；资料都在，${on_trial ? '购买' : '续费'}后即可恢复全部功能`
    : left <= 0
      ? `${what}今天到期，之后转为免费版；${then}`
      : `${what}还有 ${left} 天到期（${date}），之后转为免费版；${then}`
  return { mark, text }
}

export type PoolState = PoolLeft & {
  /** Whether something was taken after the last refill: else it has not fallen, it was little from the beginning. */
  readonly is_spent: boolean
}

/** What is told of messages that will not last another month; null while they do. */
export function lowOf({ is_spent, ...pool }: PoolState): string | null {
  const { left, used_last_month: used } = pool
  if (!is_spent || !isLow(pool)) return null
  const seen = used > 0 ? `，上月用了 ${used} 条` : ''
  return `短信余额还剩 ${left} 条${seen}；请及时充值，余额用完后短信将无法送达`
}
