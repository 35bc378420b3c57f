import { Form, InputNumber } from 'antd'
import { useState } from 'react'
import { saveTaxYear } from '../../../../server/contract/tax/history.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { CheckboxField } from '../../../components/form/fields.tsx'
import { FormDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatTypedFen, type MemberTaxDetail, optionalAmountRule, type PeriodDetail, parseTypedFen } from './labels.ts'
import styles from './period.module.css'

const openingLabels = {
  income_fen: '累计收入',
  exempt_fen: '累计免税收入',
  special_fen: '累计专项扣除',
  additional_fen: '累计专项附加扣除',
  other_fen: '累计其他扣除',
  donation_fen: '累计捐赠',
  reduction_fen: '累计减免税额',
  withheld_fen: '累计已预扣税额',
} as const
type OpeningName = keyof typeof openingLabels
const openingNames: readonly OpeningName[] = [
  'income_fen',
  'exempt_fen',
  'special_fen',
  'additional_fen',
  'other_fen',
  'donation_fen',
  'reduction_fen',
  'withheld_fen',
]
type TaxYearForm = Partial<Record<OpeningName, string>> & {
  first_income_of_year: boolean
  prior_year_under_60000: boolean
  through_month?: number | null
}

/** An employee's data for the whole tax year. Mounted only while open. */
export function TaxYearDialog(props: { period: PeriodDetail; person: MemberTaxDetail; onClose: () => void }) {
  const { period, person: member, onClose } = props
  const { opening, member_id, name } = member
  const year = Number(period.month.slice(0, 4))
  const [key] = useState(createIdempotencyKey)
  const save = useCallMutation(saveTaxYear, { key, handles: (error) => error.field !== undefined })
  return (
    <FormDialog<TaxYearForm>
      open
      width={640}
      title={`${name} ${year} 年的情况`}
      action="保存"
      initial={{
        first_income_of_year: member.first_income_of_year,
        prior_year_under_60000: member.prior_year_under_60000,
        through_month: opening?.through_month ?? null,
        ...Object.fromEntries(
          openingNames.map((field) => [field, opening && opening[field] !== 0 ? formatTypedFen(opening[field]) : '']),
        ),
      }}
      onClose={onClose}
      onSubmit={async ({ first_income_of_year, prior_year_under_60000, through_month, ...values }) => {
        const amounts = Object.fromEntries(openingNames.map((field) => [field, parseTypedFen(values[field]) ?? 0]))
        const { months_to_recompute } = await save.mutateAsync({
          member_id,
          tax_year: year,
          first_income_of_year,
          prior_year_under_60000,
          opening: through_month ? { through_month, ...amounts } : null,
        })
        toast.success(months_to_recompute.length > 0 ? `已保存；${months_to_recompute.join('、')} 需要重新计算` : '已保存')
      }}
    >
      <Form.Item name="first_income_of_year" valuePropName="checked">
        <CheckboxField>当年首次取得工资（减除费用从一月起算，需本人声明）</CheckboxField>
      </Form.Item>
      <Form.Item name="prior_year_under_60000" valuePropName="checked">
        <CheckboxField>上年收入不超过六万元（全年减除费用从一月起一次减）</CheckboxField>
      </Form.Item>
      <Form.Item name="through_month" label="期初累计截至几月" extra="年中开始使用时，填写以前月份的累计数；没有就留空。">
        <InputNumber min={1} max={11} precision={0} style={{ width: 120 }} />
      </Form.Item>
      <div className={styles.fields}>
        {openingNames.map((field) => (
          <FormField
            key={field}
            name={field}
            label={openingLabels[field]}
            kind="decimal"
            rules={[optionalAmountRule]}
            placeholder="0.00"
          />
        ))}
      </div>
    </FormDialog>
  )
}
