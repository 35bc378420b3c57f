/**
 * Work that is done in pieces: after so many steps it stops (`yield`), and whoever has it done lets others have their turn before it goes on.
 * What decides stays a function of values; when the event loop turns is not its business.
 */
export type CooperativeTask<T> = Generator<undefined, T, undefined>

/** Figures held beside each other in one piece: a few milliseconds. */
const stepsPerYield = 100_000

/** Counts steps over all that is done one after the other. */
export class YieldTimer {
  #steps = 0
  /** Whether it is somebody else's turn: `if (turn.isOver(steps)) yield`. */
  shouldYield(steps: number): boolean {
    this.#steps += steps
    if (this.#steps < stepsPerYield) return false
    this.#steps = 0
    return true
  }
  /** `list.filter(isKept)`, each of so many steps. */
  *filter<T>(list: Iterable<T>, steps: number, isStored: (one: T) => boolean): CooperativeTask<T[]> {
    const stored: T[] = []
    for (const one of list) {
      if (this.shouldYield(steps)) yield
      if (isStored(one)) stored.push(one)
    }
    return stored
  }
}

/** All pieces at once. */
export function runToCompletion<T>(task: CooperativeTask<T>): T {
  for (;;) {
    const step = task.next()
    if (step.done) return step.value
  }
}
