import { useState } from 'react'
import { saveIncome } from '../../../../server/contract/tax/periods.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatMonth } from '../../../components/value/dates.ts'
import type { PeriodDetail, TaxMember } from '../period/labels.ts'

export function RemoveIncomeMemberDialog({
  period,
  person: member,
  onClose,
}: {
  period: PeriodDetail
  person: TaxMember
  onClose: () => void
}) {
  const [key] = useState(createIdempotencyKey)
  const save = useCallMutation(saveIncome, {
    key,
    onSuccess: () => {
      toast.success(`${member.name} 已移出`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={`把 ${member.name} 移出${formatMonth(period.month)}？`}
      action="移出"
      busy={save.isPending}
      onClose={onClose}
      onConfirm={() => save.mutate({ period_id: period.period_id, remove: [member.member_id] })}
    >
      他本期的收入和计算结果会删除，工资条不受影响；再引入同一批工资时他会回来。
    </ConfirmDialog>
  )
}
