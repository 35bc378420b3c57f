import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { getSendApproval } from '../../../../../server/contract/payslips/send-approval.ts'
import { callQuery } from '../../../../api.ts'
import employeeStyles from '../../../payslips/employee/m.module.css'
import styles from './mobile-admin.module.css'

/** The approval status of a batch that has not been sent: above all, that it was returned, why, and where to continue. */
export function MobileSendApproval({ batch_id }: { batch_id: string }) {
  const { data } = useQuery(callQuery(getSendApproval, { batch_id }))
  const approval = data?.approval
  if (!data) return null
  if (!approval || approval.status === 'void')
    return (
      <>
        <p className="ui-hint">还没有发送。</p>
        <Link to="/check" search={{ batch_id }} className={`ui-button ${employeeStyles.button} ${styles.go}`}>
          继续核对和发送
        </Link>
      </>
    )
  const { status, reason, decided_by, people } = approval
  if (status === 'waiting') return <p className="ui-hint">正在等另一位管理员审批，同意前不会发出。</p>
  const decider = decided_by ?? '另一位管理员'
  return (
    <>
      {status === 'returned' ? (
        <div className={styles.returned}>
          <strong>{decider}驳回了发送，没有发出</strong>
          <p>{reason ? `原因：${reason}` : '没有写原因，请直接问一下。'}</p>
        </div>
      ) : (
        <p className="ui-hint">
          {decider}已同意发给 {people} 人，现在可以发送。
        </p>
      )}
      <Link to="/wageSend3" search={{ batch_id }} className={`ui-button ${employeeStyles.button} ${styles.go}`}>
        {status === 'returned' ? '查看并重新提交' : '去发送'}
      </Link>
    </>
  )
}
