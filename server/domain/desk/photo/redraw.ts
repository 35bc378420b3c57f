/**
 * A picture of some size, drawn anew as a mark is (runtime/files/uploads.ts): what was hidden in the file stays behind. That takes a third of a second of a
 * processor, so it is done in a thread of its own with a small heap and a clock, while others are answered.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { isPng } from '../../../runtime/files/uploads.ts'
import { invalid, refuse } from '../../../runtime/handle.ts'

const most_bytes = 3 * 1024 * 1024
const most_side = 1600
const most_kept = 3 * 1024 * 1024
const most_ms = 10_000
/** At once, of everybody; each holds some 30 MB. */
const most_at_once = 2
let under_way = 0

const unreadable = () => invalid('file', '图片无法识别，请换一张')

/** What the header promises; a decoder would take its memory by that. */
function mustBeModest(sent: Buffer): void {
  if (sent.length > most_bytes) throw invalid('file', '图片太大，请换一张小一些的图片')
  const begins = sent.length > 33 && isPng(sent)
  if (!begins || sent.subarray(8, 16).toString('latin1') !== '\0\0\0\rIHDR') throw unreadable()
  const [width, height, interlace] = [sent.readUInt32BE(16), sent.readUInt32BE(20), sent[28]]
  if (width < 1 || height < 1 || width > most_side || height > most_side)
    throw invalid('file', `图片的长和宽最多 ${most_side} 像素`)
  if (interlace !== 0) throw unreadable()
}

export async function redrawPhoto(sent: Buffer): Promise<Buffer> {
  mustBeModest(sent)
  if (under_way >= most_at_once) throw refuse('too_often', '正在处理的图片太多，请稍后再试', { retry_after: 3 })
  under_way += 1
  const worker = new Worker(new URL('./drawing.ts', import.meta.url), {
    workerData: new Uint8Array(sent),
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  try {
    const drawn: unknown = (await once(worker, 'message', { signal: AbortSignal.timeout(most_ms) }))[0]
    if (!(drawn instanceof Uint8Array)) throw unreadable()
    if (drawn.length > most_kept) throw invalid('file', '图片太复杂，请换一张小一些的图片')
    return Buffer.from(drawn.buffer, drawn.byteOffset, drawn.length)
  } catch (error) {
    throw error instanceof Error && (error.name === 'AbortError' || 'code' in error) ? unreadable() : error
  } finally {
    under_way -= 1
    await worker.terminate()
  }
}
