import { Form, Input } from 'antd'
import { transferSystemManager } from '../../../server/contract/corp/approval.ts'
import { ApiError, useCall } from '../../api.ts'
import { FormDialog } from '../../ui/over/dialogs.tsx'
import { messages } from '../account/messages.ts'
import { MemberPicker, type PickedPerson } from '../member/member-picker.tsx'
import styles from './role.module.css'

type Values = { member_id: PickedPerson[]; password: string }

/** The system manager hands everything over, with his password. The answer is the refusal `transferred`: it leads to the sign-in page. */
export function HandOverDialog({ onClose }: { onClose: () => void }) {
  const hand = useCall(transferSystemManager, {
    handles: (error) => error.field !== undefined || error.is('wrong_password'),
  })
  const submit = async ({ member_id: [person], password }: Values) => {
    try {
      await hand.mutateAsync({ member_id: person?.ID ?? '', password })
    } catch (error) {
      if (error instanceof ApiError && error.is('wrong_password'))
        throw new ApiError(error.code, '密码不正确，请重新输入', { field: 'password' })
      throw error
    }
  }
  return (
    <FormDialog<Values> open title="移交系统管理员权限" action="移交并退出登录" onSubmit={submit} onClose={onClose}>
      <p className={styles.note}>移交后，对方拥有全部权限，您将不再是系统管理员并立即退出登录。只有对方能再移交回来。</p>
      <Form.Item
        name="member_id"
        label="移交给"
        required
        rules={[{ required: true, type: 'array', min: 1, message: messages.transfer.nobody }]}
      >
        <To />
      </Form.Item>
      <Form.Item name="password" label="登录密码" rules={[{ required: true, message: '请输入登录密码' }]}>
        <Input.Password autoComplete="current-password" maxLength={64} />
      </Form.Item>
    </FormDialog>
  )
}

const To = ({ value = [], onChange }: { value?: PickedPerson[]; onChange?: (people: PickedPerson[]) => void }) => (
  <MemberPicker label="移交给" value={value} onChange={(people) => onChange?.(people)} />
)
