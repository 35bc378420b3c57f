import { useQuery } from '@tanstack/react-query'
import { Alert } from 'antd'
import { taxPeriodWords } from '../../../../server/contract/wage/tax/tax-states.ts'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import { periodQuery } from './queries.ts'
import { type PeriodHead, staleText } from './words.ts'

/** One month; while it is computed it moves by itself. */
export const usePeriod = (period_id: string) =>
  useQuery({
    ...periodQuery(period_id),
    refetchInterval: ({ state }) => (state.data?.status === 'computing' ? 1000 : false),
  })

/** How far it is, who locked it. */
export const PeriodState = ({ period }: { period: Pick<PeriodHead, 'status' | 'locked_by'> }) => (
  <span className="ui-row">
    <StatusDot {...taxPeriodWords[period.status]} />
    {period.locked_by && <span className="ui-label">{period.locked_by} 锁定</span>}
  </span>
)

/** That a month before says something else by now. */
export const Stale = ({ stale }: { stale: readonly string[] }) =>
  stale.length > 0 ? <Alert type="warning" showIcon title={staleText(stale)} /> : null
