/** Baselines of the benchmarks: the bare parse of the same file, and a bare COPY of the same cells. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeXlsx, type XlsxCell } from '../support/files/xlsx.ts'
import { asOwner, type TestCluster } from '../support/run/database.ts'

/** Returns a realistic amount: a third exact to the fen, a third rounded, a third mostly zero. */
function amount(row: number, column: number): string {
  const some = (row * 7919 + column * 104_729) % 1_500_000
  if (column % 3 === 0) return String(some / 100)
  if (column % 3 === 1) return String((some % 6) * 100)
  return some % 60 === 0 ? String((some % 20_000) / 100) : '0'
}

/** Returns the employee of a row. */
export const person = (row: number) => ({
  name: `员工${row}`,
  employee_no: `B${String(row).padStart(6, '0')}`,
  mobile: `199${String(row).padStart(8, '0')}`,
})

/**
 * Builds a wage sheet with the given numbers of employees and columns: name, number, phone, then amounts. The last
 * column is the net pay.
 */
export function tallSheet(people: number, columns: number): Buffer {
  const money = columns - 4
  const header: XlsxCell[] = ['姓名', '工号', '手机号', ...Array.from({ length: money }, (_, at) => `项目${at + 1}`), '实发工资']
  const rows: XlsxCell[][] = [header]
  for (let row = 0; row < people; row += 1) {
    let net = 0
    const cells = Array.from({ length: money }, (_, at) => {
      const text = amount(row, at)
      net += Math.round(Number(text) * 100)
      return { raw: text, format: 'money' } as XlsxCell
    })
    const { name, employee_no, mobile } = person(row)
    rows.push([name, employee_no, mobile, ...cells, { raw: String(net / 100), format: 'money' }])
  }
  return makeXlsx({ sheets: [{ name: '工资表', rows }] })
}

const readers = {
  hucre: `import { readXlsx } from 'hucre'; const read = readXlsx;`,
  ours: `import { readZip } from './server/spreadsheets/read/workbook.ts'; const read = readZip;`,
}

/** Parses a file in a separate process that does nothing else. The start of the process is not measured. */
export async function bareParse(bytes: Buffer, reader: keyof typeof readers): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'xinhan-bench-'))
  try {
    const file = join(dir, 'sheet.xlsx')
    writeFileSync(file, bytes)
    const program = `import { readFileSync } from 'node:fs'; ${readers[reader]}
      const bytes = readFileSync(${JSON.stringify(file)}); const t = performance.now(); await read(bytes); console.log(performance.now() - t)`
    const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
      encoding: 'utf8',
      cwd: join(import.meta.dirname, '../..'),
    })
    const time = Number(stdout.trim())
    if (!Number.isFinite(time) || stdout.trim() === '') throw new Error(`the bare parse failed: ${stderr}`)
    return time
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Returns the cells of a wage sheet for the given number of employees. */
export const wageCells = (people: number, columns: number): string[][] =>
  Array.from({ length: people }, (_, row) => Array.from({ length: columns }, (_, at) => amount(row, at)))

/** Copies the same cells as text by COPY into a table without an index on the same server. */
export async function bareCopy(cluster: TestCluster, cells: readonly (readonly string[])[]): Promise<number> {
  const lines = cells.map((row) => row.join('\t'))
  const columns = cells[0]?.length ?? 0
  const dir = mkdtempSync('/var/tmp/xinhan-bench-')
  const file = join(dir, 'rows.tsv')
  spawnSync('chmod', ['755', dir])
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
  try {
    return await asOwner(cluster, async (client) => {
      await client.query(
        `create table if not exists bench_copy (${Array.from({ length: columns }, (_, at) => `c${at} text`).join(', ')})`,
      )
      const began = performance.now()
      await client.query(`copy bench_copy from '${file}'`)
      const took = performance.now() - began
      await client.query('drop table bench_copy')
      return took
    })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
