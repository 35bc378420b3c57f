/** The thread in which a picture is drawn anew: answers its bytes, or null where it is none. Without what shines through, which a photo has not. */
import { parentPort, workerData } from 'node:worker_threads'
import { PNG } from 'pngjs'

function redrawPng(input: unknown): Uint8Array | null {
  if (!(input instanceof Uint8Array)) return null
  try {
    const { width, height, data } = PNG.sync.read(Buffer.from(input))
    const clean = new PNG({ width, height })
    data.copy(clean.data)
    return new Uint8Array(PNG.sync.write(clean, { colorType: 2, deflateLevel: 6 }))
  } catch {
    return null
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- to the thread that began this one, not to a window
parentPort?.postMessage(redrawPng(workerData))
