/**
 * Multipart forms with one file, and re-encoding of pictures. The bytes stay in memory (20 MB at most) and are never
 * written to disk unencrypted.
 */
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { PNG } from 'pngjs'
import { fail, invalidInput, type UploadedFile } from '../http/handler.ts'

export const maxUploadBytes = 20 * 1024 * 1024
/**
 * An upload over the limit is read and discarded up to this size, so that the client receives the response instead of a
 * broken connection.
 */
const maxDrainBytes = 200 * 1024 * 1024
const tooLarge = () =>
  fail('unreadable_sheet', `文件超过 ${maxUploadBytes / 1024 / 1024} MB，请删除多余的工作表或图片后再上传`, {
    max_bytes: maxUploadBytes,
  })

export type MultipartForm = { readonly fields: Record<string, string>; readonly upload: UploadedFile | null }

/** Maximum number of forms of one user being received or processed at once; a user has one, or a few tabs. */
const maxFormsPerUser = 4
/** Maximum size of all forms together. Excess data is discarded on arrival, so that many uploads cannot fill the memory. */
const maxFormBytes = 256 * 1024 * 1024
const tooMany = () => fail('too_often', '正在上传的文件太多，请稍后再试', { retry_after: 10 })

/** The forms whose bytes this process holds in memory. */
export class FormReader {
  readonly #activeUploads = new Map<string, number>()
  #bytes = 0

  /** Reads a form of this user. Its bytes count until `release` is called, which may happen more than once. */
  async read(request: FastifyRequest, owner: string): Promise<{ form: MultipartForm; release: () => void }> {
    const active = this.#activeUploads.get(owner) ?? 0
    if (active >= maxFormsPerUser) throw tooMany()
    this.#activeUploads.set(owner, active + 1)
    let current = 0
    const mayKeep = (size: number): boolean => {
      if (this.#bytes + size > maxFormBytes) return false
      current += size
      this.#bytes += size
      return true
    }
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      this.#bytes -= current
      const left = (this.#activeUploads.get(owner) ?? 1) - 1
      if (left > 0) this.#activeUploads.set(owner, left)
      else this.#activeUploads.delete(owner)
    }
    try {
      return { form: await readForm(request, mayKeep), release }
    } catch (error) {
      release()
      throw error
    }
  }
}

async function readForm(request: FastifyRequest, mayKeep: (size: number) => boolean): Promise<MultipartForm> {
  if (!request.isMultipart()) throw fail('invalid', '请以表单方式上传文件', { field: 'file' })
  if (Number(request.headers['content-length'] ?? 0) > maxDrainBytes) throw tooLarge()
  const fields: Record<string, string> = Object.create(null)
  let upload: UploadedFile | null = null
  let over: 'large' | 'many' | null = null
  for await (const part of request.parts({
    limits: { fileSize: maxDrainBytes, files: 1, fields: 20, fieldSize: 10_000, parts: 25 },
  })) {
    if (part.type === 'field') {
      fields[part.fieldname] = String(part.value)
      continue
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of part.file) {
      size += chunk.length
      if (size > maxUploadBytes) over = 'large'
      else if (!over && !mayKeep(chunk.length)) over = 'many'
      if (over) chunks.length = 0
      else chunks.push(chunk)
    }
    if (!over) upload = { file_name: sanitizeUploadName(part.filename ?? ''), bytes: Buffer.concat(chunks) }
  }
  if (over) throw over === 'large' ? tooLarge() : tooMany()
  return { fields: { ...fields }, upload }
}

/** Discards the rest of a refused form: a client that is cut off while sending never receives the reason. */
export async function drainRequest(raw: IncomingMessage): Promise<void> {
  let size = 0
  raw.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxDrainBytes) raw.destroy()
  })
  raw.resume()
  // Ended: already, completely, by the client, by the drain limit, or by the request timeout.
  await finished(raw, { writable: false }).catch(() => undefined)
}

/** Sanitizes a file name that is displayed, never used as a path: removes control, bidirectional and path characters. */
const sanitizeUploadName = (name: string): string =>
  name
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
    .replace(/[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]/g, '')
    .slice(0, 200) || '未命名'

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
