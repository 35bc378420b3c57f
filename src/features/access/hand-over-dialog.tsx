import { Form } from 'antd'
import { transferSystemManager } from '../../../server/contract/approvals/approvals.ts'
import { ApiError, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { accountFields } from '../auth/account/account-fields.ts'
import { changeMessages } from '../auth/account/change-messages.ts'
import { MemberPicker, type SelectedMember } from '../directory/member-picker.tsx'
import styles from './role.module.css'

type TransferForm = { member_id: SelectedMember[]; password: string }

/**
 * Transfers the role of the system manager, confirmed by password. The response is the error `transferred`, which leads
 * to the sign-in page.
 */
export function TransferSystemManagerDialog({ onClose }: { onClose: () => void }) {
  const transfer = useCallMutation(transferSystemManager, {
    handles: (error) => error.field !== undefined || error.is('wrong_password'),
  })
  const submit = async ({ member_id: [member], password }: TransferForm) => {
    try {
      await transfer.mutateAsync({ member_id: member?.ID ?? '', password })
    } catch (error) {
      if (error instanceof ApiError && error.is('wrong_password'))
        throw new ApiError(error.code, '密码不正确，请重新输入', { field: 'password' })
      throw error
    }
  }
  return (
    <FormDialog<TransferForm> open title="移交系统管理员权限" action="移交并退出登录" onSubmit={submit} onClose={onClose}>
      <p className={styles.note}>移交后，对方拥有全部权限，您将不再是系统管理员并立即退出登录。只有对方能再移交回来。</p>
      <Form.Item
        name="member_id"
        label="移交给"
        required
        rules={[{ required: true, type: 'array', min: 1, message: changeMessages.transfer.noneSelected }]}
      >
        <SuccessorField />
      </Form.Item>
      <FormField name="password" {...accountFields.password} required="请输入登录密码" />
    </FormDialog>
  )
}

const SuccessorField = ({
  value = [],
  onChange,
}: {
  value?: SelectedMember[]
  onChange?: (people: SelectedMember[]) => void
}) => <MemberPicker label="移交给" value={value} onChange={(people) => onChange?.(people)} />
