/**
 * `npm run --silent verify-audit -- [COMPANY …] [--anchor NUMBER:DIGEST]`: recomputes the audit logs from the database,
 * and names the first entry of each company that was changed, is missing or back-dated. `--anchor` is from a line of
 * the server's log: it proves that the database still has what was anchored then. A company whose keys were destroyed is named,
 * too: its log cannot be recomputed any more.
 */
import { parseArgs } from 'node:util'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import { type AuditAnchor, listAnchors, verifyAnchors, verifyCompanyAuditLog } from '../http/audit-verification.ts'
import { listAllCompanyIds, listDestroyedCompanies } from '../jobs/companies.ts'
import { verifyTimeStamp } from '../modules/payslip-records/index.ts'
import { runCommand, withDatabase } from './owner-connection.ts'

const printLine = (text: string): void => void process.stdout.write(`${text}\n`)
const formatDay = (at: Date): string => at.toLocaleDateString('zh-CN', { timeZone: 'Asia/Shanghai', dateStyle: 'long' })
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
  const [companies, destroyed] = [await listAllCompanyIds(database), await listDestroyedCompanies(database)]
  const existing = new Set([...companies, ...destroyed.map(({ id }) => id)])
  const unknown = named.find((id) => !existing.has(id))
  if (unknown) throw new Error(`没有这家企业：${unknown}`)
  const isRequested = (id: string): boolean => named.length === 0 || named.includes(id)
  for (const company_id of companies.filter(isRequested)) {
    const verified = await verifyCompanyAuditLog({ database, secrets }, company_id, heads)
    if (verified.problem) problems.push(verified.problem)
    printLine(
      verified.problem
        ? `不成立  ${company_id}  ${verified.problem}`
        : `完整    ${company_id}  ${verified.entries} 条在链上，锚定到第 ${verified.anchored} 条，${verified.unlinked} 条刚写入`,
    )
  }
  for (const { id, destroyed_at } of destroyed.filter((one) => isRequested(one.id)))
    printLine(`无法核对  ${id}  密钥已于 ${formatDay(destroyed_at)} 销毁，这家企业的操作记录不能再重新计算`)
  return problems.length === 0
}

await runCommand(async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { anchor: { type: 'string' } } })
  await withDatabase(async ({ database, secrets }) => {
    if (!(await verifyAll({ database, secrets }, positionals, values.anchor))) process.exitCode = 1
  })
})
