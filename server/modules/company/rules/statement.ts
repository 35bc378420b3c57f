/** A provider's statement of a day beside what stands here: what is missing on either side, to the fen. Pure. */

/** Money that moved. `number`: the provider's, of money in; ours, of money back. */
export type MoneyTransaction = {
  readonly kind: 'paid' | 'refunded'
  readonly order_no: string
  readonly number: string
  readonly amount_fen: number
}
/** `only_there`: nobody here knows of it. `only_here`: the provider does not. `amount`: both know it, with other sums. */
export type StatementDifference = {
  readonly kind: 'only_there' | 'only_here' | 'amount'
  readonly of: MoneyTransaction['kind']
  readonly order_no: string
  readonly number: string
  readonly ours_fen: number | null
  readonly theirs_fen: number | null
}

const getTransactionKey = ({ kind, number }: MoneyTransaction): string => `${kind} ${number}`

/**
 * What differs. `local` may hold more than the day, so that a payment of one minute to midnight is found on whichever side of it the other wrote it:
 * only what is `due` there is missed there.
 */
export function compareStatement(
  provided: readonly MoneyTransaction[],
  local: readonly (MoneyTransaction & { readonly due: boolean })[],
): StatementDifference[] {
  const localByKey = new Map(local.map((one) => [getTransactionKey(one), one]))
  const providedKeys = new Set(provided.map(getTransactionKey))
  const differences = provided.flatMap((one): StatementDifference[] => {
    const localMatch = localByKey.get(getTransactionKey(one))
    if (localMatch?.amount_fen === one.amount_fen) return []
    const { kind: of, order_no, number, amount_fen: theirs_fen } = one
    return [
      { kind: localMatch ? 'amount' : 'only_there', of, order_no, number, ours_fen: localMatch?.amount_fen ?? null, theirs_fen },
    ]
  })
  const onlyLocal = local
    .filter((one) => one.due && !providedKeys.has(getTransactionKey(one)))
    .map(({ kind: of, order_no, number, amount_fen: ours_fen }): StatementDifference => {
      return { kind: 'only_here', of, order_no, number, ours_fen, theirs_fen: null }
    })
  return [...differences, ...onlyLocal]
}
