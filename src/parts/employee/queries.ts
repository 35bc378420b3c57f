import { queryOptions } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { getCurrentEmployee, getSlip } from '../../../server/contract/payslips/employee.ts'
import { ApiError, callQuery, queryClient, redirectToSignIn } from '../../api.ts'
import { session } from '../../api-core.ts'

/** A slip may be withdrawn at any moment: nothing of it outlives its page, and looking again asks again. */
export const noCacheOptions = { gcTime: 0, staleTime: 0, refetchOnWindowFocus: 'always' } as const

export const currentEmployeeQuery = { ...callQuery(getCurrentEmployee, {}), staleTime: 30_000 }
/** `opened`: he has been told that it closes after the first look, and wants to look. */
export const payslipQuery = (slip_id: string, isOpened: boolean) =>
  queryOptions({
    ...callQuery(getSlip, isOpened ? { slip_id, confirm_open: isOpened } : { slip_id }),
    ...noCacheOptions,
    meta: { quiet: true },
  })

/** Withdrawn, never there, or somebody else's: one answer, whatever is still on the screen. */
export const isNotFoundError = (error: unknown) => error instanceof ApiError && (error.is('not_found') || error.is('invalid'))
/** Somebody else has given his phone: he confirms it first. */
export const isUnconfirmedOwnerError = (error: unknown) => error instanceof ApiError && error.is('unconfirmed_holder')
export const isClosesAfterViewError = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.is('closes_after_view')
export const isClosedError = (error: unknown): error is ApiError => error instanceof ApiError && error.is('slip_closed')
/** Of another company, where he may be no employee of this one. */
export const isOtherCompanyError = (error: unknown) => error instanceof ApiError && error.is('not_permitted')
export const isViewLockedError = (error: unknown) => error instanceof ApiError && error.is('view_locked')

/**
 * Why it cannot be shown. Asking again does not take the answer away before there is another one: what somebody is typing into the
 * unlock form must outlive the look at another window.
 */
export function useLastError({ error, isFetching }: { error: Error | null; isFetching: boolean }): Error | null {
  const [lastError, setLastError] = useState<Error | null>(null)
  const currentError = error ?? (isFetching ? lastError : null)
  if (currentError !== lastError) setLastError(currentError)
  return currentError
}

const hiddenAttribute = 'data-left'
/**
 * The browser may bring a left page back as it was, with a slip that is withdrawn by now or after somebody else signed in: the
 * page is hidden as it leaves, and asks for everything anew when it comes back.
 */
export function useRefreshOnReturn() {
  // Leaving and coming back are events of the window.
  useEffect(() => {
    const root = document.documentElement
    const hidePage = () => root.setAttribute(hiddenAttribute, '')
    const refreshPage = (event: PageTransitionEvent) => {
      if (event.persisted && !session.token) return redirectToSignIn()
      if (event.persisted) void queryClient.resetQueries()
      // The skeleton is drawn by then.
      setTimeout(() => root.removeAttribute(hiddenAttribute), event.persisted ? 60 : 0)
    }
    window.addEventListener('pagehide', hidePage)
    window.addEventListener('pageshow', refreshPage)
    return () => {
      window.removeEventListener('pagehide', hidePage)
      window.removeEventListener('pageshow', refreshPage)
      root.removeAttribute(hiddenAttribute)
    }
  }, [])
}
