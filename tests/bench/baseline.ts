/** What the figures are compared with: the bare parse of the same file by the same reader, and a bare COPY of the same bytes. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asOwner, type TestCluster } from '../kit/database.ts'
import { makeXlsx, type XlsxCell } from '../kit/xlsx.ts'

const amount = (row: number, column: number): string => (((row * 7919 + column * 104_729) % 1_500_000) / 100).toFixed(2)

/** A wage sheet of so many people and columns: name, number, phone, then money; the last column is the net pay. */
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
    rows.push([
      `员工${row}`,
      `B${String(row).padStart(6, '0')}`,
      `199${String(row).padStart(8, '0')}`,
      ...cells,
      { raw: (net / 100).toFixed(2), format: 'money' },
    ])
  }
  return makeXlsx({ sheets: [{ name: '工资表', rows }] })
}

/** The same reader in a process of its own that does nothing else; its start is not counted. */
export async function bareParse(bytes: Buffer): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'xinhan-bench-'))
  try {
    const file = join(dir, 'sheet.xlsx')
    writeFileSync(file, bytes)
    const program = `import { readFileSync } from 'node:fs'; import { readXlsx } from 'hucre';
      const bytes = readFileSync(${JSON.stringify(file)}); const t = performance.now(); await readXlsx(bytes); console.log(performance.now() - t)`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
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

/** A COPY of the same cells as text, into a table without an index, on the same server. */
export async function bareCopy(cluster: TestCluster, people: number, columns: number): Promise<number> {
  const lines: string[] = []
  for (let row = 0; row < people; row += 1) lines.push(Array.from({ length: columns }, (_, at) => amount(row, at)).join('\t'))
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
