/**
 * Marks code that runs without an open transaction. External effects cannot be rolled back, and a slow external service
 * must not prolong locks. So functions that call a carrier, a platform or the spreadsheet child process require a token
 * as proof. External handlers and jobs receive the token; code in a transaction does not
 * (docs/decisions/20261123-use-one-transaction-per-request.md).
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** The private field makes the type nominal: no other value is assignable to it. */
class NoTransactionToken {
  readonly #isOpen = true
  get isOpen(): boolean {
    return this.#isOpen
  }
}
export type NoTransaction = NoTransactionToken

/** The only instance; tests/architecture restricts where it may be imported. */
export const noTransaction: NoTransaction = new NoTransactionToken()

type Transaction = { open: boolean }
const transactionScope = new AsyncLocalStorage<Transaction>()

/** Runs the work of a transaction; everything it starts counts as inside the transaction while it lasts. */
export async function runInTransactionScope<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { open: true }
  try {
    return await transactionScope.run(transaction, work)
  } finally {
    transaction.open = false
  }
}

/** Catches what the types cannot: a function in a transaction that captured a token from outside it. */
function assertNoTransaction({ isOpen }: NoTransaction): void {
  if (!isOpen || transactionScope.getStore()?.open)
    throw new Error('An external service must not be called while a transaction is open')
}

/** Wraps a function so that it requires the token. */
export const requireNoTransaction =
  <A extends readonly unknown[], R>(send: (...args: A) => R) =>
  (noTransaction: NoTransaction, ...args: A): R => {
    assertNoTransaction(noTransaction)
    return send(...args)
  }
