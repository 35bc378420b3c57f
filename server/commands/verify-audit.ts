/**
 * `npm run --silent verify-audit -- [COMPANY …] [--anchor NUMBER:DIGEST]`: recomputes the audit logs from the database,
 * and names the first entry of each company that was changed, is missing or back-dated. `--anchor` is from a line of
 * the server's log: it proves that the database still has what was anchored then.
 */
import { parseArgs } from 'node:util'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import { type AuditAnchor, listAnchors, verifyAnchors, verifyCompanyAuditLog } from '../http/audit-verification.ts'
import { listAllCompanyIds } from '../jobs/companies.ts'
import { verifyTimeStamp } from '../modules/payslip-records/index.ts'
import { runCommand, withDatabase } from './owner-connection.ts'

const printLine = (text: string): void => void process.stdout.write(`${text}\n`)
const formatAnchor = (anchor: AuditAnchor): string => `${anchor.seq}:${anchor.digest.toString('hex')}`

/** Verifies the named companies, or all; returns whether everything is intact. */
async function verifyAll(
  { database, secrets }: { readonly database: Database; readonly secrets: Secrets },
  named: readonly string[],
  anchor: string | undefined,
): Promise<boolean> {
  const anchors = await listAnchors(database)
  const { heads, problem } = verifyAnchors(anchors, verifyTimeStamp)
  const problems = [
    problem,
    anchor !== undefined && !anchors.some((one) => formatAnchor(one) === anchor) ? `数据库里没有锚点 ${anchor}` : null,
  ].filter((one) => one !== null)
  for (const one of problems) printLine(`不成立  ${one}`)
  printLine(
    `锚点 ${anchors.length} 个${anchors.length > 0 ? `，最后几个：${anchors.slice(-3).map(formatAnchor).join(' ')}` : ''}`,
  )
  const companies = await listAllCompanyIds(database)
  const unknown = named.find((id) => !companies.includes(id))
  if (unknown) throw new Error(`没有这家企业：${unknown}`)
  for (const company_id of named.length > 0 ? named : companies) {
    const verified = await verifyCompanyAuditLog({ database, secrets }, company_id, heads)
    if (verified.problem) problems.push(verified.problem)
    printLine(
      verified.problem
        ? `不成立  ${company_id}  ${verified.problem}`
        : `完整    ${company_id}  ${verified.entries} 条在链上，锚定到第 ${verified.anchored} 条，${verified.unlinked} 条刚写入`,
    )
  }
  return problems.length === 0
}

await runCommand(async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { anchor: { type: 'string' } } })
  await withDatabase(async ({ database, secrets }) => {
    if (!(await verifyAll({ database, secrets }, positionals, values.anchor))) process.exitCode = 1
  })
})
