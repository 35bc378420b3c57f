import { setImmediate } from 'node:timers/promises'

/** Piece by piece; between two of them everybody else has his turn. */
export async function runCooperatively<T>(pieces: Generator<undefined, T, undefined>): Promise<T> {
  for (;;) {
    const piece = pieces.next()
    if (piece.done) return piece.value
    await setImmediate()
  }
}
