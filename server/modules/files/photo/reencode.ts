/**
 * Re-encodes a larger picture, as is done for logos (server/files/uploads.ts): hidden data in the file is dropped. This
 * takes a third of a second of CPU time, so it runs in a thread with a small heap and a timeout while other requests
 * are served.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { isPng } from '../../../files/uploads.ts'
import { fail, invalidInput } from '../../../http/handler.ts'

const maxInputBytes = 3 * 1024 * 1024
const maxSidePixels = 1600
const maxOutputBytes = 3 * 1024 * 1024
const timeoutMs = 10_000
/** Number of concurrent re-encodings for all users; each takes about 30 MB. */
const maxConcurrent = 2
let inFlightCount = 0

const createUnreadableError = () => invalidInput('file', '图片无法识别，请换一张')

/** Checks the size declared in the header; a decoder would allocate that much memory. */
function assertSupportedPng(input: Buffer): void {
  if (input.length > maxInputBytes) throw invalidInput('file', '图片太大，请换一张小一些的图片')
  const isPngFile = input.length > 33 && isPng(input)
  if (!isPngFile || input.subarray(8, 16).toString('latin1') !== '\0\0\0\rIHDR') throw createUnreadableError()
  const [width, height, interlace] = [input.readUInt32BE(16), input.readUInt32BE(20), input[28]]
  if (width < 1 || height < 1 || width > maxSidePixels || height > maxSidePixels)
    throw invalidInput('file', `图片的长和宽最多 ${maxSidePixels} 像素`)
  if (interlace !== 0) throw createUnreadableError()
}

export async function reencodePhoto(input: Buffer): Promise<Buffer> {
  assertSupportedPng(input)
  if (inFlightCount >= maxConcurrent) throw fail('too_often', '正在处理的图片太多，请稍后再试', { retry_after: 3 })
  inFlightCount += 1
  const worker = new Worker(new URL('./redraw-worker.ts', import.meta.url), {
    workerData: new Uint8Array(input),
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  try {
    const output: unknown = (await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) }))[0]
    if (!(output instanceof Uint8Array)) throw createUnreadableError()
    if (output.length > maxOutputBytes) throw invalidInput('file', '图片太复杂，请换一张小一些的图片')
    return Buffer.from(output.buffer, output.byteOffset, output.length)
  } catch (error) {
    throw error instanceof Error && (error.name === 'AbortError' || 'code' in error) ? createUnreadableError() : error
  } finally {
    inFlightCount -= 1
    await worker.terminate()
  }
}
