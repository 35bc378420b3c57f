/** Multipart forms with one file. The bytes stay in memory (20 MB at most) and are never written to disk unencrypted. */
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { fail } from './errors.ts'
import type { UploadedFile } from './handler.ts'
import { uploadLimits } from './limits/config.ts'

const { maxFileBytes: maxUploadBytes, maxDrainBytes, maxFormsPerOwner, maxBytes: maxFormBytes } = uploadLimits
const tooLarge = () =>
  fail('unreadable_sheet', `文件超过 ${maxUploadBytes / 1024 / 1024} MB，请删除多余的工作表或图片后再上传`, {
    max_bytes: maxUploadBytes,
  })

export type MultipartForm = { readonly fields: Record<string, string>; readonly upload: UploadedFile | null }

const tooMany = () => fail('too_often', '正在上传的文件太多，请稍后再试', { retry_after: 10 })

/** The forms whose bytes this process holds in memory. */
export class FormReader {
  readonly #activeUploads = new Map<string, number>()
  #bytes = 0

  /** Reads a form of this user. Its bytes count until `release` is called, which may happen more than once. */
  async read(request: FastifyRequest, owner: string): Promise<{ form: MultipartForm; release: () => void }> {
    const active = this.#activeUploads.get(owner) ?? 0
    if (active >= maxFormsPerOwner) throw tooMany()
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

/** Discards the rest of a refused form, because a client that is cut off while sending never receives the reason. */
export async function drainRequest(raw: IncomingMessage): Promise<void> {
  let size = 0
  raw.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxDrainBytes) raw.destroy()
  })
  raw.resume()
  // The body has ended: already, completely, by the client, by the drain limit, or by the request timeout.
  await finished(raw, { writable: false }).catch(() => undefined)
}

/** Sanitizes a file name that is displayed, never used as a path: removes control, bidirectional and path characters. */
const sanitizeUploadName = (name: string): string =>
  name
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
    .replace(/[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]/g, '')
    .slice(0, 200) || '未命名'
