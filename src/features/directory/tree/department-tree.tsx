import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { memo, useCallback, useMemo, useState } from 'react'
import { type Department, editDepartment, getDepartList } from '../../../../server/contract/directory/members.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { lazyDialog } from '../../../components/lazy.tsx'
import { useWindowHeight } from '../../../components/media.ts'
import { toast } from '../../../components/overlay/toast.ts'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { MoreButton, type RowAction, SharedRowMenu } from '../../../components/table/row-menu.tsx'
import { Tree } from '../../../components/tree/tree.tsx'
import {
  buildDepartmentTree,
  type DepartmentDropTarget,
  filterTree,
  findDepartment,
  getInitiallyCollapsedIds,
  resolveDrop,
  resolveMove,
} from './drop-target.ts'
import styles from './tree.module.css'
import { type TreeDrag, useTreeDrag } from './use-tree-drag.ts'

const DepartmentDialog = lazyDialog(async () => (await import('./department-dialogs.tsx')).DepartmentDialog)

/** A department action that opens a dialog. */
export type DepartmentAction = { kind: 'new' | 'rename' | 'move' | 'leader' | 'delete'; department: Department }

type DepartmentTreeProps = {
  selectedId: string | undefined
  onSelect: (id: string | undefined) => void
  canEdit: boolean
  /** The height of the content above and below the tree. */
  surroundingHeight: number
}

/**
 * The department tree with headcounts; users who may edit the roster arrange it here. Selecting the selected department
 * again shows all members.
 */
export function DepartmentTree(props: DepartmentTreeProps) {
  const departments = useQuery(callQuery(getDepartList, {}))
  if (!departments.data)
    return departments.error ? (
      <ErrorState error={departments.error} retry={() => void departments.refetch()} />
    ) : (
      <Skeleton rows={7} />
    )
  if (departments.data.list.length === 0) return <p className="ui-hint">您还没有管理任何部门，请联系企业管理员</p>
  return <EditableTree {...props} tree={departments.data.list} />
}

function EditableTree({ tree, selectedId, onSelect, canEdit, surroundingHeight }: DepartmentTreeProps & { tree: Department[] }) {
  const [searchText, setSearchText] = useState<string>()
  const [collapsedIds, setCollapsedIds] = useState<ReadonlySet<string>>(() => new Set(getInitiallyCollapsedIds(tree)))
  const [action, setAction] = useState<DepartmentAction | null>(null)
  const [menu, setMenu] = useState<{ department: Department; button: HTMLButtonElement } | null>(null)
  const closeMenu = useCallback(() => setMenu(null), [])
  const openMenu = useCallback((department: Department, button: HTMLButtonElement) => setMenu({ department, button }), [])
  const departmentTree = useMemo(() => buildDepartmentTree(tree), [tree])
  const visibleTree = useMemo(() => (searchText ? filterTree(tree, searchText) : tree), [tree, searchText])
  const edit = useCallMutation(editDepartment)
  // A new department belongs to the selected one; without a selection to the topmost.
  const parentOfNew = (selectedId ? findDepartment(tree, selectedId) : undefined) ?? tree[0]
  const height = Math.max(240, useWindowHeight() - surroundingHeight)
  const moveDepartment = (id: string, { pid, before_id }: DepartmentDropTarget) =>
    edit.mutate({ id, pid, before_id }, { onSuccess: () => toast.success(formatMove(departmentTree, id, pid)) })
  const getDropTarget = ({ id, over }: Pick<TreeDrag, 'id' | 'over'>) =>
    over && resolveDrop(departmentTree, id, { ...over, isExpanded: !collapsedIds.has(over.id) })
  const { dragging, press } = useTreeDrag(
    (id) => setCollapsedIds((previous) => new Set([...previous].filter((one) => one !== id))),
    (id, over) => {
      const dropTarget = getDropTarget({ id, over })
      if (typeof dropTarget === 'string') toast.info(dropTarget)
      else if (dropTarget) moveDepartment(id, dropTarget)
    },
  )
  const dropTarget = dragging && getDropTarget(dragging)
  const getActions = (node: Department) =>
    getDepartmentActions(node, departmentTree, setAction, (target) => moveDepartment(node.ID, target))
  const renderRow = (node: Department) => (
    <TreeRow
      node={node}
      drop={dragging?.over?.id === node.ID ? (typeof dropTarget === 'string' ? 'no' : dropTarget && dragging.over.zone) : null}
      isDragged={dragging?.id === node.ID}
      {...(canEdit ? { onPress: press, onMenu: openMenu } : {})}
    />
  )
  return (
    <div className={styles.depts} data-dragging={dragging ? '' : undefined}>
      <SearchBox value={searchText} onSearch={setSearchText} placeholder="搜索部门" width="100%" />
      {canEdit && parentOfNew && (
        <Button block icon={<Icon name="add" />} onClick={() => setAction({ kind: 'new', department: parentOfNew })}>
          新建部门
        </Button>
      )}
      {visibleTree.length === 0 ? (
        <EmptyState
          illustration="search"
          text={`没有名称含「${searchText ?? ''}」的部门。`}
          action={<Button onClick={() => setSearchText(undefined)}>查看全部部门</Button>}
        />
      ) : (
        <Tree
          tree={visibleTree}
          selected={selectedId}
          onChoose={onSelect}
          height={height}
          // Search results are always expanded.
          folded={searchText ? noneCollapsed : collapsedIds}
          onFold={setCollapsedIds}
          titleMap={renderRow}
        />
      )}
      {dragging && <DragPreview {...dragging} position={dropTarget} hanging={departmentTree} />}
      {menu && (
        <SharedRowMenu key={menu.department.ID} button={menu.button} acts={getActions(menu.department)} onClose={closeMenu} />
      )}
      {action && (
        <>
          <DepartmentDialog
            {...action}
            tree={tree}
            departmentTree={departmentTree}
            onClose={() => setAction(null)}
            onDeleted={() => selectedId === action.department.ID && onSelect(undefined)}
          />
        </>
      )}
    </div>
  )
}

/** The preview of a dragged department next to the pointer: where it would be dropped, or why it cannot. */
function DragPreview(
  props: TreeDrag & {
    position: ReturnType<typeof resolveDrop> | null | undefined
    hanging: ReturnType<typeof buildDepartmentTree>
  },
) {
  const { id, x, y, position: dropTarget, hanging: departmentTree } = props
  return (
    <div className={styles.deptsHeld} style={{ left: x + 14, top: y + 12 }} role="status">
      {typeof dropTarget === 'string' ? (
        <span className={styles.deptsNo}>{dropTarget}</span>
      ) : dropTarget ? (
        formatMove(departmentTree, id, dropTarget.pid, '移到')
      ) : (
        departmentTree.get(id)?.name
      )}
    </div>
  )
}

const noneCollapsed: ReadonlySet<string> = new Set()
const formatMove = (departmentTree: ReturnType<typeof buildDepartmentTree>, id: string, pid: string, verb = '已移到') =>
  departmentTree.get(id)?.pid === pid
    ? `${verb === '移到' ? '调整' : '已调整'}「${departmentTree.get(id)?.name}」的顺序`
    : `${verb}「${departmentTree.get(pid)?.name}」下`

type TreeRowProps = {
  node: Department
  drop: string | null
  isDragged: boolean
  onPress?: (id: string, event: React.PointerEvent) => void
  onMenu?: (node: Department, button: HTMLButtonElement) => void
}

/** Memoized: the tree renders all visible rows on every wheel event. */
const TreeRow = memo(function Row({ node, drop, isDragged, onPress, onMenu }: TreeRowProps) {
  const { ID, NAME, count } = node
  return (
    <span className={styles.dept} data-department={ID} data-drop={drop ?? undefined} data-held={isDragged || undefined}>
      <span className={styles.deptName} title={NAME} onPointerDown={(event) => onPress?.(ID, event)}>
        {NAME}
      </span>
      <small>{count.toLocaleString('zh-CN')}</small>
      {onMenu && (
        // The tree handles keys itself, including those that press the button. Esc is not one of them: it closes the
        // drawer around the tree.
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

/** Returns the actions for one department, including everything that dragging can do. */
function getDepartmentActions(
  node: Department,
  departmentTree: ReturnType<typeof buildDepartmentTree>,
  openAction: (asking: DepartmentAction) => void,
  moveTo: (landed: DepartmentDropTarget) => void,
): RowAction[] {
  const createDialogAction = (kind: DepartmentAction['kind'], label: string, more: Partial<RowAction> = {}): RowAction => ({
    key: kind,
    label,
    onClick: () => openAction({ kind, department: node }),
    ...more,
  })
  const createMoveAction = (direction: -1 | 1, label: string): RowAction => {
    const target = resolveMove(departmentTree, node.ID, direction)
    if (typeof target === 'string') return { key: label, label, allowed: target, onClick: () => undefined }
    return { key: label, label, onClick: () => moveTo(target) }
  }
  const isRoot = departmentTree.get(node.ID)?.pid === null
  const rootRestriction = isRoot ? { allowed: '最上级部门不能移动' as const } : {}
  return [
    createDialogAction('new', '新建下级部门'),
    createDialogAction('rename', '重命名'),
    createDialogAction('leader', '设置负责人'),
    createDialogAction('move', '移动到…', rootRestriction),
    ...(isRoot ? [] : [createMoveAction(-1, '上移'), createMoveAction(1, '下移')]),
    createDialogAction('delete', '删除', { danger: true, ...(isRoot ? { allowed: '最上级部门不能删除' } : {}) }),
  ]
}
