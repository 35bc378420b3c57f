import { useQuery } from '@tanstack/react-query'
import { Checkbox, Form } from 'antd'
import { useState } from 'react'
import { getDepartList } from '../../../server/contract/directory/members.ts'
import { decideJoinRequest, sendInviteCode } from '../../../server/contract/invites/invite.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { ConfirmDialog, FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { TreePicker } from '../../components/tree/tree-picker.tsx'
import styles from './approval.module.css'
import type { JoinRequest } from './labels.ts'

/** The decision: 1 to add to the roster, 2 to reject. */
export function JoinRequestDialog({ join, status, onClose }: { join: JoinRequest; status: 1 | 2; onClose: () => void }) {
  return status === 1 ? <AcceptJoinDialog join={join} onClose={onClose} /> : <RejectJoinDialog join={join} onClose={onClose} />
}

type JoinForm = { name: string; department_ids?: string[]; invite: boolean }

function AcceptJoinDialog({ join, onClose }: { join: JoinRequest; onClose: () => void }) {
  const tree = useQuery(callQuery(getDepartList, {}))
  const decide = useCallMutation(decideJoinRequest, { handles: (error) => error.field !== undefined })
  const send = useCallMutation(sendInviteCode)
  const submit = async ({ name, department_ids, invite }: JoinForm) => {
    const { member_id } = await decide.mutateAsync({
      join_id: join.join_id,
      status: 1,
      name,
      ...(department_ids?.length ? { department_ids } : {}),
    })
    toast.success(`${name} 已加入花名册`)
    // The member is on the roster whether or not the invite is sent; the call itself reports a failed send.
    if (invite && member_id) await send.mutateAsync({ member_ids: [member_id] }).catch(() => undefined)
  }
  return (
    <FormDialog<JoinForm>
      open
      title={`同意 ${join.name} 加入？`}
      action="加入花名册"
      initial={{ name: join.name, invite: true }}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className={styles.what}>
        {join.name} 用手机号 {join.mobile} 扫码申请，号码已用验证码核实。请先确认是本公司的人。
      </p>
      <FormField name="name" label="姓名" required="请填写姓名" maxLength={50} />
      <Form.Item name="department_ids" label="部门">
        <TreePicker multiple tree={tree.data?.list ?? []} />
      </Form.Item>
      <Form.Item name="invite" valuePropName="checked" extra="他也可以再扫一次二维码加入">
        <Checkbox>发邀请给他，点链接就能看工资条</Checkbox>
      </Form.Item>
    </FormDialog>
  )
}

function RejectJoinDialog({ join, onClose }: { join: JoinRequest; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const decide = useCallMutation(decideJoinRequest, {
    key,
    onSuccess: () => {
      toast.success(`已拒绝 ${join.name} 的申请`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={`拒绝 ${join.name} 加入？`}
      action="拒绝加入"
      busy={decide.isPending}
      onConfirm={() => decide.mutate({ join_id: join.join_id, status: 2 })}
      onClose={onClose}
    >
      {join.name}（{join.mobile}）不会进入花名册，看不到任何工资条，也不会收到消息。他以后可以重新扫码申请。
    </ConfirmDialog>
  )
}
