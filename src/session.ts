/** Who am I, may I: the role info (spec §3) and the questions pages ask of it. */
import { useQuery } from '@tanstack/react-query'
import { role } from '../server/contract/account/account.ts'
import type { OutputOf } from '../server/contract/call.ts'
import { may, type Who, type Whoever } from '../server/contract/who.ts'
import { query } from './api.ts'

export type Role = OutputOf<typeof role>
export const roleQuery = { ...query(role, {}), staleTime: 60_000 }

export const personOf = (me: Role): Whoever => ({
  corp_role: me.corp.corp_role,
  power: me.power,
  is_employee: me.user.is_employee,
})

/** The signed-in administrator; undefined while the role info is on its way. */
export const useRole = (): Role | undefined => useQuery(roleQuery).data

/** Whether the signed-in administrator may make calls or see pages of this kind. */
export function useMay(): (who: Who) => boolean {
  const me = useRole()
  return (who) => may(me ? personOf(me) : null, who)
}
