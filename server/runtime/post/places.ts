/** Places at a counter: so many stand there at once, the others wait in a line. */
export type Places = {
  readonly count: number
  stand<T>(work: () => Promise<T>): Promise<T>
  /**
   * Groups come to the counter one after another: the next one when `next` is called, at the latest when the work is done. Two that came together
   * would both be there half as fast, and be away from it together.
   */
  inTurn<T>(work: (next: () => void) => Promise<T>): Promise<T>
}

export function placesOf(count: number): Places {
  let free = count
  const waiting: (() => void)[] = []
  let before = Promise.resolve()
  return {
    count,
    async stand(work) {
      if (free > 0) free -= 1
      else await new Promise<void>((next) => void waiting.push(next))
      try {
        return await work()
      } finally {
        // Whoever waits takes the place as it is left.
        const next = waiting.shift()
        if (next) next()
        else free += 1
      }
    },
    async inTurn(work) {
      const mine = before
      const { promise, resolve: next } = Promise.withResolvers<void>()
      before = promise
      await mine
      return work(next).finally(next)
    },
  }
}
