import { setImmediate } from 'node:timers/promises'
import type { InTurns } from '../../rules/turns.ts'

/** Piece by piece; between two of them everybody else has his turn. */
export async function withTurns<T>(pieces: InTurns<T>): Promise<T> {
  for (;;) {
    const piece = pieces.next()
    if (piece.done) return piece.value
    await setImmediate()
  }
}
