import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { reopenPeriod } from '../../../../server/contract/tax/periods.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { FormDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatMonth } from '../../../components/value/dates.ts'
import { DeclarationExportMenu } from './export-menu.tsx'
import { checkCanLock, incompleteScopeText, type PeriodDetail } from './labels.ts'
import { LockPeriodDialog } from './lock-dialog.tsx'

/** The actions of a period: export, check, and then lock or reopen. */
export function PeriodActions({ period }: { period: PeriodDetail }) {
  const [openDialog, setOpenDialog] = useState<'lock' | 'reopen' | null>(null)
  const { status, covers_everyone: isComplete } = period
  const close = () => setOpenDialog(null)
  return (
    <>
      <DeclarationExportMenu
        period={period}
        result={!isComplete ? incompleteScopeText : status === 'computed' || status === 'locked' ? true : '请先计算'}
      />
      <Link to="/salaryTax/add/check" search={{ id: period.period_id }}>
        <Button tabIndex={-1}>核对</Button>
      </Link>
      {status === 'locked' ? (
        <ActionButton allowed={isComplete || incompleteScopeText} onClick={() => setOpenDialog('reopen')}>
          重新打开
        </ActionButton>
      ) : (
        <ActionButton type="primary" allowed={checkCanLock(period)} onClick={() => setOpenDialog('lock')}>
          锁定 {period.member_count} 人
        </ActionButton>
      )}
      {openDialog === 'lock' && <LockPeriodDialog period={period} onClose={close} />}
      {openDialog === 'reopen' && <ReopenPeriodDialog period={period} onClose={close} />}
    </>
  )
}

function ReopenPeriodDialog({ period, onClose }: { period: PeriodDetail; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const reopen = useCallMutation(reopenPeriod, { key, handles: (error) => error.field !== undefined })
  return (
    <FormDialog<{ reason: string }>
      open
      title={`重新打开${formatMonth(period.month)}`}
      action="重新打开"
      onClose={onClose}
      onSubmit={async ({ reason }) => {
        const { months_to_recompute } = await reopen.mutateAsync({ period_id: period.period_id, reason })
        toast.success(
          months_to_recompute.length > 0 ? `已重新打开；${months_to_recompute.join('、')} 需要重新计算` : '已重新打开',
        )
      }}
    >
      <FormField
        name="reason"
        label="原因"
        kind="multiline"
        help="会和操作人、时间一起保留，不能删除。已经申报的，请记得更正申报。"
        required="请写明重新打开的原因"
        rows={3}
        maxLength={200}
        showCount
      />
    </FormDialog>
  )
}
