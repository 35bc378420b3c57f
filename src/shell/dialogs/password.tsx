import { Form, Input } from 'antd'
import { setEarlyPassword, updatePassword } from '../../../server/contract/account.ts'
import { toSignIn, useCall } from '../../api.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { toast } from '../../ui/toast.ts'

const redirectAfter = 3000
type Change = { old_password: string; password: string; confirm_password: string }
const hint = '6-16 位字母、数字或组合'

/** 修改密码. The server takes 6 to 64 characters; the hint says 6-16 as specified. */
export function PasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const change = useCall(updatePassword, {
    handles: (error) => error.field !== undefined,
    onSuccess: () => {
      toast.done('密码修改成功！')
      setTimeout(() => toSignIn({ back: false }), redirectAfter)
    },
  })
  return (
    <FormDialog<Change> open={open} title="修改密码" action="修改密码" onSubmit={change.mutateAsync} onClose={onClose}>
      <Form.Item name="old_password" label="原密码" rules={[{ required: true, message: '密码不能为空' }]}>
        <Input.Password autoComplete="current-password" autoFocus maxLength={64} />
      </Form.Item>
      <NewPassword label="新密码" empty="密码不能为空" differ="两次输入的新密码不一致，请重新输入" />
    </FormDialog>
  )
}

/** The first password, while pass_status is 10: opens by itself. */
export function EarlyPasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const set = useCall(setEarlyPassword, {
    handles: (error) => error.field !== undefined,
    onSuccess: () => toast.done('设置成功！'),
  })
  return (
    <FormDialog<Omit<Change, 'old_password'>>
      open={open}
      title="设置登录密码"
      action="设置密码"
      onSubmit={set.mutateAsync}
      onClose={onClose}
    >
      <NewPassword label="登录密码" empty="请输入登录密码" differ="两次密码不一致" />
    </FormDialog>
  )
}

function NewPassword({ label, empty, differ }: { label: string; empty: string; differ: string }) {
  return (
    <>
      <Form.Item name="password" label={label} extra={hint} rules={[{ required: true, message: empty }]}>
        <Input.Password autoComplete="new-password" maxLength={64} />
      </Form.Item>
      <Form.Item
        name="confirm_password"
        label={`确认${label}`}
        dependencies={['password']}
        rules={[
          { required: true, message: empty },
          ({ getFieldValue }) => ({
            validator: (_, value: string) =>
              !value || value === getFieldValue('password') ? Promise.resolve() : Promise.reject(new Error(differ)),
          }),
        ]}
      >
        <Input.Password autoComplete="new-password" maxLength={64} />
      </Form.Item>
    </>
  )
}
