import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import { type getSlip, getSlipStatus } from '../../../../../server/contract/payslips/employee.ts'
import { formatFen } from '../../../../../server/contract/shared/money.ts'
import { ApiError, callQuery } from '../../../../api.ts'
import { Icon } from '../../../../components/icon.tsx'
import { comparePayslips, isPayslipStale, type PayslipChange } from './compare-payslips.ts'
import styles from './open.module.css'

type VisiblePayslip = CallOutput<typeof getSlip>
const initialPollMs = 5_000
const laterPollMs = 15_000
const initialPollCount = 24

/**
 * Polls every few seconds, while the page is visible, whether the payslip on it is still current: frequently in the
 * first two minutes, while it is being read, then less often. `refetch` fetches the payslip again, including a possible
 * error.
 */
function useStalenessCheck(payslip: VisiblePayslip, refetch: () => void) {
  const { slip_id } = payslip
  const { data, error, dataUpdatedAt, errorUpdatedAt } = useQuery({
    ...callQuery(getSlipStatus, { slip_id }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { quiet: true },
    refetchOnMount: false,
    refetchInterval: ({ state }) => (state.dataUpdateCount < initialPollCount ? initialPollMs : laterPollMs),
  })
  const staleAt =
    error instanceof ApiError ? errorUpdatedAt : data !== undefined && isPayslipStale(payslip, data) ? dataUpdatedAt : 0
  // The payslip itself is refetched by its own query, once per response.
  useEffect(() => {
    if (staleAt > 0) refetch()
  }, [staleAt, refetch])
}

/** Returns what has changed in this payslip since it was opened; null if nothing has. */
function usePayslipChanges(payslip: VisiblePayslip): readonly PayslipChange[] | null {
  const [initial] = useState(payslip)
  return initial.version !== payslip.version ? comparePayslips(initial.slip, payslip.slip, formatFen) : null
}

/** Keeps an open payslip current; renders only when it has changed. */
export function PayslipWatcher({
  visible: payslip,
  again: refetch,
  hidden,
}: {
  visible: VisiblePayslip
  again: () => void
  hidden: boolean
}) {
  useStalenessCheck(payslip, refetch)
  const changes = usePayslipChanges(payslip)
  return changes && <PayslipChangesNotice changes={changes} hidden={hidden} />
}

/** States what changed while the payslip was open; announced to screen readers. */
export const PayslipChangesNotice = ({ changes, hidden }: { changes: readonly PayslipChange[]; hidden: boolean }) => (
  <section className={`${styles.changed} no-print`} role="alert">
    <h2>
      <Icon name="edit" size={18} /> 公司刚刚更正了这张工资条，请重新核对
    </h2>
    <ul>
      {changes.map(({ label, from, to, fen }) => (
        <li key={label}>
          {label}：{hidden && fen ? '**** → ****' : `${from || '空'} → ${to || '空'}`}
        </li>
      ))}
    </ul>
  </section>
)
