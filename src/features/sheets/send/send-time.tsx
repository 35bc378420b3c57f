import { DatePicker, Radio } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { getShanghaiNow, toInstant, wallClockFormat } from '../../../components/value/wall-clock.ts'
import styles from '../send.module.css'

/** Converts an instant to the wall-clock time in Shanghai. */
export const toWallClock = (instant: string) => new Date(Date.parse(instant) + 480 * 60_000).toISOString().slice(0, 16)
/** Formats the scheduled time for display: `2026-11-20 09:00`; null is now. */
export const formatWallClock = (instant: string | null): string | null => instant && toWallClock(instant).replace('T', ' ')
export const isPast = (instant: string) => Date.parse(instant) <= Date.now()
/** Returns the time in Shanghai and the next nine o'clock, if it is night there (21:00 to 8:00); null by day. */
export function getNight(): { now: string; morning: string; isToday: boolean } | null {
  const now = getShanghaiNow()
  const isToday = now.hour() < 8
  if (!isToday && now.hour() < 21) return null
  const morning = now
    .add(isToday ? 0 : 1, 'day')
    .hour(9)
    .minute(0)
  return { now: now.format('HH:mm'), morning: morning.format(wallClockFormat), isToday }
}
/** Returns tomorrow at nine in the morning. */
const getDefaultTime = () => getShanghaiNow().add(1, 'day').hour(9).minute(0).format(wallClockFormat)

/** Sends now, or at a time. `when` is the wall-clock time in Shanghai, null is now. */
export function SendTime({ when, onChange }: { when: string | null; onChange: (when: string | null) => void }) {
  return (
    <section className="ui-card ui-stack" aria-labelledby="when">
      <h2 id="when">发送时间</h2>
      <Radio.Group
        value={when === null ? 'now' : 'later'}
        onChange={(event) => onChange(event.target.value === 'now' ? null : getDefaultTime())}
      >
        <Radio value="now">现在</Radio>
        <Radio value="later">定时</Radio>
      </Radio.Group>
      {when !== null && <WallClockField when={when} onChange={onChange} />}
    </section>
  )
}

/** Date and time in Shanghai; a past time shows a warning. */
export function WallClockField({ when, onChange }: { when: string; onChange: (when: string) => void }) {
  const isInPast = isPast(toInstant(when))
  return (
    <div>
      <DatePicker
        aria-label="发送时间（北京时间）"
        showTime={{ format: 'HH:mm', minuteStep: 5 }}
        format="YYYY-MM-DD HH:mm"
        allowClear={false}
        status={isInPast ? 'error' : ''}
        value={dayjs(when)}
        minDate={getShanghaiNow().startOf('day')}
        onChange={(next: Dayjs | null) => next && onChange(next.format(wallClockFormat))}
      />
      <span className="ui-hint"> 北京时间</span>
      {isInPast && (
        <p className={styles.fieldError} role="alert">
          这个时间已经过了，请选一个以后的时间
        </p>
      )}
    </div>
  )
}
