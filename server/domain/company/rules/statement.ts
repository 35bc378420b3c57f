/** A provider's statement of a day beside what stands here: what is missing on either side, to the fen. Pure. */

/** Money that moved. `number`: the provider's, of money in; ours, of money back. */
export type Moved = {
  readonly kind: 'paid' | 'refunded'
  readonly order_no: string
  readonly number: string
  readonly amount_fen: number
}
/** `only_there`: nobody here knows of it. `only_here`: the provider does not. `amount`: both know it, with other sums. */
export type StatementGap = {
  readonly kind: 'only_there' | 'only_here' | 'amount'
  readonly of: Moved['kind']
  readonly order_no: string
  readonly number: string
  readonly ours_fen: number | null
  readonly theirs_fen: number | null
}

const keyOf = ({ kind, number }: Moved): string => `${kind} ${number}`

/**
 * What differs. `here` may hold more than the day, so that a payment of one minute to midnight is found on whichever side of it the other wrote it:
 * only what is `due` there is missed there.
 */
export function differencesOf(there: readonly Moved[], here: readonly (Moved & { readonly due: boolean })[]): StatementGap[] {
  const ours = new Map(here.map((one) => [keyOf(one), one]))
  const theirs = new Set(there.map(keyOf))
  const found = there.flatMap((one): StatementGap[] => {
    const mine = ours.get(keyOf(one))
    if (mine?.amount_fen === one.amount_fen) return []
    const { kind: of, order_no, number, amount_fen: theirs_fen } = one
    return [{ kind: mine ? 'amount' : 'only_there', of, order_no, number, ours_fen: mine?.amount_fen ?? null, theirs_fen }]
  })
  const missed = here
    .filter((one) => one.due && !theirs.has(keyOf(one)))
    .map(({ kind: of, order_no, number, amount_fen: ours_fen }): StatementGap => {
      return { kind: 'only_here', of, order_no, number, ours_fen, theirs_fen: null }
    })
  return [...found, ...missed]
}
