/** Runs the commands of docs/integration/six-calls.md as they stand, against a running server. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { getBatch, listBatches } from '../../../server/contract/api-v1/batches.ts'
import { createProgram } from '../../support/callers/program.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { freshPhone } from '../../support/random.ts'

const { world, corp } = demo({ own: true })
const page = readFileSync(new URL('../../../docs/integration/six-calls.md', import.meta.url), 'utf8')
const commands = /```bash\n([\s\S]*?)```/.exec(page)?.[1] ?? ''

it('pushes a wage sheet with the six commands of the page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'xinhan-six-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const admin = await world.signIn(await corp.person({ power: ['4'] }))
  const scopes = ['roster.write', 'sheets.write', 'payslips.send'] as const
  const { key } = await createProgram(world, admin, { scopes })
  const employees = ['王小明', '李小红'].map((name, at) => ({ external_id: `HR-${at}`, name, mobile: freshPhone() }))
  writeFileSync(join(folder, 'employees.json'), JSON.stringify({ employees }))
  writeFileSync(join(folder, 'wages.xlsx'), demoWageSheet(employees))
  const { origin } = await world.listen()
  const env = { PATH: process.env.PATH ?? '', XINHAN: origin, XINHAN_KEY: key, no_proxy: '*' }
  expect(commands.match(/^api -X/gm)).toHaveLength(6)
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder, env })
  await world.product.jobs.drain()
  const { program } = await createProgram(world, admin, { scopes: ['payslips.read'] })
  const { data } = await program.must(listBatches, { external_id: 'PAY-2026-11' })
  expect(await program.must(getBatch, { batch_id: data[0]?.batch_id ?? '' })).toMatchObject({ total: 2, sent: 2 })
})
