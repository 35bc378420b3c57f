/** The sides of a move of prepaid pieces. Pure. */
export type PoolKind = 'opening' | 'given' | 'bought' | 'used' | 'unused' | 'returned'
export type Side = 'stock' | 'used' | 'seller' | 'gift'

/** From where a move takes, and to where it gives. `returned`: bought pieces go back to the seller for their money. */
const ways: Readonly<Record<PoolKind, readonly [from: Side, to: Side]>> = {
  opening: ['gift', 'stock'],
  given: ['gift', 'stock'],
  bought: ['seller', 'stock'],
  used: ['stock', 'used'],
  unused: ['used', 'stock'],
  returned: ['stock', 'seller'],
}

/** Both entries of a move: they sum to nothing. */
export function entriesOf(kind: PoolKind, count: number): { readonly side: Side; readonly amount: number }[] {
  const [from, to] = ways[kind]
  return [
    { side: from, amount: -count },
    { side: to, amount: count },
  ]
}

/** What a move changes in the stock. */
export const changeOf = (kind: PoolKind, count: number): number =>
  entriesOf(kind, count).find(({ side }) => side === 'stock')?.amount ?? 0

/** Below that much somebody should buy: what one message to everybody takes, and never less than twenty. */
export const isLow = (left: number, people: number): boolean => left < Math.max(20, people)
