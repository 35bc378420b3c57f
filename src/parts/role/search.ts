/** What the pages of administrators read from the address. */
import { type Power, powers } from '../../../server/contract/access.ts'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../ui/search-params.ts'

export type AdminSearch = PageParams & { name?: string | undefined; power?: Power | undefined }
export const parseAdminSearch = (raw: Record<string, unknown>): AdminSearch => ({
  ...parsePageParams(raw),
  name: parseText(raw.name),
  // An address turns 1 into a number.
  power: parseEnum(parseText(raw.power), powers),
})
