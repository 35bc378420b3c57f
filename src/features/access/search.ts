/** Parses the search parameters of the administrator pages. */
import { type Power, powers } from '../../../server/contract/access.ts'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../components/search-params.ts'

export type AdminSearch = PageParams & { name?: string | undefined; power?: Power | undefined }
export const parseAdminSearch = (raw: Record<string, unknown>): AdminSearch => ({
  ...parsePageParams(raw),
  name: parseText(raw.name),
  // The router parses `1` as a number.
  power: parseEnum(parseText(raw.power), powers),
})
