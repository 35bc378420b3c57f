/**
 * The text inside a backup: lines of UTF-8, independent of the version of PostgreSQL.
 *
 * - The first line is the manifest, the last one the summary, both JSON.
 * - Between them are sections: a JSON line with the table, the columns and the company, then the rows in the text format
 *   of COPY, which never contains a line break, then a line `\.`.
 */
import * as z from 'zod/mini'
import { BackupFileError } from './backup-file.ts'

const manifestSchema = z.object({
  xinhan_backup: z.literal(1),
  created_at: z.string(),
  program: z.string(),
  migrations: z.array(z.object({ name: z.string(), sha256: z.string() })),
})
const sectionSchema = z.object({
  table: z.string(),
  columns: z.array(z.string()),
  company_id: z.nullable(z.string()),
})
const summarySchema = z.object({ companies: z.int(), rows: z.record(z.string(), z.int()) })

/** What made the backup: time, version of the program, and the migrations that its tables have. */
export type BackupManifest = z.infer<typeof manifestSchema>
/** Rows of one table; with `company_id` those of one company. */
export type BackupSection = z.infer<typeof sectionSchema>
/** Number of companies, and rows by table: what a reader must have counted at the end. */
export type BackupSummary = z.infer<typeof summarySchema>

export type BackupReader = {
  onManifest(manifest: BackupManifest): Promise<void>
  /** Returns the consumer of the section's rows: each call is one line without its line break. */
  onSection(section: BackupSection): Promise<{ onRow(line: Buffer): Promise<void> | void; onEnd(): Promise<void> }>
}

const newline = 0x0a
export const endOfSection = '\\.'
const endMarker = Buffer.from(endOfSection)

/** Yields the lines without their line breaks. A line may extend over many chunks. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let incomplete: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...incomplete, chunk.subarray(from, to)])
      incomplete = []
      from = to + 1
    }
    if (from < chunk.length) incomplete.push(chunk.subarray(from))
  }
  if (incomplete.length > 0) throw new BackupFileError('备份文件不完整：最后一行没有结束')
}

function parseLine<T>(schema: z.ZodMiniType<T>, line: Buffer | undefined): T {
  try {
    return schema.parse(JSON.parse(line?.toString('utf8') ?? ''))
  } catch {
    throw new BackupFileError('备份文件的内容不正确：可能由更新的版本写成')
  }
}

/** Reads a backup from the first to the last line; throws where it is incomplete or its rows are not as many as stated. */
export async function readBackupText(
  chunks: AsyncIterable<Buffer>,
  reader: BackupReader,
): Promise<{ readonly manifest: BackupManifest; readonly summary: BackupSummary }> {
  const lines = splitLines(chunks)
  const next = async (): Promise<Buffer | undefined> => (await lines.next()).value ?? undefined
  const manifest = parseLine(manifestSchema, await next())
  await reader.onManifest(manifest)
  const rows: Record<string, number> = {}
  for (let line = await next(); line; line = await next()) {
    if (line.subarray(0, 9).toString() !== '{"table":') {
      const summary = parseLine(summarySchema, line)
      assertCounts(summary, rows)
      return { manifest, summary }
    }
    const section = parseLine(sectionSchema, line)
    const { onRow, onEnd } = await reader.onSection(section)
    let count = 0
    for (let row = await next(); ; row = await next()) {
      if (!row) throw new BackupFileError('备份文件不完整：表的内容没有结束')
      if (row.equals(endMarker)) break
      await onRow(row)
      count += 1
    }
    await onEnd()
    rows[section.table] = (rows[section.table] ?? 0) + count
  }
  throw new BackupFileError('备份文件不完整：没有结尾')
}

function assertCounts(summary: BackupSummary, rows: Readonly<Record<string, number>>): void {
  for (const [table, count] of Object.entries(summary.rows))
    if ((rows[table] ?? 0) !== count)
      throw new BackupFileError(`备份文件不完整：${table} 应有 ${count} 行，实际 ${rows[table] ?? 0} 行`)
}

/** Decodes the fields of a row in the text format of COPY; null for SQL null. */
export function parseCopyRow(line: Buffer): (string | null)[] {
  const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
  return line
    .toString('utf8')
    .split('\t')
    .map((field) => (field === '\\N' ? null : field.replaceAll(/\\(.)/g, (_, one: string) => escapes[one] ?? one)))
}
