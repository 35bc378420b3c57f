import { setImmediate } from 'node:timers/promises'

/** Runs work in segments; between two of them the event loop handles other work. */
export async function runCooperatively<T>(segments: Generator<undefined, T, undefined>): Promise<T> {
  for (;;) {
    const piece = segments.next()
    if (piece.done) return piece.value
    await setImmediate()
  }
}
