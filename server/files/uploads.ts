/** Re-encoding of pictures, and pictures for a page. */
import { PNG } from 'pngjs'
import { invalidInput } from '../http/handler.ts'

const maxPictureBytes = 512 * 1024
const maxPictureSide = 256
const maxStoredPictureBytes = 40 * 1024

/** Returns the picture as a data: URL for a page that shows it; null where there is none. */
export const toPngDataUrl = (png: Buffer | null): string | null =>
  png ? `data:image/png;base64,${png.toString('base64')}` : null

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n'

const unreadable = () => invalidInput('file', '图片无法识别，请换一张 PNG 图片')

/**
 * Re-encodes a picture, so that hidden content of the file (locations, text, a second file) is dropped. The header is
 * read first, because a few bytes can declare gigabytes: the decoder limits a plain image to its declared size, but not
 * an interlaced one, so those are refused.
 */
export function reencodePng(sent: Buffer): Buffer {
  if (sent.length > maxPictureBytes) throw invalidInput('file', '图片太大，请换一张 512 KB 以内的图片')
  const begins = sent.length > 33 && isPng(sent)
  if (!begins || sent.subarray(8, 16).toString('latin1') !== '\0\0\0\rIHDR') throw unreadable()
  const [width, height, interlace] = [sent.readUInt32BE(16), sent.readUInt32BE(20), sent[28]]
  if (width < 1 || height < 1 || width > maxPictureSide || height > maxPictureSide)
    throw invalidInput('file', `图片的长和宽最多 ${maxPictureSide} 像素`)
  if (interlace !== 0) throw unreadable()
  const clean = new PNG({ width, height })
  try {
    PNG.sync.read(sent).data.copy(clean.data)
  } catch {
    throw unreadable()
  }
  const stored = PNG.sync.write(clean)
  if (stored.length > maxStoredPictureBytes) throw invalidInput('file', '图片太复杂，请换一张更简单的图片')
  return stored
}
