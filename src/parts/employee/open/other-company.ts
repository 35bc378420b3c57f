import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { selectCorp } from '../../../../server/contract/auth/sign-in.ts'
import { locateSlip } from '../../../../server/contract/payslips/employee.ts'
import { callApi, callQuery, queryClient } from '../../../api.ts'
import { session } from '../../../api-core.ts'

/**
 * A link may lead to a slip of another of one's companies: then that one is entered, and the page begins again in it. True while this is
 * being found out.
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
  // Another company is another session: nothing of the first one stays in the window.
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
