import { useQuery } from '@tanstack/react-query'
import { Form, Input, Select } from 'antd'
import { useState } from 'react'
import { type Hanging, mayHang } from '../../../../server/contract/people/hanging.ts'
import {
  clearDepartment,
  type Department,
  editDepartment,
  getDepartment,
  getMemberList,
  insertDepartment,
} from '../../../../server/contract/people/member.ts'
import { intent, query, useCall } from '../../../api.ts'
import { ConfirmDialog, Dialog, FormDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { TreePicker } from '../../../ui/tree/tree-picker.tsx'
import styles from '../member.module.css'
import type { Asking } from './department-tree.tsx'

type Props = Asking & { tree: readonly Department[]; hanging: Hanging; onClose: () => void; onGone: () => void }

/** What is asked about one department. Mounted while it is open. */
export function DepartmentDialog(props: Props) {
  if (props.what === 'new' || props.what === 'rename') return <NameDialog {...props} />
  if (props.what === 'move') return <MoveDialog {...props} />
  if (props.what === 'leader') return <LeaderDialog {...props} />
  return <DeleteDialog {...props} />
}

const onField = { handles: (error: { field?: string | undefined }) => error.field !== undefined }

function NameDialog({ what, at, onClose }: Props) {
  const add = useCall(insertDepartment, onField)
  const edit = useCall(editDepartment, onField)
  const isNew = what === 'new'
  return (
    <FormDialog<{ name: string }>
      open
      title={isNew ? `在「${at.NAME}」下新建部门` : `重命名「${at.NAME}」`}
      action={isNew ? '新建' : '保存'}
      initial={isNew ? {} : { name: at.NAME }}
      onSubmit={async ({ name }) => {
        if (isNew) await add.mutateAsync({ name, pid: at.ID })
        else await edit.mutateAsync({ id: at.ID, name })
        toast.done(isNew ? `已新建「${name.trim()}」` : `已改名为「${name.trim()}」`)
      }}
      onClose={onClose}
    >
      <Form.Item name="name" label="部门名称" rules={[{ required: true, whitespace: true, message: '请填写部门名称' }]}>
        <Input maxLength={50} autoComplete="off" />
      </Form.Item>
    </FormDialog>
  )
}

/** The tree without a department and what is below it. */
const without = (tree: readonly Department[], id: string): Department[] =>
  tree.flatMap((node) => (node.ID === id ? [] : [{ ...node, child: without(node.child, id) }]))

function MoveDialog({ at, tree, hanging, onClose }: Props) {
  const [pid, setPid] = useState<string>()
  const move = useCall(editDepartment, {
    onSuccess: () => {
      toast.done(`已移到「${hanging.get(pid ?? '')?.name}」下`)
      onClose()
    },
  })
  const now = hanging.get(at.ID)?.pid
  const verdict =
    pid === undefined
      ? '请选择上级部门'
      : pid === now
        ? '它现在就在这个部门下'
        : mayHang({ id: at.ID, name: at.NAME }, pid, hanging)
  return (
    <Dialog
      open
      title={`把「${at.NAME}」移动到`}
      action="移动"
      verdict={verdict}
      busy={move.isPending}
      onConfirm={() => pid && move.mutate({ id: at.ID, pid })}
      onClose={onClose}
    >
      <div className="ui-stack">
        <TreePicker tree={without(tree, at.ID)} value={pid} placeholder="选择上级部门" onChange={setPid} />
        {pid !== undefined && verdict !== true && (
          <p className={styles.problem} role="alert">
            {verdict}
          </p>
        )}
        <p className="ui-hint">
          {at.count > 0 ? `里面的 ${at.count.toLocaleString('zh-CN')} 人和` : ''}
          下级部门一起移动；能看到他们的管理员会随上级部门改变。
        </p>
      </div>
    </Dialog>
  )
}

const listed = 20

function LeaderDialog({ at, onClose }: Props) {
  const asked = useQuery(query(getDepartment, { id: at.ID }))
  const [chosen, setChosen] = useState<string | null>()
  const [name, setName] = useState('')
  const found = useQuery(query(getMemberList, { department_id: at.ID, pagesize: listed, ...(name ? { name } : {}) }))
  const lead = useCall(editDepartment, {
    onSuccess: () => {
      toast.done('已保存负责人')
      onClose()
    },
  })
  const leader = asked.data?.LEADER
  const value = chosen === undefined ? leader?.ID : chosen
  const people = (found.data?.list ?? []).map(({ ID, NAME, MOBILE }) => ({
    value: ID,
    label: `${NAME}（尾号 ${MOBILE.slice(-4)}）`,
  }))
  const options =
    leader && !name && !people.some((one) => one.value === leader.ID)
      ? [{ value: leader.ID, label: leader.NAME }, ...people]
      : people
  return (
    <Dialog
      open
      title={`「${at.NAME}」的负责人`}
      action="保存"
      verdict={chosen === undefined || chosen === (leader?.ID ?? null) ? '还没有改动' : true}
      busy={lead.isPending}
      onConfirm={() => chosen !== undefined && lead.mutate({ id: at.ID, leader_id: chosen })}
      onClose={onClose}
    >
      {asked.data ? (
        <div className="ui-stack">
          <Select<string | null>
            aria-label="负责人"
            placeholder="输入姓名、手机号或工号查找"
            style={{ width: '100%' }}
            value={value ?? null}
            allowClear
            options={options}
            showSearch={{ filterOption: false, onSearch: setName }}
            loading={found.isFetching}
            notFoundContent={found.data ? '这个部门里没有找到这个人' : null}
            onChange={(next) => setChosen(next ?? null)}
          />
          <p className="ui-hint">从本部门和下级部门的在职员工里选。负责人只作标注，不会因此看到别人的工资。</p>
        </div>
      ) : (
        <Skeleton rows={2} />
      )}
    </Dialog>
  )
}

function DeleteDialog({ at, tree, hanging, onClose, onGone }: Props) {
  const [key] = useState(intent)
  // What is in it now, not a while ago: by that it is decided whether anybody has to go somewhere.
  const asked = useQuery({ ...query(getDepartment, { id: at.ID }), staleTime: 0 })
  const [to, setTo] = useState(hanging.get(at.ID)?.pid ?? undefined)
  const clear = useCall(clearDepartment, {
    key,
    onSuccess: ({ moved }) => {
      toast.done(
        `已删除「${at.NAME}」${moved > 0 ? `，${moved.toLocaleString('zh-CN')} 人移到「${hanging.get(to ?? '')?.name}」` : ''}`,
      )
      onGone()
      onClose()
    },
  })
  const { own_count = 0, left_count = 0, child_count = 0 } = asked.data ?? {}
  const people = own_count + left_count
  const verdict = !asked.data
    ? '正在查看这个部门里有谁'
    : child_count > 0
      ? `下面还有 ${child_count} 个部门，请先移走或删除它们`
      : people > 0 && !to
        ? '请选择把他们移到哪个部门'
        : true
  return (
    <ConfirmDialog
      open
      danger
      title={`删除部门「${at.NAME}」？`}
      action={people > 0 ? `移走 ${people.toLocaleString('zh-CN')} 人并删除` : '删除部门'}
      verdict={verdict}
      busy={clear.isPending}
      onConfirm={() => clear.mutate({ id: at.ID, ...(people > 0 && to ? { move_to: to } : {}) })}
      onClose={onClose}
    >
      {!asked.data ? (
        <Skeleton rows={2} />
      ) : child_count > 0 ? (
        <p>{verdict}。</p>
      ) : people === 0 ? (
        <p>这个部门里没有人，删除后不能恢复。</p>
      ) : (
        <div className="ui-stack">
          <p>
            里面有 {own_count.toLocaleString('zh-CN')} 位员工
            {left_count > 0 && `和 ${left_count.toLocaleString('zh-CN')} 位已离职的员工`}。他们和工资条都保留，移到：
          </p>
          <TreePicker tree={without(tree, at.ID)} value={to} placeholder="选择接收的部门" onChange={setTo} />
        </div>
      )}
    </ConfirmDialog>
  )
}
