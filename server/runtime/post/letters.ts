/** What a message says, sealed until nothing can be tried any more. */
import * as z from 'zod/mini'
import { isSaying, type Saying } from '../../contract/words/messages.ts'
import { documentKind } from '../data/document.ts'
import type { Place, Secrets, Vault } from '../secrets.ts'

export type Sealer = Pick<Vault, 'seal' | 'openBytes'>
/** Seals what belongs to no company. */
export const houseSealer = (secrets: Pick<Secrets, 'seal' | 'open'>): Sealer => ({
  seal: (place, value) => secrets.seal(place, Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))),
  openBytes: (place, sealed) => secrets.open(place, sealed),
})

/** To whom, and what. */
export type Letter = { readonly to: string; readonly saying: Saying }
const letters = documentKind<{ to: string; saying: { kind: string; params: Readonly<Record<string, string>> } }>({
  kind: 'letter',
  version: 1,
  schema: z.object({
    to: z.string(),
    saying: z.object({ kind: z.string(), params: z.record(z.string(), z.string()) }),
  }),
})
const placeOf = (id: string): Place => ({ table: 'message', row: id, column: 'letter' })

export const sealLetter = (vault: Sealer, id: string, letter: Letter): Buffer => letters.seal(vault, placeOf(id), letter)
export function openLetter(vault: Sealer, id: string, sealed: Buffer): Letter {
  const { to, saying } = letters.open(vault, placeOf(id), sealed)
  if (!isSaying(saying)) throw new Error('a letter says nothing of what there is to say')
  return { to, saying }
}
