/** The sentence of a failed command: what to do about a file that cannot be read or written, never a bare error code. */
import { createReadStream } from 'node:fs'
import { mkdtemp, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { explainFailure } from '../../../server/commands/explain-failure.ts'

const catchError = (work: () => Promise<unknown>): Promise<unknown> =>
  work().then(
    () => undefined,
    (error: unknown) => error,
  )

it('names the file and what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'xinhan-failure-'))
  const missing = join(folder, 'none', 'backup.xinhan')
  const reading = await catchError(() => text(createReadStream(missing)))
  expect(explainFailure(reading)).toBe(`${missing}：找不到这个文件或目录，请检查路径`)
  const writing = await catchError(() => open(missing, 'w'))
  expect(explainFailure(writing)).toBe(`${missing}：找不到这个文件或目录，请检查路径`)
  const onFolder = await catchError(() => open(folder, 'w'))
  expect(explainFailure(onFolder)).toBe(`${folder}：这是一个目录，请写明文件名`)
})

it.each([
  [
    'a full disk',
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    '磁盘已满，请清理后重试',
  ],
  ['our own sentence', new Error('备份已损坏'), '备份已损坏'],
  ['another code', Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' }), 'connect refused'],
  ['what is no error', '停止', '停止'],
])('explains %s', (_, error, sentence) => {
  expect(explainFailure(error)).toBe(sentence)
})
