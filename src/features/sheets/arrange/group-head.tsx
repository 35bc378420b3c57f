import { Checkbox, Input } from 'antd'
import { type PointerEvent, useState } from 'react'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import styles from './arrange.module.css'
import { getMoveDirection, type LayoutGroup, type LayoutItem } from './arrange.ts'
import { MoveButtons } from './move-tools.tsx'

/** The header of a group: its name, a switch that shows or hides all of its columns, and the actions to move or remove it. */
export function GroupHeader(props: {
  group: LayoutGroup
  items: readonly LayoutItem[]
  first: boolean
  last: boolean
  onGrab: (event: PointerEvent) => void
  onShow: (status: boolean) => void
  onRename: (name: string) => void
  onMove: (way: -1 | 1) => void
  onRemove: () => void
}) {
  const { group, items, first: isFirst, last: isLast } = props
  const [name, setName] = useState(group.name)
  const [savedName, setSavedName] = useState(group.name)
  // The stored name can differ from the typed one: the change was rejected, or someone else renamed the group.
  if (savedName !== group.name) {
    setSavedName(group.name)
    setName(group.name)
  }
  const visibleCount = items.filter(({ status }) => status).length
  const commitName = () => {
    const next = name.trim()
    if (next === '') setName(group.name)
    else if (next !== group.name) props.onRename(next)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its controls take the focus; here the keys that move it are heard
    <div
      className={styles.head}
      onKeyDown={(event) => {
        const direction = getMoveDirection(event)
        if (!direction) return
        event.preventDefault()
        if (direction < 0 ? !isFirst : !isLast) props.onMove(direction)
      }}
    >
      <span className={styles.grip} onPointerDown={props.onGrab} title="拖动整组" aria-hidden="true">
        ⠿
      </span>
      {items.length > 0 && (
        <Checkbox
          checked={visibleCount === items.length}
          indeterminate={visibleCount > 0 && visibleCount < items.length}
          aria-label={`员工能看到分组「${group.name}」的全部项目`}
          onChange={(event) => props.onShow(event.target.checked)}
        />
      )}
      <h2 className="ui-grow">
        <Input
          variant="borderless"
          aria-label={`分组「${group.name}」的名称`}
          value={name}
          maxLength={20}
          onChange={(event) => setName(event.target.value)}
          onBlur={commitName}
          onPressEnter={commitName}
        />
      </h2>
      <small className="ui-hint ui-nowrap">
        显示 {visibleCount} / {formatCount(items.length)} 项
      </small>
      <MoveButtons name={`分组「${group.name}」`} first={isFirst} last={isLast} onMove={props.onMove} />
      <button
        type="button"
        className={styles.tool}
        aria-label={`移除分组「${group.name}」，里面的列保留`}
        title="移除分组，里面的列保留"
        onClick={props.onRemove}
      >
        <Icon name="close" size={16} />
      </button>
    </div>
  )
}
