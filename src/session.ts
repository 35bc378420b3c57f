/** The current user and their access: the role info (spec §3) and the checks that pages use. */
import { useQuery } from '@tanstack/react-query'
import { type AccessSubject, type CallAccess, canAccess } from '../server/contract/access.ts'
import { getCurrentUser } from '../server/contract/auth/sign-in.ts'
import type { CallOutput } from '../server/contract/call.ts'
import { callQuery } from './api.ts'

export type CurrentUser = CallOutput<typeof getCurrentUser>
export const currentUserQuery = { ...callQuery(getCurrentUser, {}), staleTime: 60_000 }

export const toAccessSubject = (currentUser: CurrentUser): AccessSubject => ({
  corp_role: currentUser.corp.corp_role,
  power: currentUser.power,
  is_employee: currentUser.user.is_employee,
})

/** Returns the signed-in administrator; undefined while the role info is loading. */
export const useCurrentUser = (): CurrentUser | undefined => useQuery(currentUserQuery).data

/** Returns a check whether the signed-in administrator may make certain calls or see certain pages. */
export function useCanAccess(): (who: CallAccess) => boolean {
  const currentUser = useCurrentUser()
  return (access) => canAccess(currentUser ? toAccessSubject(currentUser) : null, access)
}

/** Whether the company of the signed-in administrator is an agency, which serves other companies. */
export const useIsAgency = (): boolean => useCurrentUser()?.corp.corp_role === 20
