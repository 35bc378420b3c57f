import { useNavigate } from '@tanstack/react-router'
import { DatePicker, Form } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { useState } from 'react'
import { createPeriod } from '../../../../server/contract/tax/periods.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { FormDialog } from '../../../components/overlay/dialogs.tsx'

/** Mounted only while open. */
export function CreatePeriodDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [key] = useState(createIdempotencyKey)
  const create = useCallMutation(createPeriod, { key, handles: (error) => error.field !== undefined })
  return (
    <FormDialog<{ month: Dayjs }>
      open
      title="新建一期"
      action="新建"
      initial={{ month: dayjs() }}
      onClose={onClose}
      onSubmit={async ({ month }) => {
        const { period_id } = await create.mutateAsync({ month: month.format('YYYY-MM') })
        void navigate({ to: '/salaryTax/add/update', search: { id: period_id } })
      }}
    >
      <Form.Item
        name="month"
        label="税款所属期"
        extra="工资实际发放的月份，不是工资所属的月份：一月的工资二月发，属于二月，三月申报。"
        rules={[{ required: true, message: '请选择月份' }]}
      >
        <DatePicker picker="month" allowClear={false} style={{ width: '100%' }} />
      </Form.Item>
    </FormDialog>
  )
}
