/** The thread in which pages are drawn. It is told what is wanted, then people, a few at a time; each time it answers what was written meanwhile. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { openPages, type PagesWish, type Piece } from './pages.ts'

export type ToThread = { readonly pieces: readonly Piece[]; readonly last: boolean }
export type FromThread = { readonly bytes: Uint8Array; readonly whole: boolean }

// There a thread has a priority of its own: whoever asks something meanwhile goes first.
if (process.platform === 'linux') setPriority(19)

const asked: PagesWish = workerData
const pages = openPages(asked)

async function work({ pieces, last }: ToThread): Promise<void> {
  const { draw, take, end } = await pages
  for (const piece of pieces) draw(piece)
  if (last) await end()
  // In one piece: a person is forty small ones, and each would be kept on its own.
  const bytes = new Uint8Array(take())
  const written: FromThread = { bytes, whole: last }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- to the thread that began this one, not to a window
  parentPort?.postMessage(written, [bytes.buffer])
}

parentPort?.on('message', (told: ToThread) => {
  // What fails ends the thread, and with it the file.
  void work(told).catch((error: unknown) => {
    setImmediate(() => {
      throw error
    })
  })
})
