/** The worker thread that re-encodes a picture: returns its bytes without transparency, or null if it is no picture. */
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
