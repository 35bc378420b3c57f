import { setImmediate } from 'node:timers/promises'

/** Piece by piece; between two of them everybody else has his turn. */
export async function runCooperatively<T>(segments: Generator<undefined, T, undefined>): Promise<T> {
  for (;;) {
    const piece = segments.next()
    if (piece.done) return piece.value
    await setImmediate()
  }
}
