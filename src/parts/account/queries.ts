import { getProfile, getSessionList } from '../../../server/contract/account/profile.ts'
import { query } from '../../api.ts'

export const profileQuery = query(getProfile, {})
export const devicesQuery = query(getSessionList, {})
