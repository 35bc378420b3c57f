import { Checkbox, Input } from 'antd'
import { type PointerEvent, useState } from 'react'
import { Icon } from '../../../components/icon.tsx'
import { type RowAction, RowMenu } from '../../../components/table/row-menu.tsx'
import styles from './arrange.module.css'
import { getMoveDirection, type LayoutGroup, type LayoutItem } from './arrange.ts'
import { MoveButtons } from './move-tools.tsx'

type ArrangeColumnProps = {
  item: LayoutItem
  /** The column's name in the wage sheet. */
  original: string
  /** The groups that the column is not in; null stands for no group. */
  otherGroups: readonly (LayoutGroup | null)[]
  isDragged: boolean
  /** Whether a dragged column would be dropped here. */
  isDropTarget: boolean
  isFirst: boolean
  isLast: boolean
  onDragStart: (event: PointerEvent) => void
  onChange: (by: Partial<LayoutItem>) => void
  onMove: (way: -1 | 1) => void
  onMoveToGroup: (class_id: string | null) => void
}

/** The move actions that work without dragging. */
const getMoveActions = ({ otherGroups, isFirst, isLast, onMove, onMoveToGroup }: ArrangeColumnProps): RowAction[] => [
  { key: 'up', label: '上移', allowed: isFirst ? '已经在最上面' : true, onClick: () => onMove(-1) },
  { key: 'down', label: '下移', allowed: isLast ? '已经在最下面' : true, onClick: () => onMove(1) },
  ...otherGroups.map((group) => ({
    key: group?.class_id ?? 'none',
    label: group ? `移到「${group.name}」` : '移出分组',
    onClick: () => onMoveToGroup(group?.class_id ?? null),
  })),
]

/** One column of the payslip: its name, visibility, note, and move actions. */
export function ArrangeColumn(props: ArrangeColumnProps) {
  const { item, original, onChange, onMove, isFirst, isLast } = props
  const [isNoteOpen, setNoteOpen] = useState(item.note !== '')
  const name = item.value || original
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its controls take the focus; here the keys that move it are heard
    <li
      data-item={item.key}
      data-held={props.isDragged || undefined}
      data-before={props.isDropTarget || undefined}
      data-off={!item.status || undefined}
      onKeyDown={(event) => {
        const direction = getMoveDirection(event)
        if (!direction) return
        event.preventDefault()
        onMove(direction)
      }}
    >
      <div className={styles.line}>
        <span className={styles.grip} onPointerDown={props.onDragStart} title="拖动排序" aria-hidden="true">
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
          title={name}
          value={item.value}
          maxLength={60}
          status={item.value.trim() ? '' : 'error'}
          onChange={(event) => onChange({ value: event.target.value })}
          onBlur={() => item.value.trim() === '' && onChange({ value: original })}
        />
        {item.value !== original && (
          <small className="ui-hint" title={original}>
            表中：{original}
          </small>
        )}
        <button
          type="button"
          className={styles.tool}
          aria-pressed={isNoteOpen}
          aria-label={`给「${name}」加说明`}
          title="说明"
          onClick={() => setNoteOpen(!isNoteOpen)}
        >
          <Icon name="suggest" size={16} />
        </button>
        <MoveButtons name={`「${name}」`} first={isFirst} last={isLast} onMove={onMove} />
        <RowMenu label={`「${name}」`} acts={getMoveActions(props)} />
      </div>
      {isNoteOpen && (
        <Input
          size="small"
          className={styles.note}
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
