import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type getSlip, getSlipStatus } from '../../../../server/contract/payslips/employee.ts'
import { formatFen } from '../../../../server/contract/shared/money.ts'
import { ApiError, callQuery } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { comparePayslips, isPayslipStale, type PayslipChange } from './compare-payslips.ts'
import styles from './open.module.css'

type VisiblePayslip = CallOutput<typeof getSlip>
const initialPollMs = 5_000
const laterPollMs = 15_000
const initialPollCount = 24

/**
 * Asks every few seconds, while the page is visible, whether the slip on it is still the one that counts: closely in the first two minutes,
 * while somebody reads, then calmly. `refetch` fetches the slip anew, and with it a refusal.
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
  // The slip itself is fetched by its own question, once an answer.
  useEffect(() => {
    if (staleAt > 0) refetch()
  }, [staleAt, refetch])
}

/** What has become different in this slip since it was opened; null while nothing has. */
function usePayslipChanges(payslip: VisiblePayslip): readonly PayslipChange[] | null {
  const [initial] = useState(payslip)
  return initial.version !== payslip.version ? comparePayslips(initial.slip, payslip.slip, formatFen) : null
}

/** What keeps an open slip true: beside it, and shown only when it has become another one. */
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

/** It became another one under his eyes: what is different, said aloud. */
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
