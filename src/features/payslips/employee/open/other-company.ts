import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { selectCorp } from '../../../../../server/contract/auth/sign-in.ts'
import { locateSlip } from '../../../../../server/contract/payslips/employee.ts'
import { callApi, callQuery, queryClient } from '../../../../api.ts'
import { session } from '../../../../api-core.ts'

/**
 * Handles links to a payslip of another of the employee's companies: switches to that company and reloads the page.
 * Returns true while this is being determined.
 */
export function useSwitchToPayslipCompany(slip_id: string): boolean {
  const { data, isPending } = useQuery({
    ...callQuery(locateSlip, { slip_id }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { quiet: true },
  })
  const corp_id = data?.corp_id
  // Selecting another company starts another session: no state of the previous one remains in the window.
  useEffect(() => {
    if (!corp_id) return
    const switchCompany = async () => {
      session.setToken((await callApi(selectCorp, { corp_id })).token)
      queryClient.clear()
      location.reload()
    }
    switchCompany().catch(() => location.replace('/m/slips'))
  }, [corp_id])
  return isPending || corp_id !== undefined
}
