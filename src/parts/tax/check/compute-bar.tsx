import { Alert } from 'antd'
import { computePeriod } from '../../../../server/contract/wage/periods.ts'
import { canTax } from '../../../../server/contract/wage/tax/tax-states.ts'
import { useCall } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { Progress } from '../../../ui/state/progress.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import styles from '../period/period.module.css'
import type { PeriodHead } from '../period/words.ts'

/** Begins, stops and goes on; a month of ten thousand people is computed whether or not somebody watches. */
export function ComputeBar({ period }: { period: PeriodHead }) {
  const { period_id, status, people, done, computed_at } = period
  const compute = useCall(computePeriod)
  const act = (what: 'start' | 'again' | 'stop') => compute.mutate({ period_id, act: what })
  const may = people === 0 ? '这一期里还没有人；请先取入收入' : canTax.edit(status)
  if (status === 'computing')
    return (
      <section className={`ui-card ${styles.compute}`}>
        <Progress label="正在计算" done={done} total={people} unit="人" />
        <div className={styles.foot}>
          <Act loading={compute.isPending} onClick={() => act('stop')}>
            停止
          </Act>
        </div>
      </section>
    )
  return (
    <section className={`ui-card ${styles.compute}`}>
      {status === 'stopped' && (
        <Alert type="warning" showIcon title={`计算已停止，完成 ${done} / ${people} 人；可以从停下的地方继续`} />
      )}
      <div className={styles.foot}>
        <span className="ui-label">{computed_at ? `上次计算 ${dayAndTime(computed_at)}` : '还没有计算'}</span>
        {status === 'stopped' && (
          <Act verdict={may} onClick={() => act('again')}>
            从头计算
          </Act>
        )}
        <Act
          type={status === 'computed' || status === 'locked' ? 'default' : 'primary'}
          loading={compute.isPending}
          verdict={may}
          onClick={() => act(status === 'computed' ? 'again' : 'start')}
        >
          {status === 'stopped' ? '继续计算' : status === 'computed' ? '重新计算' : `计算 ${people} 人`}
        </Act>
      </div>
    </section>
  )
}
