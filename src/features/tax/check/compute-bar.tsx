import { Alert } from 'antd'
import { computePeriod } from '../../../../server/contract/tax/periods.ts'
import { canTaxPeriod } from '../../../../server/contract/tax/statuses.ts'
import { useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { ProgressBar } from '../../../components/state/progress.tsx'
import { formatDateTime } from '../../../components/value/dates.ts'
import type { PeriodDetail } from '../period/labels.ts'
import styles from '../period/period.module.css'

/** Starts, stops and resumes the computation; the server computes a month without this page. */
export function ComputeBar({ period }: { period: PeriodDetail }) {
  const { period_id, status, member_count, done, computed_at } = period
  const compute = useCallMutation(computePeriod)
  const runAction = (action: 'start' | 'again' | 'stop') => compute.mutate({ period_id, action })
  const allowed = member_count === 0 ? '这一期里还没有人；请先引入收入' : canTaxPeriod.edit(status)
  if (status === 'computing')
    return (
      <section className={`ui-card ${styles.compute}`}>
        <ProgressBar label="正在计算" done={done} total={member_count} unit="人" />
        <div className={styles.foot}>
          <ActionButton loading={compute.isPending} onClick={() => runAction('stop')}>
            停止
          </ActionButton>
        </div>
      </section>
    )
  return (
    <div className={styles.compute}>
      {status === 'stopped' && (
        <Alert type="warning" showIcon title={`计算已停止，完成 ${done} / ${member_count} 人；可以从停下的地方继续`} />
      )}
      <div className={styles.foot}>
        <span className="ui-label">{computed_at ? `上次计算 ${formatDateTime(computed_at)}` : '还没有计算'}</span>
        {status === 'stopped' && (
          <ActionButton allowed={allowed} onClick={() => runAction('again')}>
            从头计算
          </ActionButton>
        )}
        <ActionButton
          type={status === 'computed' || status === 'locked' ? 'default' : 'primary'}
          loading={compute.isPending}
          allowed={allowed}
          onClick={() => runAction(status === 'computed' ? 'again' : 'start')}
        >
          {status === 'stopped' ? '继续计算' : status === 'computed' ? '重新计算' : `计算 ${member_count} 人`}
        </ActionButton>
      </div>
    </div>
  )
}
