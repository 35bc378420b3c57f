import { Link } from '@tanstack/react-router'
import { Button, Form, Input } from 'antd'
import { useState } from 'react'
import { lockPeriod, reopenPeriod } from '../../../../server/contract/wage/periods.ts'
import { intent, useCall } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { ConfirmDialog, FormDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { monthName } from '../../../ui/value/dates.ts'
import { ExportMenu } from './export-menu.tsx'
import { mayLock, notWhole, type PeriodHead } from './words.ts'

/** Export, check, and what is next: to lock it, or to open it again. */
export function PeriodActs({ period }: { period: PeriodHead }) {
  const [doing, setDoing] = useState<'lock' | 'reopen' | null>(null)
  const { status, whole } = period
  const close = () => setDoing(null)
  return (
    <>
      <ExportMenu
        period={period}
        verdict={!whole ? notWhole : status === 'computed' || status === 'locked' ? true : '请先计算'}
      />
      <Link to="/salaryTax/add/check" search={{ id: period.period_id }}>
        <Button tabIndex={-1}>核对</Button>
      </Link>
      {status === 'locked' ? (
        <Act verdict={whole || notWhole} onClick={() => setDoing('reopen')}>
          重新打开
        </Act>
      ) : (
        <Act type="primary" verdict={mayLock(period)} onClick={() => setDoing('lock')}>
          锁定 {period.people} 人
        </Act>
      )}
      {doing === 'lock' && <LockDialog period={period} onClose={close} />}
      {doing === 'reopen' && <ReopenDialog period={period} onClose={close} />}
    </>
  )
}

function LockDialog({ period, onClose }: { period: PeriodHead; onClose: () => void }) {
  const [key] = useState(intent)
  const lock = useCall(lockPeriod, {
    key,
    onSuccess: () => {
      toast.done(`${monthName(period.month)}已锁定`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title={`锁定${monthName(period.month)}？`}
      action={`锁定 ${period.people} 人`}
      busy={lock.isPending}
      onClose={onClose}
      onConfirm={() => lock.mutate({ period_id: period.period_id })}
    >
      锁定后收入和个税不能再改，下个月的累计数从这里接着算。发现有误时可以写明原因重新打开，原因会一直保留。
    </ConfirmDialog>
  )
}

function ReopenDialog({ period, onClose }: { period: PeriodHead; onClose: () => void }) {
  const [key] = useState(intent)
  const reopen = useCall(reopenPeriod, { key, handles: (error) => error.field !== undefined })
  return (
    <FormDialog<{ reason: string }>
      open
      title={`重新打开${monthName(period.month)}`}
      action="重新打开"
      onClose={onClose}
      onSubmit={async ({ reason }) => {
        const { later } = await reopen.mutateAsync({ period_id: period.period_id, reason })
        toast.done(later.length > 0 ? `已重新打开；${later.join('、')} 需要重新计算` : '已重新打开')
      }}
    >
      <Form.Item
        name="reason"
        label="原因"
        extra="会和操作人、时间一起保留，不能删除。已经申报的，请记得更正申报。"
        rules={[{ required: true, whitespace: true, message: '请写明重新打开的原因' }]}
      >
        <Input.TextArea rows={3} maxLength={200} showCount />
      </Form.Item>
    </FormDialog>
  )
}
