/** Compares a provider's statement of one day with the stored payments: what is missing on either side, to the fen. Pure. */

/** A payment or refund. `number` is the provider's for payments and ours for refunds. */
export type MoneyTransaction = {
  readonly kind: 'paid' | 'refunded'
  readonly order_no: string
  readonly number: string
  readonly amount_fen: number
}
/**
 * `only_there` means unknown here, `only_here` unknown to the provider, and `amount` known to both with different sums.
 */
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
 * Returns the differences. `local` may cover more than the day, so that a payment just before midnight is found
 * whichever day the provider assigned it to: only transactions `due` on the day count as missing at the provider.
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
