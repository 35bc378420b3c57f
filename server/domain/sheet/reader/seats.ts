/** At most two files are opened at once, and a short queue waits; the third upload must not slow the two before it down. */
import { SheetUnreadable, sentences } from './unreadable.ts'

const seats = 2
const queue = 32

let taken = 0
const waiting: (() => void)[] = []

/** Waits for a seat; the returned function gives it back, once. */
export async function acquire(signal?: AbortSignal): Promise<() => void> {
  if (taken >= seats) {
    if (waiting.length >= queue) throw new SheetUnreadable(sentences.busy)
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener('abort', leave, { once: true })
      waiting.push(go)
    })
  } else taken++
  let given = false
  return () => {
    if (given) return
    given = true
    const next = waiting.shift()
    // The seat goes from hand to hand, so that nobody who comes now can take it before.
    if (next) next()
    else taken--
  }
}
