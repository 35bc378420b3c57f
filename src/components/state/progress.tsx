import type { StatusColor } from '../../theme.ts'
import { getColorStyle } from '../value/status-dot.tsx'
import '../table/desktop.css'

const formatTimeLeft = (seconds: number) =>
  seconds < 60 ? `约 ${Math.max(1, Math.round(seconds))} 秒` : `约 ${Math.ceil(seconds / 60)} 分钟`

/** The progress of a long task: done of total, and the remaining time if known. */
export function ProgressBar(props: {
  label: string
  done: number
  total: number
  seconds?: number | null
  unit?: string
  color?: StatusColor
}) {
  const { label, done, total, seconds, unit = '', color = 'brand' } = props
  const fraction = total > 0 ? Math.min(1, done / total) : 0
  return (
    <div className="ui-progress">
      <div className="ui-progress-line">
        <span>{label}</span>
        <span>
          {unit === '%'
            ? `${Math.round(fraction * 100)}%`
            : `${done.toLocaleString('zh-CN')} / ${total.toLocaleString('zh-CN')} ${unit}`}
          {seconds ? ` · 剩余${formatTimeLeft(seconds)}` : ''}
        </span>
      </div>
      <div
        className="ui-bar"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        style={getColorStyle(color)}
      >
        <i style={{ width: `${fraction * 100}%` }} />
      </div>
    </div>
  )
}

/** `track`: nothing happened yet, so the segment has the color of the empty bar. */
export type BarSegment = { label: string; value: number; color: StatusColor | 'track' }

const getSegmentProps = (color: BarSegment['color']) =>
  color === 'track' ? { 'data-track': '', style: {} } : { style: getColorStyle(color) }

/**
 * A bar in several colors (已确认 · 已查看 · …), with the rest of `total` empty. The labels below contain the same values
 * (`labels`).
 */
export function SegmentedBar({
  sections: segments,
  total,
  labels: showLabels = false,
}: {
  sections: readonly BarSegment[]
  total: number
  labels?: boolean
}) {
  const description = segments.map(({ label, value }) => `${label} ${value}`).join('，')
  return (
    <div className="ui-progress">
      <div className="ui-bar" data-thin="" role="img" aria-label={`共 ${total}，${description}`}>
        {segments.map(({ label, value, color }) => {
          if (value === 0) return null
          const { style, ...attributes } = getSegmentProps(color)
          const width = `${total > 0 ? (value / total) * 100 : 0}%`
          return <i key={label} title={`${label} ${value}`} {...attributes} style={{ ...style, width }} />
        })}
      </div>
      {showLabels && (
        <div className="ui-bar-words">
          <SegmentLabels segments={segments} />
        </div>
      )}
    </div>
  )
}

/** The values of a bar's segments in words, in the same colors; segments without a value are left out. */
export const SegmentLabels = ({ segments }: { segments: readonly BarSegment[] }) =>
  segments.map(
    ({ label, value, color }) =>
      value > 0 && (
        <span key={label} className="ui-status" {...getSegmentProps(color)}>
          {label} {value}
        </span>
      ),
  )
