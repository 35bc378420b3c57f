/**
 * Outdoors: where no transaction is open. What leaves the house cannot be rolled back, and a slow neighbour must not hold anybody's locks, so whoever
 * asks a carrier, a platform or the child that opens files shows that he is outdoors. Handlers bound as outside and jobs are given the proof; what
 * runs in a transaction is not (docs/decisions/20261123-use-one-transaction-per-request.md).
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Nothing else is one: a private field is nobody else's. */
class OpenAir {
  readonly #isOpen = true
  get isOpen(): boolean {
    return this.#isOpen
  }
}
export type Outdoors = OpenAir

/** The one there is; tests/house says who may hand it out. */
export const theOutdoors: Outdoors = new OpenAir()

type Transaction = { open: boolean }
const indoors = new AsyncLocalStorage<Transaction>()

/** Runs what a transaction does; as long as it lasts, all that this begins is indoors. */
export async function inTheHouse<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { open: true }
  try {
    return await indoors.run(transaction, work)
  } finally {
    transaction.open = false
  }
}

/** For what the types cannot see: a function in a transaction that remembers the proof from before it. */
function mustBeOutdoors({ isOpen }: Outdoors): void {
  if (!isOpen || indoors.getStore()?.open) throw new Error('the outside world was asked while a transaction is open')
}

/** The same function, for whoever is outdoors. */
export const onlyOutdoors =
  <A extends readonly unknown[], R>(ask: (...args: A) => R) =>
  (outdoors: Outdoors, ...args: A): R => {
    mustBeOutdoors(outdoors)
    return ask(...args)
  }
