/**
 * Thousands of broken sheets: each gets a result in time, the server stays up, and no broken archive is read as if it
 * were complete. Most are opened by a long-lived child process, some by the real one, which is started for each.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { utils, write } from '@e965/xlsx'
import { afterAll, describe, expect } from 'vitest'
import { readSheet, UnreadableSheetError } from '../../../server/spreadsheets/child/read-sheet.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import type { Result } from '../../support/files/fuzz-child.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { trial } from '../../support/run/trial.ts'
import { type Mutant, mutant, type Source } from '../../support/sheets/mutants.ts'

const folder = new URL('../../../../shared/sheets/', import.meta.url)
const matches: Source[] = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => /\.(?:xlsx|xlsm|xls|csv)$/.test(name))
      .map((name) => ({ name, bytes: readFileSync(new URL(name, folder)) }))
      .filter(({ bytes }) => bytes.length < 100_000)
  : []

const rows = [
  ['姓名', '工号', '基本工资', '奖金', '扣款', '实发工资'],
  ...Array.from({ length: 12 }, (_, at) => [`张${at}`, `00${at}`, 5000 + at, 12.34 * at, -3.5, 5000 + at + 12.34 * at - 3.5]),
]
const another = (type: 'biff8' | 'ods') =>
  write({ SheetNames: ['工资'], Sheets: { 工资: utils.aoa_to_sheet(rows) } }, { type: 'buffer', bookType: type }) as Buffer
const tagged = (open: string, row: string, cell: (value: string | number) => string, close: string) =>
  Buffer.from(open + rows.map((cells) => `<${row}>${cells.map(cell).join('')}</${row}>`).join('\n') + close)
const made: Source[] = [
  {
    name: 'made.xlsx',
    bytes: makeXlsx({
      sheets: [
        { name: '工资', rows, merges: ['A15:C15'], hidden_columns: [2] },
        { name: '二', rows },
      ],
    }),
  },
  {
    name: 'demo.xlsx',
    bytes: demoWageSheet(Array.from({ length: 5 }, (_, at) => ({ name: `王${at}`, mobile: String(13_800_000_000 + at) }))),
  },
  { name: 'made.xls', bytes: another('biff8') },
  { name: 'made.ods', bytes: another('ods') },
  { name: 'made.csv', bytes: Buffer.from(rows.map((cells) => cells.join(',')).join('\r\n')) },
  { name: 'page.xls', bytes: tagged('<html><table>', 'tr', (value) => `<td colspan="1">${value}</td>`, '</table></html>') },
  {
    name: '2003.xml',
    bytes: tagged(
      '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="工资"><Table>',
      'Row',
      (value) =>
        `<Cell ss:Index="${''}"><Data ss:Type="${typeof value === 'number' ? 'Number' : 'String'}">${value}</Data></Cell>`.replace(
          ' ss:Index=""',
          '',
        ),
      '</Table></Worksheet></Workbook>',
    ),
  },
]
const sources = [...made, ...matches]
const slowest_ms = 10_000

/** The long-lived child process. If it dies or hangs, it is replaced and its file is named. */
class Judge {
  private child: ChildProcess | undefined
  private text = ''
  private got: ((line: string | null) => void) | undefined

  private start(): ChildProcess {
    const root = fileURLToPath(new URL('../../../', import.meta.url))
    const readable = [
      'server/spreadsheets/',
      'server/contract/',
      'server/rules/',
      'server/files/xlsx-writer.ts',
      'server/files/zip-writer.ts',
      'node_modules/',
      'package.json',
      'tests/support/',
    ]
    const child = spawn(
      process.execPath,
      [
        '--permission',
        ...readable.map((path) => `--allow-fs-read=${root}${path}`),
        '--max-old-space-size=768',
        '--no-warnings',
        `${root}tests/support/files/fuzz-child.ts`,
      ],
      { env: {}, cwd: root, stdio: ['pipe', 'pipe', 'ignore'] },
    )
    child.stdout?.setEncoding('utf8')
    child.stdout?.on('data', (piece: string) => {
      this.text += piece
      for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n')) {
        this.got?.(this.text.slice(0, at))
        this.text = this.text.slice(at + 1)
      }
    })
    child.stdin?.on('error', () => {})
    child.once('close', () => {
      if (this.child !== child) return
      this.child = undefined
      this.got?.(null)
    })
    this.child = child
    this.text = ''
    return child
  }

  async judge(bytes: Buffer): Promise<Result | 'died' | 'hung'> {
    const child = this.child ?? this.start()
    const size = Buffer.alloc(4)
    size.writeUInt32LE(bytes.length)
    let clock: NodeJS.Timeout | undefined
    const line = await new Promise<string | null | 'hung'>((resolve) => {
      this.got = resolve
      clock = setTimeout(() => resolve('hung'), slowest_ms)
      child.stdin?.write(Buffer.concat([size, bytes]))
    })
    clearTimeout(clock)
    this.got = undefined
    if (line === 'hung') this.stop()
    return line === null ? 'died' : line === 'hung' ? 'hung' : (JSON.parse(line) as Result)
  }

  stop() {
    this.child?.kill('SIGKILL')
    this.child = undefined
  }
}

const judge = new Judge()
afterAll(() => judge.stop())
const named = ({ what, source }: Mutant, seed: number) => `${seed}: ${what} of ${source.name}`
const share = (sorted: number[], of: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? 0)
function notify(title: string, counts: Record<string, number>, ms: number[]): string {
  const sorted = ms.toSorted((a, b) => a - b)
  const messages = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return `${title}: ${messages.join(', ')}; p50 ${share(sorted, 0.5)} ms, p99 ${share(sorted, 0.99)} ms, slowest ${share(sorted, 1)} ms`
}

describe('broken sheets', () => {
  const mutants = { full: 20_000, sample: 120, of: 'broken files', goal: 'G5' }
  trial(
    'broken-sheets',
    'returns a result for every broken sheet, and never reads a broken archive as another one',
    mutants,
    async (run) => {
      const first = (run.seed - 1) * 100_000
      const honest = new Map<Source, Result>()
      for (const source of sources) {
        const result = await judge.judge(source.bytes)
        if (typeof result !== 'string' && result.result === 'read') honest.set(source, result)
      }
      const digests = new Set([...honest.values()].map(({ digest }) => digest))
      expect(honest.size).toBeGreaterThanOrEqual(made.length)
      const counts = { read: 0, refused: 0, broken: 0, died: 0, hung: 0 }
      const ms: number[] = []
      const wrong: string[] = []
      let compared = 0
      for (let seed = first; seed < first + run.size; seed++) {
        const one = mutant(seed, sources)
        const result = await judge.judge(one.bytes)
        if (typeof result === 'string') {
          counts[result]++
          wrong.push(`${named(one, seed)} ${result}`)
          continue
        }
        counts[result.result]++
        ms.push(result.ms)
        // The child reports a parser failure as a damaged file; it must be the parser's own error, not ours.
        if (result.result === 'refused' && !/[\u4e00-\u9fff]/.test(result.message))
          wrong.push(`${named(one, seed)}: ${result.message}`)
        if (result.result === 'broken') wrong.push(`${named(one, seed)}: ${result.message}`)
        const full = honest.get(one.source)
        if (result.result !== 'read' || !full || one.may === 'anything') continue
        compared++
        const existing = new Set(full.cells)
        const other = result.cells.filter((cell) => !existing.has(cell))
        // Two halves may happen to form the complete file.
        const same =
          one.may === 'nothing' ? digests.has(result.digest) : result.cells.length === full.cells.length && other.length <= 1
        if (!same) wrong.push(`${named(one, seed)} reads otherwise: ${other.slice(0, 2).join(' ')}`)
      }
      run.says(notify(`${compared} compared with the whole one`, counts, ms))
      expect(wrong).toEqual([])
      // Where the shared sheets are not stored beside the repository, only a smaller part of the few generated ones can
      // be compared.
      expect(compared).toBeGreaterThan(run.size / (matches.length > 0 ? 60 : 200))
    },
  )

  const read = { full: 1_000, sample: 8, of: 'broken files', goal: 'G5' }
  trial('broken-sheets-read', 'reads broken sheets in the real reader without affecting the server', read, async (run) => {
    const from = 1_000_000 + (run.seed - 1) * 100_000
    const counts = { read: 0, refused: 0 }
    const ms: number[] = []
    const all = run.size
    const before = process.memoryUsage.rss()
    const lane = async (first: number) => {
      for (let seed = first; seed < all; seed += 2) {
        const one = mutant(from + seed, sources)
        const since = performance.now()
        try {
          const { pages } = await readSheet(one.bytes, { file_name: one.source.name })
          for await (const _ of pages);
          counts.read++
        } catch (error) {
          expect(error, named(one, seed)).toBeInstanceOf(UnreadableSheetError)
          expect((error as Error).message).toMatch(/[\u4e00-\u9fff]/)
          counts.refused++
        }
        ms.push(performance.now() - since)
      }
    }
    await Promise.all([lane(0), lane(1)])
    const grown = Math.round((process.memoryUsage.rss() - before) / 1024 / 1024)
    run.says(`${notify('read in the child', counts, ms)}; the server grew by ${grown} MB`)
    expect(counts.read + counts.refused).toBe(all)
    expect(grown).toBeLessThan(64)
  })
})
