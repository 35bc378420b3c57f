import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { canMoveDepartment, type DepartmentTree } from '../../../../server/contract/directory/department-tree.ts'
import {
  clearDepartment,
  type Department,
  editDepartment,
  getDepartment,
  getMemberList,
  insertDepartment,
} from '../../../../server/contract/directory/members.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { ConfirmDialog, Dialog, FormDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { TreePicker } from '../../../components/tree/tree-picker.tsx'
import styles from '../member.module.css'
import type { DepartmentAction } from './department-tree.tsx'

type DepartmentDialogProps = DepartmentAction & {
  tree: readonly Department[]
  departmentTree: DepartmentTree
  onClose: () => void
  onDeleted: () => void
}

/** The dialog for an action on one department. Mounted only while open. */
export function DepartmentDialog(props: DepartmentDialogProps) {
  if (props.kind === 'new' || props.kind === 'rename') return <DepartmentNameDialog {...props} />
  if (props.kind === 'move') return <MoveDepartmentDialog {...props} />
  if (props.kind === 'leader') return <DepartmentLeaderDialog {...props} />
  return <DeleteDepartmentDialog {...props} />
}

const fieldErrorOptions = { handles: (error: { field?: string | undefined }) => error.field !== undefined }

function DepartmentNameDialog({ kind, department, onClose }: DepartmentDialogProps) {
  const add = useCallMutation(insertDepartment, fieldErrorOptions)
  const edit = useCallMutation(editDepartment, fieldErrorOptions)
  const isNew = kind === 'new'
  return (
    <FormDialog<{ name: string }>
      open
      title={isNew ? `在「${department.NAME}」下新建部门` : `重命名「${department.NAME}」`}
      action={isNew ? '新建' : '保存'}
      initial={isNew ? {} : { name: department.NAME }}
      onSubmit={async ({ name }) => {
        if (isNew) await add.mutateAsync({ name, pid: department.ID })
        else await edit.mutateAsync({ id: department.ID, name })
        toast.success(isNew ? `已新建「${name.trim()}」` : `已改名为「${name.trim()}」`)
      }}
      onClose={onClose}
    >
      <FormField name="name" label="部门名称" required="请填写部门名称" maxLength={50} />
    </FormDialog>
  )
}

/** Returns the tree without a department and its descendants. */
const removeDepartment = (tree: readonly Department[], id: string): Department[] =>
  tree.flatMap((node) => (node.ID === id ? [] : [{ ...node, child: removeDepartment(node.child, id) }]))

function MoveDepartmentDialog({ department, tree, departmentTree, onClose }: DepartmentDialogProps) {
  const [pid, setPid] = useState<string>()
  const move = useCallMutation(editDepartment, {
    onSuccess: () => {
      toast.success(`已移到「${departmentTree.get(pid ?? '')?.name}」下`)
      onClose()
    },
  })
  const currentParentId = departmentTree.get(department.ID)?.pid
  const allowed =
    pid === undefined
      ? '请选择上级部门'
      : pid === currentParentId
        ? '它现在就在这个部门下'
        : canMoveDepartment({ id: department.ID, name: department.NAME }, pid, departmentTree)
  return (
    <Dialog
      open
      title={`把「${department.NAME}」移动到`}
      action="移动"
      allowed={allowed}
      busy={move.isPending}
      onConfirm={() => pid && move.mutate({ id: department.ID, pid })}
      onClose={onClose}
    >
      <div className="ui-stack">
        <TreePicker tree={removeDepartment(tree, department.ID)} value={pid} placeholder="选择上级部门" onChange={setPid} />
        {pid !== undefined && allowed !== true && (
          <p className={styles.problem} role="alert">
            {allowed}
          </p>
        )}
        <p className="ui-hint">
          {department.count > 0 ? `里面的 ${department.count.toLocaleString('zh-CN')} 人和` : ''}
          下级部门一起移动；能看到他们的管理员会随上级部门改变。
        </p>
      </div>
    </Dialog>
  )
}

const maxListed = 20

function DepartmentLeaderDialog({ department, onClose }: DepartmentDialogProps) {
  const details = useQuery(callQuery(getDepartment, { id: department.ID }))
  const [selectedId, setSelectedId] = useState<string | null>()
  const [name, setName] = useState('')
  const members = useQuery(
    callQuery(getMemberList, { department_id: department.ID, pagesize: maxListed, ...(name ? { name } : {}) }),
  )
  const saveLeader = useCallMutation(editDepartment, {
    onSuccess: () => {
      toast.success('已保存负责人')
      onClose()
    },
  })
  const leader = details.data?.LEADER
  const value = selectedId === undefined ? leader?.ID : selectedId
  const memberOptions = (members.data?.list ?? []).map(({ ID, NAME, MOBILE }) => ({
    value: ID,
    label: `${NAME}（尾号 ${MOBILE.slice(-4)}）`,
  }))
  const options =
    leader && !name && !memberOptions.some((option) => option.value === leader.ID)
      ? [{ value: leader.ID, label: leader.NAME }, ...memberOptions]
      : memberOptions
  return (
    <Dialog
      open
      title={`「${department.NAME}」的负责人`}
      action="保存"
      allowed={selectedId === undefined || selectedId === (leader?.ID ?? null) ? '还没有改动' : true}
      busy={saveLeader.isPending}
      onConfirm={() => selectedId !== undefined && saveLeader.mutate({ id: department.ID, leader_id: selectedId })}
      onClose={onClose}
    >
      {details.data ? (
        <div className="ui-stack">
          <Select<string | null>
            aria-label="负责人"
            placeholder="输入姓名、手机号或工号查找"
            style={{ width: '100%' }}
            value={value ?? null}
            allowClear
            options={options}
            showSearch={{ filterOption: false, onSearch: setName }}
            loading={members.isFetching}
            notFoundContent={members.data ? '这个部门里没有找到这个人' : null}
            onChange={(next) => setSelectedId(next ?? null)}
          />
          <p className="ui-hint">从本部门和下级部门的在职员工里选。负责人只作标注，不会因此看到别人的工资。</p>
        </div>
      ) : (
        <Skeleton rows={2} />
      )}
    </Dialog>
  )
}

function DeleteDepartmentDialog({ department, tree, departmentTree, onClose, onDeleted }: DepartmentDialogProps) {
  const [key] = useState(createIdempotencyKey)
  // Uses current data, not cached data: it decides whether members have to be moved.
  const details = useQuery({ ...callQuery(getDepartment, { id: department.ID }), staleTime: 0 })
  const [to, setTo] = useState(departmentTree.get(department.ID)?.pid ?? undefined)
  const clear = useCallMutation(clearDepartment, {
    key,
    onSuccess: ({ moved }) => {
      toast.success(
        `已删除「${department.NAME}」${moved > 0 ? `，${moved.toLocaleString('zh-CN')} 人移到「${departmentTree.get(to ?? '')?.name}」` : ''}`,
      )
      onDeleted()
      onClose()
    },
  })
  const { own_count = 0, left_count = 0, child_count = 0 } = details.data ?? {}
  const peopleCount = own_count + left_count
  const allowed = !details.data
    ? '正在查看这个部门里有谁'
    : child_count > 0
      ? `下面还有 ${child_count} 个部门，请先移走或删除它们`
      : peopleCount > 0 && !to
        ? '请选择把他们移到哪个部门'
        : true
  return (
    <ConfirmDialog
      open
      danger
      title={`删除部门「${department.NAME}」？`}
      action={peopleCount > 0 ? `移走 ${peopleCount.toLocaleString('zh-CN')} 人并删除` : '删除部门'}
      allowed={allowed}
      busy={clear.isPending}
      onConfirm={() => clear.mutate({ id: department.ID, ...(peopleCount > 0 && to ? { move_to: to } : {}) })}
      onClose={onClose}
    >
      {!details.data ? (
        <Skeleton rows={2} />
      ) : child_count > 0 ? (
        <p>{allowed}。</p>
      ) : peopleCount === 0 ? (
        <p>这个部门里没有人，删除后不能恢复。</p>
      ) : (
        <div className="ui-stack">
          <p>
            里面有 {own_count.toLocaleString('zh-CN')} 位员工
            {left_count > 0 && `和 ${left_count.toLocaleString('zh-CN')} 位已离职的员工`}。他们和工资条都保留，移到：
          </p>
          <TreePicker tree={removeDepartment(tree, department.ID)} value={to} placeholder="选择接收的部门" onChange={setTo} />
        </div>
      )}
    </ConfirmDialog>
  )
}
