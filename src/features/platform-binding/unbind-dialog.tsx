import type { CallRequest } from '../../../server/contract/call.ts'
import { applyUnBindingPlatform } from '../../../server/contract/platform-binding/binding.ts'
import { type ChatProvider, providerLabels } from '../../../server/contract/shared/providers.ts'
import { useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'

type UnbindDialogProps = { provider: ChatProvider; endsAtOnce: boolean; onDone: () => void; onClose: () => void }

/** States what ends and what stays, and whether it ends at once, before the unbinding is requested. */
export function UnbindDialog({ provider, endsAtOnce, onDone, onClose }: UnbindDialogProps) {
  const apply = useCallMutation(applyUnBindingPlatform, { handles: (error) => error.field !== undefined })
  const name = providerLabels[provider]
  return (
    <FormDialog<CallRequest<typeof applyUnBindingPlatform>>
      open
      title={`解除与${name}的绑定`}
      action={endsAtOnce ? '直接解除绑定' : '提交申请'}
      danger={endsAtOnce}
      onSubmit={async (values) => {
        toast.success((await apply.mutateAsync(values)).message)
        onDone()
      }}
      onClose={onClose}
    >
      <p>解除后不能再用{name}登录和接收消息，正在使用的会退出登录，应用密钥会删除。</p>
      <p className="ui-hint">
        员工、工资条和对应关系都保留，重新绑定同一家企业后自动恢复。
        {endsAtOnce ? '不需要审批，提交后立即解除。' : '需要另一位企业管理员或系统管理员审批。'}
      </p>
      <FormField
        name="reason"
        label="原因"
        kind="multiline"
        required="请填写解除绑定的原因"
        maxLength={200}
        showCount
        rows={3}
        autoFocus
      />
    </FormDialog>
  )
}
