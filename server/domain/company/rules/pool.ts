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

/** What a month takes: what the last one's sends used; where there were none, so many. */
const usual_need = 100

export type PoolLeft = {
  readonly left: number
  /** In the calendar month before this one, less what came back. */
  readonly used_last_month: number
}
/** Whether it will not last another month: one rule for the page that shows it and the notice that tells of it. */
export const isLow = ({ left, used_last_month: used }: PoolLeft): boolean => left < (used > 0 ? used : usual_need)
