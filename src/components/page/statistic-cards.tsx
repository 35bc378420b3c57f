import type { ReactNode } from 'react'
import type { StatusColor } from '../../theme.ts'
import { getColorStyle } from '../value/status-dot.tsx'
import '../table/desktop.css'

export type Statistic<K extends string = string> = {
  key: K
  label: string
  value: ReactNode
  color?: StatusColor
  note?: ReactNode
}

/** Three or four counts across the top; zero has no color. With `onSelect` each is a filter: pressed again it clears (null). */
export function StatisticCards<K extends string>(props: {
  items: readonly Statistic<K>[]
  selected?: K | null
  onChoose?: (key: K | null) => void
}) {
  const { items, selected = null, onChoose: onSelect } = props
  return (
    <div className="ui-numbers" role="group" aria-label="数字概览">
      {items.map(({ key, label, value, color = 'ink', note }) => {
        const content = (
          <>
            <strong style={getColorStyle(value === 0 || value === '0' ? 'ink3' : color)}>{value}</strong>
            <span>{label}</span>
            {note && <div className="ui-hint">{note}</div>}
          </>
        )
        return onSelect ? (
          <button key={key} type="button" aria-pressed={selected === key} onClick={() => onSelect(selected === key ? null : key)}>
            {content}
          </button>
        ) : (
          <div key={key}>{content}</div>
        )
      })}
    </div>
  )
}
