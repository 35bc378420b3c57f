/** Runs the commands and the program of docs/integration/six-calls.md as they stand, against a running server. */
import { execFile, spawnSync } from 'node:child_process'
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

const { world } = demo({ own: true })
const page = readFileSync(new URL('../../../docs/integration/six-calls.md', import.meta.url), 'utf8')
const getBlock = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''

const canRun = (program: string) => spawnSync(program, ['--version']).status === 0

it.for([
  ['the six commands', 'commands.sh', getBlock('bash'), ['bash', '-euo', 'pipefail']],
  ['the TypeScript program', 'push.mts', getBlock('ts'), [process.execPath, '--disable-warning=ExperimentalWarning']],
] as const)('pushes a wage sheet with %s of the page', async ([_what, name, source, [program, ...options]], { skip }) => {
  // The commands are for people who have them; the TypeScript program runs everywhere.
  skip(program === 'bash' && !(canRun('curl') && canRun('jq')), 'curl or jq is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'xinhan-six-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const corp = await world.createCompany()
  const admin = await world.signIn(await corp.person({ power: ['4'] }))
  const scopes = ['roster.write', 'sheets.write', 'payslips.send'] as const
  const { key } = await createProgram(world, admin, { scopes })
  const employees = ['王小明', '李小红'].map((one, at) => ({ external_id: `HR-${at}`, name: one, mobile: freshPhone() }))
  writeFileSync(join(folder, 'employees.json'), JSON.stringify({ employees }))
  writeFileSync(join(folder, 'wages.xlsx'), demoWageSheet(employees))
  writeFileSync(join(folder, name), source)
  const { origin } = await world.listen()
  const env = { PATH: process.env.PATH ?? '', XINHAN: origin, XINHAN_KEY: key, no_proxy: '*' }
  await promisify(execFile)(program, [...options, name], { cwd: folder, env })
  await world.product.jobs.drain()
  const { program: reader } = await createProgram(world, admin, { scopes: ['payslips.read'] })
  const { data } = await reader.must(listBatches, { external_id: 'PAY-2026-11' })
  expect(await reader.must(getBatch, { batch_id: data[0]?.batch_id ?? '' })).toMatchObject({ total: 2, sent: 2 })
})

it('are six', () => expect(getBlock('bash').match(/^api -X/gm)).toHaveLength(6))
