import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { lazy, memo, Suspense, useCallback, useMemo, useState } from 'react'
import { type Department, editDepartment, getDepartList } from '../../../../server/contract/people/member.ts'
import { query, useCall } from '../../../api.ts'
import { useHeight } from '../../../ui/media.ts'
import { toast } from '../../../ui/over/toast.ts'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { MoreButton, OneMenu, type RowAct } from '../../../ui/table/row-menu.tsx'
import { Tree } from '../../../ui/tree/tree.tsx'
import { foldedAtFirst, found, hangingOf, type Landing, landing, stepped } from './landing.ts'
import styles from './tree.module.css'
import { type Dragging, useTreeDrag } from './use-tree-drag.ts'

const Ask = lazy(async () => ({ default: (await import('./department-dialogs.tsx')).DepartmentDialog }))

/** What is asked about a department before it is done. */
export type Asking = { what: 'new' | 'rename' | 'move' | 'leader' | 'delete'; at: Department }

type Props = {
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
  keeps: boolean
  /** What stands above and below it in its window. */
  around: number
}

/** The department tree, each with the number of its people; who keeps it arranges it here. Choosing the chosen one again shows everybody. */
export function DepartmentTree(props: Props) {
  const asked = useQuery(query(getDepartList, {}))
  if (!asked.data)
    return asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={7} />
  if (asked.data.list.length === 0) return <p className="ui-hint">您还没有管理任何部门，请联系企业管理员</p>
  return <Arranged {...props} tree={asked.data.list} />
}

function Arranged({ tree, chosen, onChoose, keeps, around }: Props & { tree: Department[] }) {
  const [words, setWords] = useState<string>()
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => new Set(foldedAtFirst(tree)))
  const [asking, setAsking] = useState<Asking | null>(null)
  const [menu, setMenu] = useState<{ of: Department; button: HTMLButtonElement } | null>(null)
  const closeMenu = useCallback(() => setMenu(null), [])
  const openMenu = useCallback((of: Department, button: HTMLButtonElement) => setMenu({ of, button }), [])
  const hanging = useMemo(() => hangingOf(tree), [tree])
  const shown = useMemo(() => (words ? found(tree, words) : tree), [tree, words])
  const edit = useCall(editDepartment)
  const height = Math.max(240, useHeight() - around)
  const put = (id: string, { pid, before_id }: Landing) =>
    edit.mutate({ id, pid, before_id }, { onSuccess: () => toast.done(saidOf(hanging, id, pid)) })
  const landingOf = ({ id, over }: Pick<Dragging, 'id' | 'over'>) =>
    over && landing(hanging, id, { ...over, open: !folded.has(over.id) })
  const { dragging, press } = useTreeDrag(
    (id) => setFolded((before) => new Set([...before].filter((one) => one !== id))),
    (id, over) => {
      const place = landingOf({ id, over })
      if (typeof place === 'string') toast.info(place)
      else if (place) put(id, place)
    },
  )
  const place = dragging && landingOf(dragging)
  const acts = (node: Department) => actsOf(node, hanging, setAsking, (landed) => put(node.ID, landed))
  const rowOf = (node: Department) => (
    <Row
      node={node}
      drop={dragging?.over?.id === node.ID ? (typeof place === 'string' ? 'no' : place && dragging.over.gap) : null}
      held={dragging?.id === node.ID}
      {...(keeps ? { press, onMenu: openMenu } : {})}
    />
  )
  return (
    <div className={styles.depts} data-dragging={dragging ? '' : undefined}>
      <SearchBox value={words} onSearch={setWords} placeholder="搜索部门" width="100%" />
      {shown.length === 0 ? (
        <Empty
          drawing="search"
          text={`没有名称含「${words ?? ''}」的部门。`}
          action={<Button onClick={() => setWords(undefined)}>查看全部部门</Button>}
        />
      ) : (
        <Tree
          tree={shown}
          chosen={chosen}
          onChoose={onChoose}
          height={height}
          // What was looked for is in sight.
          folded={words ? none : folded}
          onFold={setFolded}
          titleOf={rowOf}
        />
      )}
      {dragging && <Held {...dragging} place={place} hanging={hanging} />}
      {menu && <OneMenu key={menu.of.ID} button={menu.button} acts={acts(menu.of)} onClose={closeMenu} />}
      {asking && (
        <Suspense fallback={null}>
          <Ask
            {...asking}
            tree={tree}
            hanging={hanging}
            onClose={() => setAsking(null)}
            onGone={() => chosen === asking.at.ID && onChoose(undefined)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** What is dragged, beside the pointer: where it would land, or why it cannot. */
function Held(props: Dragging & { place: ReturnType<typeof landing> | null | undefined; hanging: ReturnType<typeof hangingOf> }) {
  const { id, x, y, place, hanging } = props
  return (
    <div className={styles.deptsHeld} style={{ left: x + 14, top: y + 12 }} role="status">
      {typeof place === 'string' ? (
        <span className={styles.deptsNo}>{place}</span>
      ) : place ? (
        saidOf(hanging, id, place.pid, '移到')
      ) : (
        hanging.get(id)?.name
      )}
    </div>
  )
}

const none: ReadonlySet<string> = new Set()
const saidOf = (hanging: ReturnType<typeof hangingOf>, id: string, pid: string, did = '已移到') =>
  hanging.get(id)?.pid === pid
    ? `${did === '移到' ? '调整' : '已调整'}「${hanging.get(id)?.name}」的顺序`
    : `${did}「${hanging.get(pid)?.name}」下`

type RowProps = {
  node: Department
  drop: string | null
  held: boolean
  press?: (id: string, event: React.PointerEvent) => void
  onMenu?: (node: Department, button: HTMLButtonElement) => void
}

/** Drawn anew only where it shows something else: the tree asks for all in sight at each turn of the wheel. */
const Row = memo(function Row({ node, drop, held, press, onMenu }: RowProps) {
  const { ID, NAME, count } = node
  return (
    <span className={styles.dept} data-department={ID} data-drop={drop ?? undefined} data-held={held || undefined}>
      <span className={styles.deptName} title={NAME} onPointerDown={(event) => press?.(ID, event)}>
        {NAME}
      </span>
      <small>{count.toLocaleString('zh-CN')}</small>
      {onMenu && (
        // The tree has keys of its own, and takes what presses the button for them. Esc is none of these: it closes the drawer around the tree.
        <span
          className={styles.deptActs}
          role="presentation"
          onKeyDown={(event) => {
            if (event.key !== 'Escape') event.stopPropagation()
          }}
        >
          <MoreButton label={NAME} onPress={(button) => onMenu(node, button)} />
        </span>
      )}
    </span>
  )
})

/** What can be done with one department: everything that a drag can do, too. */
function actsOf(
  node: Department,
  hanging: ReturnType<typeof hangingOf>,
  ask: (asking: Asking) => void,
  put: (landed: Landing) => void,
): RowAct[] {
  const asks = (what: Asking['what'], label: string, more: Partial<RowAct> = {}): RowAct => ({
    key: what,
    label,
    onClick: () => ask({ what, at: node }),
    ...more,
  })
  const step = (way: -1 | 1, label: string): RowAct => {
    const landed = stepped(hanging, node.ID, way)
    if (typeof landed === 'string') return { key: label, label, verdict: landed, onClick: () => undefined }
    return { key: label, label, onClick: () => put(landed) }
  }
  const top = hanging.get(node.ID)?.pid === null
  const stays = top ? { verdict: '最上级部门不能移动' as const } : {}
  return [
    asks('new', '新建下级部门'),
    asks('rename', '重命名'),
    asks('leader', '设置负责人'),
    asks('move', '移动到…', stays),
    ...(top ? [] : [step(-1, '上移'), step(1, '下移')]),
    asks('delete', '删除', { danger: true, ...(top ? { verdict: '最上级部门不能删除' } : {}) }),
  ]
}
