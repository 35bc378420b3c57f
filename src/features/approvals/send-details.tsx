import { useQuery } from '@tanstack/react-query'
import { getSendApprovalDetail, minPeopleForTotals } from '../../../server/contract/payslips/send-approval.ts'
import { channelLabels } from '../../../server/contract/shared/statuses.ts'
import { callQuery } from '../../api.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatDateTime, formatMonth } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import styles from './approval.module.css'

/** The details for approving a send: totals and counts, no individual pay. */
export function SendDetails({ approval_no }: { approval_no: string }) {
  const approval = useQuery(callQuery(getSendApprovalDetail, { approval_no }))
  if (!approval.data)
    return approval.error ? <ErrorState error={approval.error} retry={() => void approval.refetch()} /> : <Skeleton rows={4} />
  const { title, month, requested_by, people, by_channel: channels, scheduled_at, totals, sms_needed, is_current } = approval.data
  if (!is_current) return <p role="alert">申请之后工资表或发送安排又有改变，这份申请不能再同意；请驳回，由申请人重新提交。</p>
  return (
    <dl className={styles.facts}>
      <dt>工资条</dt>
      <dd>
        {title}
        {month && ` · ${formatMonth(month)}`}
      </dd>
      <dt>申请人</dt>
      <dd>{requested_by}</dd>
      <dt>人数</dt>
      <dd>{people} 人</dd>
      <dt>方式</dt>
      <dd>
        {channels.map(({ channel, count }) => `${channelLabels[channel]} ${count} 人`).join('、')}
        {sms_needed > 0 && `，用 ${sms_needed} 条短信`}
      </dd>
      <dt>时间</dt>
      <dd>{scheduled_at ? formatDateTime(scheduled_at) : '同意后由申请人发出'}</dd>
      <dt>实发合计</dt>
      <dd>{totals ? <Money fen={totals.net_fen} strong /> : people < minPeopleForTotals ? '人数少，不显示合计' : '—'}</dd>
      {totals?.gross_fen != null && (
        <>
          <dt>应发合计</dt>
          <dd>
            <Money fen={totals.gross_fen} />
          </dd>
        </>
      )}
    </dl>
  )
}
