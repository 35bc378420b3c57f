/**
 * Files that are no wage sheet: a helpful message, no row left in any table, and hardly any change of the server's
 * memory.
 */
import { createCipheriv, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { makeXlsx, makeZip } from '../../support/files/xlsx.ts'
import { getSample, trial } from '../../support/run/trial.ts'

const { world, corp, payroll: clerk } = demo({ clerk: { name: '薪资员' } })

const send = (bytes: Buffer, name = '工资表.xlsx', input: { batch_id?: string; sheet?: string } = {}) =>
  clerk.call(wage.uploadWageExcel, input, { file: { name, bytes } })
/** Counts the rows in all tables that an upload writes. */
const rows = () =>
  world.database.inCompany(corp.company_id, async (tx) => {
    const counts: Record<string, number> = {}
    for (const table of ['batch', 'sheet_page', 'file', 'file_chunk', 'title'] as const) {
      const { count } = await tx
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('company_id', '=', corp.company_id)
        .executeTakeFirstOrThrow()
      counts[table] = Number(count)
    }
    return counts
  })
const nothing = { batch: 0, sheet_page: 0, file: 0, file_chunk: 0, title: 0 }

/** The container of a workbook with a password: an OLE file that says so inside. */
function encrypted(): Buffer {
  const bytes = Buffer.alloc(6144)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes)
  bytes.writeUInt16LE(0x3e, 24)
  bytes.writeUInt16LE(3, 26)
  bytes.writeUInt16LE(0xfffe, 28)
  bytes.writeUInt16LE(9, 30)
  bytes.writeUInt16LE(6, 32)
  bytes.writeUInt32LE(1, 44)
  bytes.writeUInt32LE(1, 48)
  bytes.writeUInt32LE(4096, 56)
  bytes.writeUInt32LE(0xfffffffe, 60)
  bytes.writeUInt32LE(0xfffffffe, 68)
  bytes.fill(0xff, 76, 512)
  bytes.writeUInt32LE(0, 76)
  bytes.fill(0xff, 512, 1024)
  bytes.writeUInt32LE(0xfffffffd, 512)
  bytes.writeUInt32LE(0xfffffffe, 516)
  const entry = (at: number, name: string, type: number, child: number) => {
    const from = 1024 + at * 128
    bytes.write(name, from, 'utf16le')
    bytes.writeUInt16LE((name.length + 1) * 2, from + 64)
    bytes[from + 66] = type
    bytes[from + 67] = 1
    bytes.writeUInt32LE(0xffffffff, from + 68)
    bytes.writeUInt32LE(0xffffffff, from + 72)
    bytes.writeUInt32LE(child, from + 76)
    bytes.writeUInt32LE(0xfffffffe, from + 116)
  }
  entry(0, 'Root Entry', 5, 1)
  entry(1, 'EncryptedPackage', 2, 0xffffffff)
  entry(2, 'EncryptionInfo', 2, 0xffffffff)
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
  cipher.update(Buffer.alloc(4096)).copy(bytes, 2048)
  return bytes
}
/** A file of 300 MB of blanks, compressed to 300 KB. */
const bomb = () =>
  makeZip({
    '[Content_Types].xml':
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    'xl/workbook.xml': '<workbook/>',
    'xl/worksheets/sheet1.xml': Buffer.concat([Buffer.from('<worksheet><sheetData>'), Buffer.alloc(300_000_000, 32)]),
  })

const bad: [string, () => Buffer, RegExp][] = [
  ['an empty file', () => Buffer.alloc(0), /空/],
  [
    'text with the extension .xlsx',
    () => Buffer.from('各位同事：\n本月工资已经发放，请查收。\n如有疑问请联系财务部。\n'),
    /表格|工资表/,
  ],
  ['an empty sheet', () => makeXlsx({ sheets: [{ name: 'Sheet1', rows: [] }] }), /没有内容|空/],
  ['a workbook protected by a password', encrypted, /加密|密码|格式/],
  ['a zip bomb', bomb, /太大|损坏/],
  ['random bytes', () => randomBytes(20_000), /文件|格式/],
  [
    'a sheet without names or numbers',
    () =>
      makeXlsx({
        sheets: [
          {
            name: 'a',
            rows: [
              ['基本工资', '实发工资'],
              [8000, 7500],
              [9000, 8500],
            ],
          },
        ],
      }),
    /姓名/,
  ],
  [
    'a header without employees',
    () => makeXlsx({ sheets: [{ name: 'a', rows: [['姓名', '手机号', '基本工资', '实发工资']] }] }),
    /没有人员/,
  ],
  [
    'a staff list',
    () =>
      makeXlsx({
        sheets: [
          {
            name: 'a',
            rows: [
              ['姓名', '手机号', '部门'],
              ['张三', '13800000001', '财务部'],
              ['李四', '13800000002', '财务部'],
            ],
          },
        ],
      }),
    /花名册/,
  ],
  ['a picture', () => Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), randomBytes(500)]), /图片|文件/],
]

describe('files that are not wage sheets', () => {
  it.each(bad)('%s', async (_, make, sentence) => {
    const answer = await send(make())
    expect(answer).toMatchObject({ status: 200, code: 100002 })
    expect(answer.message).toMatch(sentence)
    expect(answer.message).toMatch(/请/)
    expect(await rows()).toEqual(nothing)
  })

  it('refuses a file of 60 MB', async () => {
    const answer = await send(Buffer.alloc(60 * 1024 * 1024, 'x'), '大.xlsx')
    expect(answer).toMatchObject({ status: 200, code: 100002 })
    expect(answer.message).toContain('20 MB')
    expect(await rows()).toEqual(nothing)
  })

  it("keeps the server's memory nearly constant for a decompression bomb", async () => {
    const bytes = bomb()
    global.gc?.()
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
    expect((await send(bytes)).code).toBe(100002)
    clearInterval(watch)
    expect((most - before) / 1_048_576).toBeLessThan(64)
  })

  it('leaves an existing batch unchanged if the file cannot be read', async () => {
    const person = await corp.person({ name: '张三' })
    const good = await send(demoWageSheet([person]))
    const { batch_id } = good.data
    const before = await rows()
    expect((await send(bomb(), 'x.xlsx', { batch_id })).code).toBe(100002)
    expect((await clerk.call(wage.uploadWageExcel, { batch_id, sheet: '没有这一张' })).code).toBe(100002)
    expect((await clerk.call(wage.uploadWageExcel, {})).code).toBe(100001)
    expect(await rows()).toEqual(before)
    // A valid file replaces the old one with its rows and file.
    const better = await send(demoWageSheet([person, await corp.person({ name: '李四' })]), 'y.xlsx', { batch_id })
    expect(better.data).toMatchObject({ batch_id, file_name: 'y.xlsx', rows: 2 })
    expect(await rows()).toMatchObject({ batch: 1, file: 1, sheet_page: 1 })
    await clerk.must(wage.clearBatchTitle, { batch_id })
    expect(await rows()).toEqual(nothing)
  })

  it('stores nothing when the database fails halfway', async () => {
    const person = await corp.person({ name: '王五' })
    // A title that does not exist: detected after the file was parsed.
    const answer = await clerk.call(
      wage.uploadWageExcel,
      { title_id: '00000000-0000-7000-8000-000000000000' },
      { file: { name: 'a.xlsx', bytes: demoWageSheet([person]) } },
    )
    expect(answer.code).toBe(100404)
    expect(await rows()).toEqual(nothing)
  })
})

describe('public wage sheets from other sources', () => {
  type Truth = { file: string; kind: string; data_row_count: number; net_sum_fen: number | null; net_column: string | null }
  const dir = [join(import.meta.dirname, '../../../../shared/sheets'), join(import.meta.dirname, '../../../shared/sheets')].find(
    (path) => existsSync(join(path, 'truth.json')),
  )
  const truths = dir ? (JSON.parse(readFileSync(join(dir, 'truth.json'), 'utf8')) as Truth[]) : []
  const open = { full: truths.length, sample: 6, of: 'sheets' }
  // The unit tests compare their recognition, all of them in every run.
  trial(
    'open-sheets',
    'turns each public wage sheet into a batch or into an error message',
    open,
    async ({ size, random, says }) => {
      const truth = getSample(random, truths, size)
      says(truth.map(({ file }) => file).join(' '))
      const wrong: string[] = []
      for (const one of truth) {
        const answer = await send(readFileSync(join(dir ?? '', one.file)), one.file)
        if (one.kind !== 'wage') {
          if (answer.code !== 100002 || !answer.message.includes('请'))
            wrong.push(`${one.file}: ${answer.code} ${answer.message}`)
          continue
        }
        if (answer.code !== 0) {
          wrong.push(`${one.file}: ${answer.code} ${answer.message}`)
          continue
        }
        const { batch_id } = answer.data
        if (answer.data.rows !== one.data_row_count)
          wrong.push(`${one.file}: ${answer.data.rows} rows instead of ${one.data_row_count}`)
        const { counts } = await clerk.must(wage.checkWageData, { batch_id })
        if (one.net_sum_fen !== null && counts.totals.net_fen !== one.net_sum_fen)
          wrong.push(`${one.file}: net ${counts.totals.net_fen} instead of ${one.net_sum_fen}`)
        await clerk.must(wage.clearBatchTitle, { batch_id })
      }
      expect(wrong).toEqual([])
    },
  )
})
