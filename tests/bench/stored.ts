/**
 * What is stored: encryption, the verification of an audit log, the replacement of the master key, backup and restore.
 * `node tests/bench/stored.ts [payslips, 100000] [companies, 300]`
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { readBackupFile, writeBackupFile } from '../../server/backup/backup-file.ts'
import { dumpDatabase } from '../../server/backup/dump.ts'
import { restoreDatabase } from '../../server/backup/restore.ts'
import { verifyBackup } from '../../server/backup/verify.ts'
import { rewrapKeys } from '../../server/crypto/key-rotation.ts'
import { createAuditLinker } from '../../server/http/audit-chain.ts'
import { verifyCompanyAuditLog } from '../../server/http/audit-verification.ts'
import { openPayslipContent, sealPayslipContent } from '../../server/modules/payslip-records/payslip-content.ts'
import { createLogger } from '../../server/observability/log.ts'
import { newId } from '../../server/shared/ids.ts'
import { asOwner, emptyDatabase, startTestCluster } from '../support/run/database.ts'
import { startWorld } from '../support/world.ts'
import { sentRun } from './years/world.ts'

const payslipCount = Number(process.argv[2] ?? 100_000)
const companyCount = Number(process.argv[3] ?? 300)
const entryCount = 100_000
const perBatch = 1_000
const masters = [Buffer.alloc(32, 8), Buffer.alloc(32, 7)] as const
const [newKey, oldKey] = masters
const format = (text: string): void => void process.stdout.write(`${text}\n`)

/** Runs a step; returns its result with seconds elapsed and of this process's processor time. */
async function measure<T>(
  run: () => Promise<T> | T,
): Promise<{ readonly result: T; readonly time: string; readonly cpuMs: number }> {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  const result = await run()
  const { user, system } = process.cpuUsage(cpu)
  const [seconds, cpuMs] = [(performance.now() - began) / 1000, (user + system) / 1000]
  return { result, cpuMs, time: `${seconds.toFixed(1)} s (processor ${(cpuMs / 1000).toFixed(1)} s)` }
}

const cluster = await startTestCluster()
const world = await startWorld({ masters: [oldKey] })
const dir = mkdtempSync(join(tmpdir(), 'stored-'))
format(`load ${loadavg()[0]?.toFixed(1)}`)
const corp = await world.createCompany()
const { company_id } = corp
const boss = await corp.person({ power: ['4'] })
const vault = await world.database.inCompany(company_id, (tx) => world.secrets.vault(tx, company_id))

const cells = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [`c${at}`, { value: `${5_000 + at}.00`, kind: 'money' as const, fen: 500_000 + at }]),
)
const content = { cells, net_fen: 500_000, gross_fen: 510_000, tax_fen: 1_000 }
const slips = Array.from({ length: payslipCount }, () => newId())
const sealed = await measure(() => slips.map((id) => sealPayslipContent(vault, id, 1, content)))
const opened = await measure(() => {
  for (const [at, id] of slips.entries())
    openPayslipContent(vault, { id, version: 1, cells: sealed.result[at] ?? Buffer.alloc(0) })
})
/** Other processes do not lengthen the time of the processor. */
const perSlip = (cpuMs: number) => `${((cpuMs / payslipCount) * 1000).toFixed(0)} µs`
format(`encryption   ${perSlip(sealed.cpuMs)} to encrypt a payslip, ${perSlip(opened.cpuMs)} to open it`)

const members = Array.from({ length: perBatch }, () => newId())
await world.database.inCompany(company_id, (tx) =>
  sql`insert into member (company_id, id, name, mobile, created_at)
    select ${company_id}, id, '员工', '199' || lpad(ordinal::text, 8, '0'), now()
    from unnest(${members}::uuid[]) with ordinality as one (id, ordinal)`.execute(tx),
)
for (let from = 0; from < payslipCount; from += perBatch)
  await world.database.inCompany(company_id, async (tx) => {
    const [batch_id, title_id] = [newId(), newId()]
    const names = { name: `工资 ${from}`, month: '2026-10', people: perBatch }
    const run = sentRun(vault, { company_id, owner_id: boss.admin_id ?? '', batch_id, title_id }, names)
    await tx.insertInto('title').values(run.title).execute()
    await tx
      .insertInto('batch')
      .values({ ...run.batch, sent_at: new Date() })
      .execute()
    await sql`insert into payslip (company_id, id, batch_id, member_id, row_no, status, channel, cells, sent_at)
      select ${company_id}, id, ${batch_id}, member_id, ordinal, 'sent', 'link', cells, now()
      from unnest(${slips.slice(from, from + perBatch)}::uuid[], ${members.slice(0, payslipCount - from)}::uuid[],
        ${sealed.result.slice(from, from + perBatch)}::bytea[]) with ordinality as one (id, member_id, cells, ordinal)`.execute(
      tx,
    )
  })

await asOwner({ owner: world.owner }, async (client) => {
  await client.query(`select set_config('app.company', $1, false)`, [company_id])
  await client.query(
    `insert into audit_log_entry (company_id, id, at, account_id, name, call, outcome, details, address, request_id)
      select $1, gen_random_uuid(), now(), $2, '管理员', 'POST /api/wage/getSalary', 'done', '{"salary_id": "x"}', '10.0.0.1', gen_random_uuid()
      from generate_series(1, $3::int)`,
    [company_id, boss.account_id, entryCount],
  )
  await client.query('vacuum analyze')
})
const linked = await measure(() => createAuditLinker({ ...world, log: createLogger('silent') }).link(company_id))
const verified = await measure(() => verifyCompanyAuditLog(world, company_id, new Map()))
format(
  `audit log    ${verified.result.entries} entries linked in ${linked.time}, verified in ${verified.time}: ${verified.result.problem ?? 'complete'}`,
)

for (let at = 1; at < companyCount; at += 1) await world.createCompany()
const rewrapped = await measure(() => rewrapKeys(world.database, masters, () => undefined))
format(
  `master key   ${rewrapped.result.companies} companies, ${rewrapped.result.rewrapped} keys wrapped again in ${rewrapped.time}`,
)

const file = join(dir, 'backup.xhb')
const dumped = await measure(async () => {
  const client = new Client(world.owner)
  await client.connect()
  const { input, done } = writeBackupFile(newKey, createWriteStream(file))
  await dumpDatabase(client, input, { program: '0.0.0', now: new Date(), onProgress: () => undefined })
  input.end()
  await done
  await client.end()
})
const read = () => readBackupFile([newKey], createReadStream(file))
const checked = await measure(() => verifyBackup(read(), [newKey]))
const target = await emptyDatabase()
const { owner, role, app_password } = target.options
const restored = await measure(() =>
  restoreDatabase(read(), { owner, role, app_password, now: new Date(), onProgress: () => undefined }),
)
const { payslip } = restored.result.rows
format(
  `backup       ${payslip} payslips, ${(statSync(file).size / 1e6).toFixed(0)} MB: written in ${dumped.time}, verified in ${checked.time}, restored in ${restored.time}`,
)
format(`load ${loadavg()[0]?.toFixed(1)}`)

rmSync(dir, { recursive: true })
await target.drop()
await world.close()
await cluster.close()
