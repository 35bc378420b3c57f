import { Form, Radio } from 'antd'
import { useState } from 'react'
import { editionLabels } from '../../../server/contract/billing/editions.ts'
import { grantEdition, grantSms } from '../../../server/contract/operator/billing.ts'
import { useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'

type Grant = { kind: 'sms' | 53 | 60; count: string; last_day: string; reason: string }

/** Grants a company messages, or an edition until a date, without an order. */
export function GrantDialog({ company, onClose }: { company: { company_id: string; name: string }; onClose: () => void }) {
  const [kind, setKind] = useState<Grant['kind']>('sms')
  const { company_id } = company
  const sms = useCallMutation(grantSms, { onSuccess: () => toast.success('短信已赠送') })
  const edition = useCallMutation(grantEdition, { onSuccess: () => toast.success('套餐已生效') })
  return (
    <FormDialog<Grant>
      open
      title={`赠送：${company.name}`}
      action="赠送"
      initial={{ kind: 'sms' }}
      onValuesChange={(values) => setKind(values.kind)}
      onSubmit={({ kind: granted, count, last_day, reason }) =>
        granted === 'sms'
          ? sms.mutateAsync({ company_id, count: Number(count), reason })
          : edition.mutateAsync({ company_id, TYPE: granted, last_day, reason })
      }
      onClose={onClose}
    >
      <Form.Item name="kind" label="赠送什么">
        <Radio.Group
          aria-label="赠送什么"
          options={[
            { value: 'sms', label: '短信' },
            { value: 53, label: editionLabels[53] },
            { value: 60, label: editionLabels[60] },
          ]}
        />
      </Form.Item>
      {kind === 'sms' ? (
        <FormField
          key="count"
          name="count"
          label="条数"
          kind="decimal"
          rules={[{ required: true, pattern: /^[1-9]\d{0,6}$/, message: '请填写条数，例如 500' }]}
          maxLength={7}
        />
      ) : (
        <FormField
          key="last_day"
          name="last_day"
          label="有效至（含当天）"
          placeholder="2027-12-31"
          rules={[{ required: true, pattern: /^\d{4}-\d{2}-\d{2}$/, message: '请填写日期，例如 2027-12-31' }]}
          maxLength={10}
        />
      )}
      <FormField name="reason" label="原因" required="请填写原因" maxLength={60} />
    </FormDialog>
  )
}
