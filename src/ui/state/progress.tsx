import type { Tone } from '../../theme.ts'
import { toneStyle } from '../value/status-dot.tsx'
import '../table/desk.css'

const timeLeft = (seconds: number) =>
  seconds < 60 ? `约 ${Math.max(1, Math.round(seconds))} 秒` : `约 ${Math.ceil(seconds / 60)} 分钟`

/** Work that takes a while: done of total, and the time left when it is known. */
export function Progress(props: {
  label: string
  done: number
  total: number
  seconds?: number | null
  unit?: string
  tone?: Tone
}) {
  const { label, done, total, seconds, unit = '', tone = 'brand' } = props
  const share = total > 0 ? Math.min(1, done / total) : 0
  return (
    <div className="ui-progress">
      <div className="ui-progress-line">
        <span>{label}</span>
        <span>
          {unit === '%'
            ? `${Math.round(share * 100)}%`
            : `${done.toLocaleString('zh-CN')} / ${total.toLocaleString('zh-CN')} ${unit}`}
          {seconds ? ` · 剩余${timeLeft(seconds)}` : ''}
        </span>
      </div>
      <div
        className="ui-bar"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        style={toneStyle(tone)}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}

export type Part = { label: string; value: number; tone: Tone }

/** One bar in several colours (已确认 · 已查看 · …), the rest of `total` empty; the words under it say the same (`words`). */
export function PartsBar({ parts, total, words = false }: { parts: readonly Part[]; total: number; words?: boolean }) {
  const said = parts.map(({ label, value }) => `${label} ${value}`).join('，')
  return (
    <div className="ui-progress">
      <div className="ui-bar" data-thin="" role="img" aria-label={`共 ${total}，${said}`}>
        {parts.map(
          ({ label, value, tone }) =>
            value > 0 && (
              <i
                key={label}
                title={`${label} ${value}`}
                style={{ ...toneStyle(tone), width: `${total > 0 ? (value / total) * 100 : 0}%` }}
              />
            ),
        )}
      </div>
      {words && (
        <div className="ui-bar-words">
          {parts.map(
            ({ label, value, tone }) =>
              value > 0 && (
                <span key={label} className="ui-status" style={toneStyle(tone)}>
                  {label} {value}
                </span>
              ),
          )}
        </div>
      )}
    </div>
  )
}
