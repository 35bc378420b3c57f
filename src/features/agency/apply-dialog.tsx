import { applyJoin } from '../../../server/contract/agency/agency.ts'
import type { CallRequest } from '../../../server/contract/call.ts'
import { useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'

/**
 * Applies to serve a company. The dialog does not reveal whether the company is a customer: its administrator answers,
 * or nobody does.
 */
export function ApplyDialog({ onClose }: { onClose: () => void }) {
  const apply = useCallMutation(applyJoin, {
    handles: (error) => error.field !== undefined,
    onSuccess: ({ message }) => toast.success(message),
  })
  return (
    <FormDialog<CallRequest<typeof applyJoin>>
      open
      title="申请服务企业"
      action="提交申请"
      onSubmit={(values) => apply.mutateAsync(values)}
      onClose={onClose}
    >
      <FormField name="name" label="企业名称" help="须与对方登记名称完全一致" maxLength={50} />
      <FormField
        name="phone"
        label="对方企业管理员的手机号"
        kind="tel"
        help="由这家企业的管理员审批，并决定范围和截止日期"
        maxLength={11}
      />
    </FormDialog>
  )
}
