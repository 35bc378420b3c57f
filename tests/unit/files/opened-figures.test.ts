/** Cache of decrypted components: valid only for the same key and the same payslips, and limited in bytes. */
import { expect, it } from 'vitest'
import type { Vault } from '../../../server/crypto/secrets.ts'
import { ComponentsCache } from '../../../server/modules/reports/components-cache.ts'

const [vault, later] = [{}, {}] as Vault[]
const of = (bytes: number, stamp = 's') => ({ vault: vault as Vault, stamp, packed: Buffer.alloc(bytes, 1) })

it('returns components for the key and the timestamp with which they were decrypted', () => {
  const all = new ComponentsCache(100)
  all.set('a', of(10))
  expect(all.get('a', vault as Vault, 's')).toHaveLength(10)
  expect(all.get('a', later as Vault, 's')).toBeNull()
  // A request with another key or stamp has removed the entry.
  expect([all.get('a', vault as Vault, 's'), all.bytes]).toEqual([null, 0])
  all.set('a', of(10))
  expect([all.get('a', vault as Vault, 'corrected'), all.bytes]).toEqual([null, 0])
})

it('evicts the least recently used entry', () => {
  const all = new ComponentsCache(100)
  for (const id of ['a', 'b', 'c']) all.set(id, of(33))
  all.get('a', vault as Vault, 's')
  all.set('d', of(33))
  expect(['a', 'b', 'c', 'd'].map((id) => all.get(id, vault as Vault, 's') !== null)).toEqual([true, false, true, true])
  all.set('d', of(101))
  expect([all.get('d', vault as Vault, 's'), all.bytes]).toEqual([null, 66])
})
