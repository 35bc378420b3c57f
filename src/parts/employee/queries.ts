import { queryOptions } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { getMe, getSlip } from '../../../server/contract/own/employee.ts'
import { ApiError, cache, query, toSignIn } from '../../api.ts'
import { session } from '../../api-core.ts'

/** A slip may be withdrawn at any moment: nothing of it outlives its page, and looking again asks again. */
export const neverKept = { gcTime: 0, staleTime: 0, refetchOnWindowFocus: 'always' } as const

export const meQuery = { ...query(getMe, {}), staleTime: 30_000 }
/** `opened`: he has been told that it closes after the first look, and wants to look. */
export const slipQuery = (slip_id: string, opened: boolean) =>
  queryOptions({ ...query(getSlip, opened ? { slip_id, opened } : { slip_id }), ...neverKept, meta: { quiet: true } })

/** Withdrawn, never there, or somebody else's: one answer, whatever is still on the screen. */
export const isGone = (error: unknown) => error instanceof ApiError && (error.is('not_found') || error.is('invalid'))
/** Somebody else has given his phone: he confirms it first. */
export const isUnconfirmed = (error: unknown) => error instanceof ApiError && error.is('unconfirmed_holder')
export const closesAfterLook = (error: unknown): error is ApiError => error instanceof ApiError && error.is('closes_after_look')
export const isClosed = (error: unknown): error is ApiError => error instanceof ApiError && error.is('slip_closed')
/** Of another company, where he may be no employee of this one. */
export const isElsewhere = (error: unknown) => error instanceof ApiError && error.is('not_permitted')
export const isLocked = (error: unknown) => error instanceof ApiError && error.is('view_locked')

/**
 * Why it cannot be shown. Asking again does not take the answer away before there is another one: what somebody is typing into the
 * unlock form must outlive the look at another window.
 */
export function useRefusal({ error, isFetching }: { error: Error | null; isFetching: boolean }): Error | null {
  const [kept, setKept] = useState<Error | null>(null)
  const refusal = error ?? (isFetching ? kept : null)
  if (refusal !== kept) setKept(refusal)
  return refusal
}

const left = 'data-left'
/**
 * The browser may bring a left page back as it was, with a slip that is withdrawn by now or after somebody else signed in: the
 * page is hidden as it leaves, and asks for everything anew when it comes back.
 */
export function useRecheck() {
  // Leaving and coming back are events of the window.
  useEffect(() => {
    const root = document.documentElement
    const leave = () => root.setAttribute(left, '')
    const comeBack = (event: PageTransitionEvent) => {
      if (event.persisted && !session.token) return toSignIn()
      if (event.persisted) void cache.resetQueries()
      // The skeleton is drawn by then.
      setTimeout(() => root.removeAttribute(left), event.persisted ? 60 : 0)
    }
    window.addEventListener('pagehide', leave)
    window.addEventListener('pageshow', comeBack)
    return () => {
      window.removeEventListener('pagehide', leave)
      window.removeEventListener('pageshow', comeBack)
      root.removeAttribute(left)
    }
  }, [])
}
