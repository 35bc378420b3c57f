import type { ReactNode } from 'react'
import type { Tone } from '../../theme.ts'
import { toneStyle } from '../value/status-dot.tsx'
import '../table/desk.css'

export type Figure<K extends string = string> = { key: K; label: string; value: ReactNode; tone?: Tone; note?: ReactNode }

/** Three or four figures across the top; nothing of a kind has no colour. With `onChoose` each is a filter: pressing the chosen one again clears it (null). */
export function Numbers<K extends string>(props: {
  items: readonly Figure<K>[]
  chosen?: K | null
  onChoose?: (key: K | null) => void
}) {
  const { items, chosen = null, onChoose } = props
  return (
    <div className="ui-numbers" role="group" aria-label="数字概览">
      {items.map(({ key, label, value, tone = 'ink', note }) => {
        const inside = (
          <>
            <strong style={toneStyle(value === 0 || value === '0' ? 'ink3' : tone)}>{value}</strong>
            <span>{label}</span>
            {note && <div className="ui-hint">{note}</div>}
          </>
        )
        return onChoose ? (
          <button key={key} type="button" aria-pressed={chosen === key} onClick={() => onChoose(chosen === key ? null : key)}>
            {inside}
          </button>
        ) : (
          <div key={key}>{inside}</div>
        )
      })}
    </div>
  )
}
