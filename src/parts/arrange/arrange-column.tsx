import { Checkbox, Input } from 'antd'
import { type PointerEvent, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { Item } from './arrange.ts'

/** One column of the slip: its name, whether it shows, a note, and two ways to move it. */
export function ArrangeColumn(props: {
  item: Item
  /** As the sheet calls it. */
  original: string
  held: boolean
  /** Where a held one would be put. */
  before: boolean
  first: boolean
  last: boolean
  onGrab: (event: PointerEvent) => void
  onChange: (by: Partial<Item>) => void
  onMove: (way: -1 | 1) => void
}) {
  const { item, original, onChange, onMove } = props
  const [noting, setNoting] = useState(item.note !== '')
  const name = item.value || original
  return (
    <li
      data-item={item.key}
      data-held={props.held || undefined}
      data-before={props.before || undefined}
      data-off={!item.status || undefined}
    >
      <div className="arrange-line">
        <span className="arrange-grip" onPointerDown={props.onGrab} title="拖动排序" aria-hidden="true">
          ⠿
        </span>
        <Checkbox
          checked={item.status}
          aria-label={`员工能看到「${name}」`}
          onChange={(event) => onChange({ status: event.target.checked })}
        />
        <Input
          variant="borderless"
          className="ui-grow"
          aria-label={`「${original}」显示为`}
          value={item.value}
          maxLength={60}
          status={item.value.trim() ? '' : 'error'}
          onChange={(event) => onChange({ value: event.target.value })}
          onBlur={() => item.value.trim() === '' && onChange({ value: original })}
        />
        {item.value !== original && <small className="ui-hint">表中：{original}</small>}
        <button
          type="button"
          className="arrange-tool"
          aria-pressed={noting}
          aria-label={`给「${name}」加说明`}
          title="说明"
          onClick={() => setNoting(!noting)}
        >
          <Icon name="suggest" size={16} />
        </button>
        <button
          type="button"
          className="arrange-tool arrange-up"
          aria-label={`上移「${name}」`}
          title="上移"
          disabled={props.first}
          onClick={() => onMove(-1)}
        >
          <Icon name="down" size={16} />
        </button>
        <button
          type="button"
          className="arrange-tool"
          aria-label={`下移「${name}」`}
          title="下移"
          disabled={props.last}
          onClick={() => onMove(1)}
        >
          <Icon name="down" size={16} />
        </button>
      </div>
      {noting && (
        <Input
          size="small"
          className="arrange-note"
          aria-label={`「${name}」的说明`}
          placeholder="员工在这一项下面看到的一句说明，如：按出勤 21 天计算"
          maxLength={100}
          value={item.note}
          onChange={(event) => onChange({ note: event.target.value })}
        />
      )}
    </li>
  )
}
