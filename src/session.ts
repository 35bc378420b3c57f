/** Who am I, may I: the role info (spec §3) and the questions pages ask of it. */
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

/** The signed-in administrator; undefined while the role info is on its way. */
export const useCurrentUser = (): CurrentUser | undefined => useQuery(currentUserQuery).data

/** Whether the signed-in administrator may make calls or see pages of this kind. */
export function useCanAccess(): (who: CallAccess) => boolean {
  const currentUser = useCurrentUser()
  return (access) => canAccess(currentUser ? toAccessSubject(currentUser) : null, access)
}
