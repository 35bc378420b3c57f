/** A payslip that closes after its first view, with the prompt before and the notice afterwards. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { confirmSlip } from '../../../../../server/contract/payslips/employee.ts'
import { type ApiError, createIdempotencyKey, useCallMutation } from '../../../../api.ts'
import { Icon } from '../../../../components/icon.tsx'
import { toast } from '../../../../components/overlay/toast.ts'
import { formatDateTime } from '../../../../components/value/dates.ts'
import employeeStyles from '../m.module.css'
import { PageTopBar } from '../page-top-bar.tsx'
import { formatMinutes } from './compare-payslips.ts'
import styles from './open.module.css'

/** The prompt before the first view. */
export function OpenOncePrompt({ minutes, onOpen }: { minutes: number; onOpen: () => void }) {
  return (
    <>
      <PageTopBar title="工资条" to="/m/slips" />
      <main className={`${employeeStyles.unlock} ${styles.closing}`}>
        <Icon name="clock" size={32} />
        <h2>打开后 {formatMinutes(minutes)}关闭</h2>
        <p className="ui-label">
          公司设置了阅后即焚：从您打开这张工资条起计时，{formatMinutes(minutes)}
          后不能再看。请在方便的时候打开；关闭以后仍然可以确认或反馈。
        </p>
        <button type="button" className={`ui-button ${employeeStyles.button} ${employeeStyles.primary}`} onClick={onOpen}>
          现在打开
        </button>
        <Link to="/m/slips" className={`${employeeStyles.link} ${styles.center}`}>
          以后再看
        </Link>
      </main>
    </>
  )
}

const parseClosedError = ({ data }: ApiError) => ({
  closed_at: String(data.closed_at),
  version: Number(data.version),
  confirm: data.confirm === true,
  feedback: data.feedback === true,
  confirmed_at: typeof data.confirmed_at === 'string' ? data.confirmed_at : null,
  confirmed_auto: data.confirmed_auto === true,
})

/** The notice after closing: why, since when, and what can still be done. */
export function ClosedPayslip({ slip_id, error }: { slip_id: string; error: ApiError }) {
  const closed = parseClosedError(error)
  const [key] = useState(createIdempotencyKey)
  const confirm = useCallMutation(confirmSlip, { key, onSuccess: () => toast.success('已确认') })
  return (
    <>
      <PageTopBar title="工资条" to="/m/slips" />
      <main className={`${employeeStyles.unlock} ${styles.closing}`}>
        <Icon name="lock" size={32} />
        <h2>这张工资条已关闭</h2>
        <p className="ui-label">
          公司设置了阅后即焚，已于 {formatDateTime(closed.closed_at)} 关闭，不能再看。如需再看，请联系薪酬管理员。
        </p>
        {closed.confirmed_at && (
          <p>
            {closed.confirmed_auto ? '到期自动确认' : '您已确认'} · {formatDateTime(closed.confirmed_at)}
          </p>
        )}
        {closed.confirm && (
          <button
            type="button"
            className={`ui-button ${employeeStyles.button} ${employeeStyles.primary}`}
            disabled={confirm.isPending}
            onClick={() => confirm.mutate({ slip_id, version: closed.version })}
          >
            {confirm.isPending ? '正在确认…' : '确认这张工资条'}
          </button>
        )}
        {closed.feedback && (
          <Link to="/m/feedback/$id" params={{ id: slip_id }} className={`ui-button ${employeeStyles.button}`}>
            有疑问
          </Link>
        )}
      </main>
    </>
  )
}
