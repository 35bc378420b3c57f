import { Form } from 'antd'
import { useState } from 'react'
import { setApprovalStatusByApprovalNo } from '../../../server/contract/approvals/approvals.ts'
import { createIdempotencyKey, useCallMutation } from '../../api.ts'
import { DateField } from '../../components/form/date-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { emptyScope, ScopeField, type SelectedScope, scopeRule } from '../access/scope.tsx'

type ServiceForm = { scope: SelectedScope; until: string }
const getOneYearFromToday = () => new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10)

/** Grants an agency access: to which departments, and until when. */
export function ApproveServiceDialog({
  approval_no,
  text,
  by: applicant,
  onClose,
}: {
  approval_no: string
  text: string
  by: string
  onClose: () => void
}) {
  const [key] = useState(createIdempotencyKey)
  const decide = useCallMutation(setApprovalStatusByApprovalNo, {
    key,
    handles: (error) => error.field !== undefined,
    onSuccess: () => toast.success('已同意'),
  })
  return (
    <FormDialog<ServiceForm>
      open
      title="同意代理？"
      action="同意代理"
      initial={{ scope: emptyScope, until: getOneYearFromToday() }}
      onSubmit={(serving) => decide.mutateAsync({ approval_no, status: 1, serving })}
      onClose={onClose}
    >
      <p>
        {applicant} {text}。同意后，对方可在下面的范围内上传、核对和发送工资条，每一步都有记录；您可以随时在「基本信息」结束代理。
      </p>
      <Form.Item name="scope" label="代理范围" rules={[scopeRule]} required>
        <ScopeField />
      </Form.Item>
      <Form.Item
        name="until"
        label="截止日期"
        extra="到期自动失效，一次最多两年"
        rules={[{ required: true, message: '请选择截止日期' }]}
      >
        <DateField />
      </Form.Item>
    </FormDialog>
  )
}
