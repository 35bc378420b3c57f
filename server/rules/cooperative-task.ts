/**
 * A task that runs in chunks: it yields after a number of steps so that the caller can let other work run before it
 * continues. The rules themselves remain pure functions that do not deal with the event loop.
 */
export type CooperativeTask<T> = Generator<undefined, T, undefined>

/** Number of comparisons per chunk, which take a few milliseconds. */
const stepsPerYield = 100_000

/** Counts steps across consecutive parts of a task. */
export class YieldTimer {
  #steps = 0
  /** Returns whether it is time to yield: `if (timer.shouldYield(steps)) yield`. */
  shouldYield(steps: number): boolean {
    this.#steps += steps
    if (this.#steps < stepsPerYield) return false
    this.#steps = 0
    return true
  }
  /** `list.filter(matches)` that counts `steps` per item. */
  *filter<T>(list: Iterable<T>, steps: number, matches: (one: T) => boolean): CooperativeTask<T[]> {
    const result: T[] = []
    for (const one of list) {
      if (this.shouldYield(steps)) yield
      if (matches(one)) result.push(one)
    }
    return result
  }
}

/** Runs a task to its end without pausing. */
export function runToCompletion<T>(task: CooperativeTask<T>): T {
  for (;;) {
    const step = task.next()
    if (step.done) return step.value
  }
}
