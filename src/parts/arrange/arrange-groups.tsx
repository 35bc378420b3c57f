import { Button, Checkbox, Input } from 'antd'
import { useState } from 'react'
import { clearClassify, insertClassify, type Layout, updateClassify } from '../../../server/contract/sheet.ts'
import { useCall } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { change, type Group, type Item, moveTo, shelvesOf, step } from './arrange.ts'
import { ArrangeColumn } from './arrange-column.tsx'
import { useDrag } from './use-drag.ts'

/** Groups and their columns. Columns are in hands of the page (`list`); groups are the server's and change at once. */
export function ArrangeGroups(props: {
  batch_id: string
  groups: Layout['groups']
  list: readonly Item[]
  original: (key: string) => string
  /** The column of the net pay: it stands large on top of the slip, in no group. */
  net: string | undefined
  onList: (list: Item[]) => void
  /** Puts on the server what is still in hand, before a group changes under it. */
  flush: () => Promise<boolean>
}) {
  const { batch_id, groups, flush } = props
  const net = props.list.find((item) => item.key === props.net)
  const list = props.list.filter((item) => item !== net)
  const onList = (next: Item[]) => props.onList(net ? [net, ...next] : next)
  const add = useCall(insertClassify)
  const update = useCall(updateClassify)
  const clear = useCall(clearClassify)
  const [said, setSaid] = useState('')
  const { dragging, start } = useDrag((key, { class_id, before }) => onList(moveTo(list, key, class_id, before)))
  const shelves = shelvesOf(groups, list).filter(({ group, items }) => group !== null || items.length > 0 || dragging !== null)
  const nameOf = (class_id: string | null) => groups.find((group) => group.class_id === class_id)?.name ?? '不分组'

  const move = (key: string, way: -1 | 1) => {
    const next = step(groups, list, key, way)
    if (!next) return
    onList(next)
    const item = next.find((one) => one.key === key)
    const inside = next.filter((one) => one.class_id === item?.class_id)
    setSaid(
      `${item?.value ?? ''} 移到「${nameOf(item?.class_id ?? null)}」第 ${inside.findIndex((one) => one.key === key) + 1} 位`,
    )
  }
  const remove = async (group: Group) => {
    await flush()
    clear.mutate(
      { batch_id, class_id: group.class_id },
      { onSuccess: () => onList(list.map((item) => (item.class_id === group.class_id ? { ...item, class_id: null } : item))) },
    )
  }
  return (
    <div className="arrange" data-dragging={dragging ? '' : undefined}>
      {net && <Net item={net} onChange={(by) => props.onList(change(props.list, net.key, by))} />}
      {shelves.map(({ group, items }, at) => {
        const place = dragging?.place && dragging.place.class_id === (group?.class_id ?? null) ? dragging.place : null
        return (
          <section
            key={group?.class_id ?? ''}
            className="ui-card"
            data-shelf={group?.class_id ?? ''}
            aria-label={group?.name ?? '不分组'}
          >
            {group ? (
              <GroupHead
                key={group.name}
                group={group}
                first={at === 0}
                last={at === groups.length - 1}
                onRename={(name) => update.mutate({ batch_id, class_id: group.class_id, name })}
                onPlace={(way) => update.mutate({ batch_id, class_id: group.class_id, place: at + way })}
                onRemove={() => void remove(group)}
              />
            ) : (
              <h2 className="arrange-head">不分组</h2>
            )}
            <ol>
              {items.map((item) => (
                <ArrangeColumn
                  key={item.key}
                  item={item}
                  original={props.original(item.key)}
                  held={dragging?.key === item.key}
                  before={place?.before === item.key}
                  first={at === 0 && item === items[0]}
                  last={group === null && item === items.at(-1)}
                  onGrab={start(item.key)}
                  onChange={(by) => onList(change(list, item.key, by))}
                  onMove={(way) => move(item.key, way)}
                />
              ))}
              {place && place.before === null && <li className="arrange-end" aria-hidden="true" />}
            </ol>
            {items.length === 0 && <p className="ui-hint">把列拖到这里，或用列右边的上移、下移</p>}
          </section>
        )
      })}
      <Button icon={<Icon name="add" />} loading={add.isPending} onClick={() => add.mutate({ batch_id, name: freeName(groups) })}>
        添加分组
      </Button>
      <p className="sr-only" role="status">
        {said}
      </p>
    </div>
  )
}

const freeName = (groups: readonly Group[]) => {
  let number = 1
  while (groups.some(({ name }) => name === `新分组${number}`)) number++
  return `新分组${number}`
}

function GroupHead(props: {
  group: Group
  first: boolean
  last: boolean
  onRename: (name: string) => void
  onPlace: (way: -1 | 1) => void
  onRemove: () => void
}) {
  const { group } = props
  const [name, setName] = useState(group.name)
  const done = () => {
    const next = name.trim()
    if (next === '') setName(group.name)
    else if (next !== group.name) props.onRename(next)
  }
  return (
    <div className="arrange-head">
      <h2 className="ui-grow">
        <Input
          variant="borderless"
          aria-label={`分组「${group.name}」的名称`}
          value={name}
          maxLength={20}
          onChange={(event) => setName(event.target.value)}
          onBlur={done}
          onPressEnter={done}
        />
      </h2>
      <button
        type="button"
        className="arrange-tool arrange-up"
        aria-label={`分组「${group.name}」上移`}
        disabled={props.first}
        onClick={() => props.onPlace(-1)}
      >
        <Icon name="down" size={16} />
      </button>
      <button
        type="button"
        className="arrange-tool"
        aria-label={`分组「${group.name}」下移`}
        disabled={props.last}
        onClick={() => props.onPlace(1)}
      >
        <Icon name="down" size={16} />
      </button>
      <button
        type="button"
        className="arrange-tool"
        aria-label={`去掉分组「${group.name}」，里面的列保留`}
        title="去掉分组"
        onClick={props.onRemove}
      >
        <Icon name="close" size={16} />
      </button>
    </div>
  )
}

function Net({ item, onChange }: { item: Item; onChange: (by: Partial<Item>) => void }) {
  return (
    <section className="ui-card arrange-net" aria-label="最上面的大字">
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
