import { Button, Checkbox, Input } from 'antd'
import { useState } from 'react'
import { clearClassify, insertClassify, type Layout, updateClassify } from '../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import styles from './arrange.module.css'
import {
  buildGroupSections,
  getGroupPosition,
  getUnusedGroupName,
  type LayoutGroup,
  type LayoutItem,
  moveItem,
  moveItemByOne,
  updateLayoutItem,
} from './arrange.ts'
import { ArrangeColumn } from './arrange-column.tsx'
import { GroupHeader } from './group-head.tsx'
import { useDrag } from './use-drag.ts'
import type { useLayoutDraft } from './use-layout.ts'
import { useRestoreFocus } from './use-restore-focus.ts'

const getItemSelector = (key: string) => `[data-item="${key}"]`
const getGroupHeadSelector = (class_id: string) => `[data-shelf="${class_id}"] .${styles.head}`

type ArrangeGroupsProps = {
  batch_id: string
  groups: Layout['groups']
  list: readonly LayoutItem[]
  getOriginalName: (key: string) => string
  /** The net pay column: it appears large at the top of the payslip, in no group. */
  net: string | undefined
  onList: (list: LayoutItem[]) => void
  /** Saves pending changes before a group changes. */
  flush: () => Promise<boolean>
  runInOrder: ReturnType<typeof useLayoutDraft>['inSequence']
}

type GroupSections = ReturnType<typeof useGroupSections>

/** The group sections and their actions. Columns are page state (`list`); groups belong to the server and change at once. */
function useGroupSections(props: ArrangeGroupsProps) {
  const { batch_id, groups, flush } = props
  const net = props.list.find((item) => item.key === props.net)
  const list = props.list.filter((item) => item !== net)
  const onList = (next: LayoutItem[]) => props.onList(net ? [net, ...next] : next)
  const add = useCallMutation(insertClassify)
  const update = useCallMutation(updateClassify)
  const clear = useCallMutation(clearClassify)
  /** Saves pending changes first, then runs the call; returns whether it succeeded. The call itself reports errors. */
  const changeGroup = async (call: (version: number) => Promise<{ version: number }>): Promise<boolean> =>
    (await flush()) &&
    props.runInOrder(call).then(
      () => true,
      () => false,
    )
  const [announcement, setAnnouncement] = useState('')
  const keepFocus = useRestoreFocus(props.list, groups)
  const getGroupName = (class_id: string | null) => groups.find((group) => group.class_id === class_id)?.name ?? '不分组'

  /** Applies the new column order; `key` is the column that moved, and its new position is announced to screen readers. */
  const applyMove = (next: LayoutItem[], key: string) => {
    keepFocus(getItemSelector(key))
    onList(next)
    const item = next.find((other) => other.key === key)
    const siblings = next.filter((other) => other.class_id === item?.class_id)
    const at = siblings.findIndex((other) => other.key === key) + 1
    setAnnouncement(
      `${item?.value ?? ''} 移到「${getGroupName(item?.class_id ?? null)}」第 ${at} 位，共 ${formatCount(siblings.length)} 位`,
    )
  }
  const move = (key: string, direction: -1 | 1) => {
    const next = moveItemByOne(groups, list, key, direction)
    if (next) applyMove(next, key)
  }
  const moveGroup = async (group: LayoutGroup, position: number) => {
    const { class_id, name } = group
    if (!(await changeGroup((version) => update.mutateAsync({ batch_id, class_id, position, version })))) return
    keepFocus(getGroupHeadSelector(class_id))
    setAnnouncement(`分组「${name}」移到第 ${position + 1} 位，共 ${formatCount(groups.length)} 位`)
  }
  const { dragging, start } = useDrag((dragged, { class_id, before }) => {
    if (dragged.kind === 'column') return applyMove(moveItem(list, dragged.key, class_id, before), dragged.key)
    const group = groups.find((other) => other.class_id === dragged.key)
    const position = getGroupPosition(groups, dragged.key, before)
    if (group && groups.indexOf(group) !== position) void moveGroup(group, position)
  })
  const sections = buildGroupSections(groups, list).filter(
    ({ group, items }) => group !== null || items.length > 0 || dragging !== null,
  )
  const rename = ({ class_id }: LayoutGroup, name: string) =>
    changeGroup((version) => update.mutateAsync({ batch_id, class_id, name, version }))
  const remove = async ({ class_id }: LayoutGroup) => {
    if (await changeGroup((version) => clear.mutateAsync({ batch_id, class_id, version })))
      onList(list.map((item) => (item.class_id === class_id ? { ...item, class_id: null } : item)))
  }
  const addGroup = () => changeGroup((version) => add.mutateAsync({ batch_id, name: getUnusedGroupName(groups), version }))
  return {
    net,
    groups,
    list,
    shelves: sections,
    message: announcement,
    dragging,
    adding: add.isPending,
    start,
    change: (item: LayoutItem, by: Partial<LayoutItem>) => props.onList(updateLayoutItem(props.list, item.key, by)),
    settle: applyMove,
    move,
    positionGroup: moveGroup,
    onList,
    rename,
    remove,
    addGroup,
  }
}

/** Groups and their columns. */
export function ArrangeGroups(props: ArrangeGroupsProps) {
  const groupSections = useGroupSections(props)
  const { net, shelves: sections, dragging, adding, message: announcement } = groupSections
  return (
    <div className={styles.root} data-dragging={dragging?.kind}>
      {net && <NetPayColumn item={net} onChange={(by) => groupSections.change(net, by)} />}
      {sections.map((section, index) => (
        <GroupSectionCard
          key={section.group?.class_id ?? ''}
          {...section}
          index={index}
          groupSections={groupSections}
          getOriginalName={props.getOriginalName}
        />
      ))}
      <Button icon={<Icon name="add" />} loading={adding} onClick={() => void groupSections.addGroup()}>
        添加分组
      </Button>
      <p className="sr-only" role="status">
        {announcement}
      </p>
    </div>
  )
}

type GroupSectionProps = GroupSections['shelves'][number] & {
  index: number
  groupSections: GroupSections
  getOriginalName: ArrangeGroupsProps['getOriginalName']
}

/** One group, or the columns without a group, with the drop position of a dragged element. */
function GroupSectionCard({ group, items, index, groupSections, getOriginalName }: GroupSectionProps) {
  const { groups, list, dragging, start } = groupSections
  const id = group?.class_id ?? null
  const { kind, target: position = null } = dragging ?? {}
  const dropTarget = kind === 'column' && position?.class_id === id ? position : null
  return (
    <section
      className="ui-card"
      data-shelf={id ?? ''}
      data-held={(kind === 'group' && dragging?.key === id) || undefined}
      data-before={(kind === 'group' && position !== null && (position.before ?? null) === id) || undefined}
      aria-label={group?.name ?? '不分组'}
    >
      {group ? (
        <GroupHeader
          group={group}
          items={items}
          first={index === 0}
          last={index === groups.length - 1}
          onGrab={start({ kind: 'group', key: group.class_id })}
          onShow={(status) => groupSections.onList(list.map((item) => (items.includes(item) ? { ...item, status } : item)))}
          onRename={(name) => void groupSections.rename(group, name)}
          onMove={(direction) => void groupSections.positionGroup(group, index + direction)}
          onRemove={() => void groupSections.remove(group)}
        />
      ) : (
        <h2 className={styles.head}>不分组</h2>
      )}
      <ol>
        {items.map((item) => (
          <ArrangeColumn
            key={item.key}
            item={item}
            original={getOriginalName(item.key)}
            otherGroups={[...groups.filter(({ class_id }) => class_id !== id), ...(id === null ? [] : [null])]}
            isDragged={kind === 'column' && dragging?.key === item.key}
            isDropTarget={dropTarget?.before === item.key}
            isFirst={index === 0 && item === items[0]}
            isLast={group === null && item === items.at(-1)}
            onDragStart={start({ kind: 'column', key: item.key })}
            onChange={(by) => groupSections.change(item, by)}
            onMove={(direction) => groupSections.move(item.key, direction)}
            onMoveToGroup={(class_id) => groupSections.settle(moveItem(list, item.key, class_id, null), item.key)}
          />
        ))}
        {dropTarget && dropTarget.before === null && <li className={styles.end} aria-hidden="true" />}
      </ol>
      {items.length === 0 && <p className="ui-hint">把列拖到这里，或用列右边的菜单移过来</p>}
    </section>
  )
}

function NetPayColumn({ item, onChange }: { item: LayoutItem; onChange: (by: Partial<LayoutItem>) => void }) {
  return (
    <section className={`ui-card ${styles.net}`} aria-label="最上面的大字">
      <Checkbox
        checked={item.status}
        aria-label={`员工能看到「${item.value}」`}
        onChange={(event) => onChange({ status: event.target.checked })}
      />
      <Input
        variant="borderless"
        className="ui-grow"
        aria-label="实发显示为"
        value={item.value}
        maxLength={60}
        onChange={(event) => onChange({ value: event.target.value })}
        onBlur={() => item.value.trim() === '' && onChange({ value: '实发工资' })}
      />
      <span className="ui-hint">置顶大字</span>
    </section>
  )
}
