import { getPlatformAccounts, getProfile, getSessionList } from '../../../../server/contract/auth/profile.ts'
import { callQuery } from '../../../api.ts'

export const profileQuery = callQuery(getProfile, {})
export const platformAccountsQuery = callQuery(getPlatformAccounts, {})
export const devicesQuery = callQuery(getSessionList, {})
