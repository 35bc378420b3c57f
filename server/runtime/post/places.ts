/** Places at a counter: so many stand there at once, the others wait in a line. */
export type Places = { readonly count: number; stand<T>(work: () => Promise<T>): Promise<T> }

export function placesOf(count: number): Places {
  let free = count
  const waiting: (() => void)[] = []
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
  }
}
