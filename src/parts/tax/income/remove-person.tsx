import { useState } from 'react'
import { saveIncome } from '../../../../server/contract/wage/periods.ts'
import { intent, useCall } from '../../../api.ts'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { monthName } from '../../../ui/value/dates.ts'
import type { PeriodHead, TaxPerson } from '../period/words.ts'

export function RemovePerson({ period, person, onClose }: { period: PeriodHead; person: TaxPerson; onClose: () => void }) {
  const [key] = useState(intent)
  const save = useCall(saveIncome, {
    key,
    onSuccess: () => {
      toast.done(`${person.name} 已移出`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={`把 ${person.name} 移出${monthName(period.month)}？`}
      action="移出"
      busy={save.isPending}
      onClose={onClose}
      onConfirm={() => save.mutate({ period_id: period.period_id, remove: [person.member_id] })}
    >
      他本期的收入和计算结果会删除，工资条不受影响；再取入同一批工资时他会回来。
    </ConfirmDialog>
  )
}
