import { useState } from 'react'
import { clearMember } from '../../../../server/contract/directory/members.ts'
import { type ApiError, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { DateField } from '../../../components/form/date-field.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatDateTime } from '../../../components/value/dates.ts'
import memberStyles from '../member.module.css'
import styles from './file.module.css'

export const getToday = () => formatDateTime(new Date().toISOString()).slice(0, 10)

/** The last working day of one or more members, with its consequences below. */
export const LastDayField = (props: {
  value: string
  onChange: (day: string) => void
  wrong?: string | null
  disabled?: boolean
}) => (
  <div className={styles.memberLastDay}>
    <label htmlFor="left_on">离职日期</label>
    <DateField
      id="left_on"
      value={props.value}
      onChange={(day) => props.onChange(day ?? getToday())}
      {...(props.disabled ? { disabled: true } : {})}
    />
    {props.wrong && (
      <p role="alert" className={memberStyles.problem}>
        {props.wrong}
      </p>
    )}
  </div>
)

/** Mounted only while open. */
export function TerminateDialog({ member, onClose }: { member: { ID: string; NAME: string }; onClose: (left: boolean) => void }) {
  const [key] = useState(createIdempotencyKey)
  const [left_on, setDay] = useState(getToday)
  const terminate = useCallMutation(clearMember, {
    key,
    handles: (error: ApiError) => error.field === 'terminated_on',
    onSuccess: () => {
      toast.success(`已将 ${member.NAME} 标记为离职`)
      onClose(true)
    },
  })
  const fieldError =
    terminate.error && 'field' in terminate.error && terminate.error.field === 'terminated_on' ? terminate.error.message : null
  return (
    <ConfirmDialog
      open
      title={`将 ${member.NAME} 标记为离职？`}
      action="标记离职"
      danger
      busy={terminate.isPending}
      onConfirm={() => terminate.mutate({ id: member.ID, terminated_on: left_on })}
      onClose={() => onClose(false)}
    >
      <LastDayField value={left_on} onChange={setDay} wrong={fieldError} />
      <p>
        该员工将立即退出登录。离职后查看工资条，按「工资条设置 ·
        离职后查看」执行（默认两年，每次验证手机号）。以后的工资表中再出现该员工时会提醒您。
      </p>
    </ConfirmDialog>
  )
}
