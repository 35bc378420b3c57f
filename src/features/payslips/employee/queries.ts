import { queryOptions } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { getCurrentEmployee, getSlip } from '../../../../server/contract/payslips/employee.ts'
import { ApiError, callQuery, queryClient, redirectToSignIn } from '../../../api.ts'
import { session } from '../../../api-core.ts'

/** A payslip may be withdrawn at any moment: none of its data outlives the page, and viewing it again fetches it again. */
export const noCacheOptions = { gcTime: 0, staleTime: 0, refetchOnWindowFocus: 'always' } as const

export const currentEmployeeQuery = { ...callQuery(getCurrentEmployee, {}), staleTime: 30_000 }
/** `opened` means that the employee was informed that the payslip closes after the first view, and wants to view it. */
export const payslipQuery = (slip_id: string, isOpened: boolean) =>
  queryOptions({
    ...callQuery(getSlip, isOpened ? { slip_id, confirm_open: isOpened } : { slip_id }),
    ...noCacheOptions,
    meta: { quiet: true },
  })

/**
 * Withdrawn payslips, nonexistent ones and those of another employee have one common error, regardless of what is still
 * on the screen.
 */
export const isNotFoundError = (error: unknown) => error instanceof ApiError && (error.is('not_found') || error.is('invalid'))
/** The phone was entered by someone else: the employee must confirm it first. */
export const isUnconfirmedOwnerError = (error: unknown) => error instanceof ApiError && error.is('unconfirmed_holder')
export const isClosesAfterViewError = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.is('closes_after_view')
export const isClosedError = (error: unknown): error is ApiError => error instanceof ApiError && error.is('slip_closed')
/** The payslip belongs to another company; the user may not be an employee of the current one. */
export const isOtherCompanyError = (error: unknown) => error instanceof ApiError && error.is('not_permitted')
export const isViewLockedError = (error: unknown) => error instanceof ApiError && error.is('view_locked')

/**
 * Returns the error that prevents display. It persists during a refetch until a new result arrives: input in the unlock
 * form must survive switching windows.
 */
export function useLastError({ error, isFetching }: { error: Error | null; isFetching: boolean }): Error | null {
  const [lastError, setLastError] = useState<Error | null>(null)
  const currentError = error ?? (isFetching ? lastError : null)
  if (currentError !== lastError) setLastError(currentError)
  return currentError
}

const hiddenAttribute = 'data-left'
/**
 * Refetches everything when the browser restores a left page. It may show a payslip that has been withdrawn since, or
 * appear after another user signed in: the page is hidden when it is left and refetches everything on return.
 */
export function useRefreshOnReturn() {
  // Leaving and returning are window events.
  useEffect(() => {
    const root = document.documentElement
    const hidePage = () => root.setAttribute(hiddenAttribute, '')
    const refreshPage = (event: PageTransitionEvent) => {
      if (event.persisted && !session.token) return redirectToSignIn()
      if (event.persisted) void queryClient.resetQueries()
      // The skeleton is rendered by then.
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
