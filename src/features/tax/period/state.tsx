import { useQuery } from '@tanstack/react-query'
import { Alert } from 'antd'
import { taxPeriodLabels } from '../../../../server/contract/tax/statuses.ts'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { formatStale, type PeriodDetail } from './labels.ts'
import { periodQuery } from './queries.ts'

/** Fetches one period; polls while it is being computed. */
export const usePeriod = (period_id: string) =>
  useQuery({
    ...periodQuery(period_id),
    refetchInterval: ({ state }) => (state.data?.status === 'computing' ? 1000 : false),
  })

export const PeriodStatus = ({ period }: { period: Pick<PeriodDetail, 'status' | 'locked_by'> }) => (
  <span className="ui-row">
    <StatusDot {...taxPeriodLabels[period.status]} />
    {period.locked_by && <span className="ui-label">{period.locked_by} 锁定</span>}
  </span>
)

/** Warns that an earlier period has changed since. */
export const StaleNotice = ({ stale }: { stale: readonly string[] }) =>
  stale.length > 0 ? <Alert type="warning" showIcon title={formatStale(stale)} /> : null
