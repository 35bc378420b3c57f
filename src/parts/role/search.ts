/** What the pages of administrators read from the address. */
import { type Power, powers } from '../../../server/contract/who.ts'
import { oneOf, type PageSearch, pageOf, textOf } from '../../ui/search.ts'

export type AdminSearch = PageSearch & { name?: string | undefined; power?: Power | undefined }
export const adminSearchOf = (raw: Record<string, unknown>): AdminSearch => ({
  ...pageOf(raw),
  name: textOf(raw.name),
  // An address turns 1 into a number.
  power: oneOf(textOf(raw.power), powers),
})
