/**
 * Outdoors: where no transaction is open. What leaves the house cannot be rolled back, and a slow neighbour must not hold anybody's locks, so whoever
 * asks a carrier, a platform or the child that opens files shows that he is outdoors. Handlers bound as outside and jobs are given the proof; what
 * runs in a transaction is not (docs/decisions/20261123-use-one-transaction-per-request.md).
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Nothing else is one: a private field is nobody else's. */
class NoTransactionToken {
  readonly #isOpen = true
  get isOpen(): boolean {
    return this.#isOpen
  }
}
export type NoTransaction = NoTransactionToken

/** The one there is; tests/house says who may hand it out. */
export const noTransaction: NoTransaction = new NoTransactionToken()

type Transaction = { open: boolean }
const transactionScope = new AsyncLocalStorage<Transaction>()

/** Runs what a transaction does; as long as it lasts, all that this begins is indoors. */
export async function runInTransactionScope<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { open: true }
  try {
    return await transactionScope.run(transaction, work)
  } finally {
    transaction.open = false
  }
}

/** For what the types cannot see: a function in a transaction that remembers the proof from before it. */
function assertNoTransaction({ isOpen }: NoTransaction): void {
  if (!isOpen || transactionScope.getStore()?.open) throw new Error('the outside world was asked while a transaction is open')
}

/** The same function, for whoever is outdoors. */
export const requireNoTransaction =
  <A extends readonly unknown[], R>(send: (...args: A) => R) =>
  (noTransaction: NoTransaction, ...args: A): R => {
    assertNoTransaction(noTransaction)
    return send(...args)
  }
