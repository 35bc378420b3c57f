/** Forms with one file. The bytes stay in memory (20 MB at most) and never touch the disk in the clear. */
import '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { refuse, type Upload } from './handle.ts'

export const max_upload_bytes = 20 * 1024 * 1024
/** What is over the limit is read and thrown away up to here, so that the sender hears our answer instead of a broken connection. */
const patience_bytes = 200 * 1024 * 1024
const tooLarge = () =>
  refuse('unreadable_sheet', `文件超过 ${max_upload_bytes / 1024 / 1024} MB，请删除多余的工作表或图片后再上传`, {
    max_bytes: max_upload_bytes,
  })

export async function readForm(request: FastifyRequest): Promise<{ fields: Record<string, string>; upload: Upload | null }> {
  if (!request.isMultipart()) throw refuse('invalid', '请以表单方式上传文件', { field: 'file' })
  if (Number(request.headers['content-length'] ?? 0) > patience_bytes) throw tooLarge()
  const fields: Record<string, string> = Object.create(null) as Record<string, string>
  let upload: Upload | null = null
  let over = false
  for await (const part of request.parts({
    limits: { fileSize: patience_bytes, files: 1, fields: 20, fieldSize: 10_000, parts: 25 },
  })) {
    if (part.type === 'field') {
      fields[part.fieldname] = String(part.value)
      continue
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of part.file as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > max_upload_bytes) {
        over = true
        chunks.length = 0
      } else chunks.push(chunk)
    }
    if (!over) upload = { file_name: cleanName(part.filename ?? ''), bytes: Buffer.concat(chunks) }
  }
  if (over) throw tooLarge()
  return { fields: { ...fields }, upload }
}

/** A file's name is shown, never used as a path: control, direction and path characters go. */
const cleanName = (name: string): string =>
  name
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
    .replace(/[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]/g, '')
    .slice(0, 200) || '未命名'
