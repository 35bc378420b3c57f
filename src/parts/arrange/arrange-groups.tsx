import { Button, Checkbox, Input } from 'antd'
import { useState } from 'react'
import { clearClassify, insertClassify, type Layout, updateClassify } from '../../../server/contract/sheet/sheet.ts'
import { useCall } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './arrange.module.css'
import { change, freeName, type Item, type ItemGroup, moveTo, placeOf, shelvesOf, step } from './arrange.ts'
import { ArrangeColumn } from './arrange-column.tsx'
import { GroupHead } from './group-head.tsx'
import { useDrag } from './use-drag.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import type { useLayoutDraft } from './use-layout.ts'

const itemAt = (key: string) => `[data-item="${key}"]`
const headAt = (class_id: string) => `[data-shelf="${class_id}"] .${styles.head}`

type Arranging = {
  batch_id: string
  groups: Layout['groups']
  list: readonly Item[]
  original: (key: string) => string
  /** The column of the net pay: it stands large on top of the slip, in no group. */
  net: string | undefined
  onList: (list: Item[]) => void
  /** Puts on the server what is still in hand, before a group changes under it. */
  flush: () => Promise<boolean>
  inTurn: ReturnType<typeof useLayoutDraft>['inTurn']
}

type Shelves = ReturnType<typeof useShelves>

/** The shelves and all that can be done to them. Columns are in hands of the page (`list`); groups are the server's and change at once. */
function useShelves(props: Arranging) {
  const { batch_id, groups, flush } = props
  const net = props.list.find((item) => item.key === props.net)
  const list = props.list.filter((item) => item !== net)
  const onList = (next: Item[]) => props.onList(net ? [net, ...next] : next)
  const add = useCall(insertClassify)
  const update = useCall(updateClassify)
  const clear = useCall(clearClassify)
  /** What is in hand first, then this; whether it was done. A refusal has been said by the call itself. */
  const changeGroup = async (call: (version: number) => Promise<{ version: number }>): Promise<boolean> =>
    (await flush()) &&
    props.inTurn(call).then(
      () => true,
      () => false,
    )
  const [said, setSaid] = useState('')
  const keepFocus = useKeptFocus(props.list, groups)
  const nameOf = (class_id: string | null) => groups.find((group) => group.class_id === class_id)?.name ?? '不分组'

  /** Columns in their new order; `key` is the one that moved, and where it is now is said aloud. */
  const settle = (next: Item[], key: string) => {
    keepFocus(itemAt(key))
    onList(next)
    const item = next.find((one) => one.key === key)
    const inside = next.filter((one) => one.class_id === item?.class_id)
    const at = inside.findIndex((one) => one.key === key) + 1
    setSaid(`${item?.value ?? ''} 移到「${nameOf(item?.class_id ?? null)}」第 ${at} 位，共 ${inside.length} 位`)
  }
  const move = (key: string, way: -1 | 1) => {
    const next = step(groups, list, key, way)
    if (next) settle(next, key)
  }
  const placeGroup = async (group: ItemGroup, place: number) => {
    const { class_id, name } = group
    if (!(await changeGroup((version) => update.mutateAsync({ batch_id, class_id, place, version })))) return
    keepFocus(headAt(class_id))
    setSaid(`分组「${name}」移到第 ${place + 1} 位，共 ${groups.length} 位`)
  }
  const { dragging, start } = useDrag((held, { class_id, before }) => {
    if (held.what === 'column') return settle(moveTo(list, held.key, class_id, before), held.key)
    const group = groups.find((one) => one.class_id === held.key)
    const place = placeOf(groups, held.key, before)
    if (group && groups.indexOf(group) !== place) void placeGroup(group, place)
  })
  const shelves = shelvesOf(groups, list).filter(({ group, items }) => group !== null || items.length > 0 || dragging !== null)
  const rename = ({ class_id }: ItemGroup, name: string) =>
    changeGroup((version) => update.mutateAsync({ batch_id, class_id, name, version }))
  const remove = async ({ class_id }: ItemGroup) => {
    if (await changeGroup((version) => clear.mutateAsync({ batch_id, class_id, version })))
      onList(list.map((item) => (item.class_id === class_id ? { ...item, class_id: null } : item)))
  }
  const addGroup = () => changeGroup((version) => add.mutateAsync({ batch_id, name: freeName(groups), version }))
  return {
    net,
    groups,
    list,
    shelves,
    said,
    dragging,
    adding: add.isPending,
    start,
    change: (item: Item, by: Partial<Item>) => props.onList(change(props.list, item.key, by)),
    settle,
    move,
    placeGroup,
    onList,
    rename,
    remove,
    addGroup,
  }
}

/** Groups and their columns. */
export function ArrangeGroups(props: Arranging) {
  const all = useShelves(props)
  const { net, shelves, dragging, adding, said } = all
  return (
    <div className={styles.root} data-dragging={dragging?.what}>
      {net && <Net item={net} onChange={(by) => all.change(net, by)} />}
      {shelves.map((shelf, at) => (
        <Shelf key={shelf.group?.class_id ?? ''} {...shelf} at={at} all={all} original={props.original} />
      ))}
      <Button icon={<Icon name="add" />} loading={adding} onClick={() => void all.addGroup()}>
        添加分组
      </Button>
      <p className="sr-only" role="status">
        {said}
      </p>
    </div>
  )
}

type ShelfProps = Shelves['shelves'][number] & { at: number; all: Shelves; original: Arranging['original'] }

/** One group, or what is in none, and where something that is dragged would come to lie in it. */
function Shelf({ group, items, at, all, original }: ShelfProps) {
  const { groups, list, dragging, start } = all
  const id = group?.class_id ?? null
  const { what, place = null } = dragging ?? {}
  const here = what === 'column' && place?.class_id === id ? place : null
  return (
    <section
      className="ui-card"
      data-shelf={id ?? ''}
      data-held={(what === 'group' && dragging?.key === id) || undefined}
      data-before={(what === 'group' && place !== null && (place.before ?? null) === id) || undefined}
      aria-label={group?.name ?? '不分组'}
    >
      {group ? (
        <GroupHead
          group={group}
          items={items}
          first={at === 0}
          last={at === groups.length - 1}
          onGrab={start({ what: 'group', key: group.class_id })}
          onShow={(status) => all.onList(list.map((item) => (items.includes(item) ? { ...item, status } : item)))}
          onRename={(name) => void all.rename(group, name)}
          onMove={(way) => void all.placeGroup(group, at + way)}
          onRemove={() => void all.remove(group)}
        />
      ) : (
        <h2 className={styles.head}>不分组</h2>
      )}
      <ol>
        {items.map((item) => (
          <ArrangeColumn
            key={item.key}
            item={item}
            original={original(item.key)}
            others={[...groups.filter(({ class_id }) => class_id !== id), ...(id === null ? [] : [null])]}
            held={what === 'column' && dragging?.key === item.key}
            before={here?.before === item.key}
            first={at === 0 && item === items[0]}
            last={group === null && item === items.at(-1)}
            onGrab={start({ what: 'column', key: item.key })}
            onChange={(by) => all.change(item, by)}
            onMove={(way) => all.move(item.key, way)}
            onShelf={(class_id) => all.settle(moveTo(list, item.key, class_id, null), item.key)}
          />
        ))}
        {here && here.before === null && <li className={styles.end} aria-hidden="true" />}
      </ol>
      {items.length === 0 && <p className="ui-hint">把列拖到这里，或用列右边的菜单移过来</p>}
    </section>
  )
}

function Net({ item, onChange }: { item: Item; onChange: (by: Partial<Item>) => void }) {
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
      <span className="ui-hint">大字显示在最上面</span>
    </section>
  )
}
