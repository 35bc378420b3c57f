import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getMemberTaxDetail } from '../../../../server/contract/tax/history.ts'
import { saveIncome } from '../../../../server/contract/tax/periods.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { Dialog, FormDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import {
  amountLabels,
  amountNames,
  canComeFromScheme,
  formatTypedFen,
  type MemberTaxDetail,
  optionalAmountRule,
  type PeriodDetail,
  parseTypedFen,
} from '../period/labels.ts'
import styles from '../period/period.module.css'

type IncomeFormValues = Partial<Record<(typeof amountNames)[number] | 'additional' | 'withheld', string>>
type IncomeDialogProps = { period: PeriodDetail; member: { member_id: string; name: string }; onClose: () => void }

/** Mounted only while open. */
export function IncomeDialog({ period, member, onClose }: IncomeDialogProps) {
  const { member_id, name } = member
  const taxDetail = useQuery({
    ...callQuery(getMemberTaxDetail, { period_id: period.period_id, member_id }),
    gcTime: 0,
    meta: { quiet: true },
  })
  if (taxDetail.data) return <IncomeForm period={period} member={member} existing={taxDetail.data} onClose={onClose} />
  return (
    <Dialog open title={name} onClose={onClose}>
      {taxDetail.error ? <ErrorState error={taxDetail.error} retry={() => void taxDetail.refetch()} /> : <Skeleton rows={6} />}
    </Dialog>
  )
}

/** Converts the form values to the request: unchanged amounts stay as they were imported. */
function toIncomeRequest(values: IncomeFormValues, existing: MemberTaxDetail | null) {
  const amounts = Object.fromEntries(
    amountNames.map((name) => [name, parseTypedFen(values[name]) ?? (canComeFromScheme(name) ? null : 0)]),
  )
  const isSame = existing !== null && amountNames.every((name) => amounts[name] === existing.amounts[name])
  const keepsAccepted = isSame && existing.sources.length > 0 && !existing.is_manual
  return {
    amounts: keepsAccepted ? null : amounts,
    additional_cumulative_fen: parseTypedFen(values.additional) ?? null,
    withheld_fen: parseTypedFen(values.withheld) ?? null,
  }
}

/** `existing` null: the employee is not in the month yet. */
export function IncomeForm({ period, member, existing, onClose }: IncomeDialogProps & { existing: MemberTaxDetail | null }) {
  const [key] = useState(createIdempotencyKey)
  const save = useCallMutation(saveIncome, { key, handles: (error) => error.field !== undefined })
  const initial: IncomeFormValues = existing
    ? {
        ...Object.fromEntries(
          amountNames.map((name) => {
            const fen = existing.amounts[name]
            return [name, fen === 0 && !canComeFromScheme(name) && name !== 'income_fen' ? '' : formatTypedFen(fen)]
          }),
        ),
        additional: formatTypedFen(existing.additional_cumulative_fen),
        withheld: formatTypedFen(existing.withheld_fen),
      }
    : {}
  return (
    <FormDialog<IncomeFormValues>
      open
      width={640}
      title={`${member.name} 的收入和扣除`}
      action="保存"
      initial={initial}
      onClose={onClose}
      onSubmit={async (values) => {
        await save.mutateAsync({
          period_id: period.period_id,
          rows: [{ member_id: member.member_id, ...toIncomeRequest(values, existing) }],
        })
        toast.success(`${member.name} 的收入已保存，请重新计算`)
      }}
    >
      <p className="ui-hint">金额都写正数。社保和公积金留空时，按他的参保方案计算；其余留空就是 0。</p>
      <div className={styles.fields}>
        {amountNames.map((name) => (
          <FormField
            key={name}
            name={name}
            label={amountLabels[name]}
            kind="decimal"
            rules={[optionalAmountRule]}
            placeholder={canComeFromScheme(name) ? '按参保方案' : '0.00'}
          />
        ))}
        <FormField
          name="additional"
          label="累计专项附加扣除"
          kind="decimal"
          rules={[optionalAmountRule]}
          tooltip="从税务局下载的本年累计数；留空时按他填报的专项附加扣除计算"
          placeholder="按填报计算"
        />
        <FormField
          name="withheld"
          label="本期实际扣缴"
          kind="decimal"
          rules={[optionalAmountRule]}
          tooltip="实际扣的和算出来的不同时填写，下个月从这个数接着算"
          placeholder="与应扣相同"
        />
      </div>
    </FormDialog>
  )
}
