/**
 * `npm run keys`: shows the state of the keys, wraps them again with a new master key, adds data keys, and destroys those
 * of one company after a grace period. Works beside running servers; docs/operations/keys.md has the steps.
 */
import { parseArgs } from 'node:util'
import {
  countServersWithout,
  countWrappedKeys,
  type KeyProgress,
  type RewrapResult,
  renewKeys,
  rewrapKeys,
} from '../crypto/key-rotation.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import { listAllCompanyIds } from '../jobs/companies.ts'
import {
  abortKeyDestruction,
  defaultGraceDays,
  listKeyDestructions,
  logKeyCommand,
  minGraceDays,
  planKeyDestruction,
} from '../jobs/key-destruction.ts'
import { findCompany } from '../modules/operator/index.ts'
import { runCommand, withDatabase } from './owner-connection.ts'

const usage = `用法：npm run --silent keys                                     查看密钥的状态
      npm run --silent keys -- rewrap [--dry-run]                用新的主密钥重新包装所有密钥；中断后再运行一次即可继续
      npm run --silent keys -- renew [--company 企业] [--dry-run]  增加新的数据密钥，15 分钟后开始使用
      npm run --silent keys -- destroy --company 企业 --reason 原因 [--days ${defaultGraceDays}] [--dry-run]
                                                                 宽限期（至少 ${minGraceDays} 天）后销毁一家企业的密钥
      npm run --silent keys -- abort --company 企业               在宽限期内取消销毁
      企业写名称或编号。--dry-run 只说会做什么，不改动任何内容。步骤见 docs/operations/keys.zh-CN.md。
`

type Tools = { readonly database: Database; readonly secrets: Secrets; readonly masters: readonly Buffer[] }
type Options = {
  readonly company: string | undefined
  readonly reason: string | undefined
  readonly days: string | undefined
  readonly isDryRun: boolean
}

const printLine = (text: string): void => void process.stdout.write(`${text}\n`)
const formatDay = (at: Date): string => at.toLocaleDateString('zh-CN', { timeZone: 'Asia/Shanghai', dateStyle: 'long' })

let printedAt = 0
function printProgress({ companies, companyCount }: KeyProgress): void {
  if (!process.stderr.isTTY || (companies < companyCount && Date.now() - printedAt < 500)) return
  printedAt = Date.now()
  process.stderr.write(`\r企业 ${companies}/${companyCount}${companies === companyCount ? '\n' : ''}`)
}

async function printStatus({ database, masters }: Tools): Promise<void> {
  const count = await countWrappedKeys(database, masters)
  printLine(`${count.companies} 家企业，${count.rewrapped + count.alreadyDone} 把数据密钥，都能用主密钥打开。`)
  if (masters.length > 1)
    printLine(
      `当前主密钥包装了 ${count.alreadyDone} 把，上一把主密钥（XINHAN_MASTER_KEY_PREVIOUS）还包装着 ${count.rewrapped} 把。`,
    )
  for (const { company_name, reason, due_at, aborted_at, destroyed_at } of await listKeyDestructions({ database })) {
    const state = destroyed_at
      ? `已于 ${formatDay(destroyed_at)} 销毁`
      : aborted_at
        ? `已于 ${formatDay(aborted_at)} 取消`
        : `将于 ${formatDay(due_at)} 销毁`
    printLine(`销毁  ${company_name}：${state}（${reason}）`)
  }
}

const describeRewrap = ({ companies, rewrapped, alreadyDone }: RewrapResult): string =>
  `${companies} 家企业，重新包装 ${rewrapped} 把密钥，${alreadyDone} 把此前已经完成`

async function rewrap({ database, masters }: Tools, { isDryRun }: Options): Promise<void> {
  const [current, previous] = masters
  if (!current || !previous)
    throw new Error('请先设置两把主密钥：XINHAN_MASTER_KEY 是新的，XINHAN_MASTER_KEY_PREVIOUS 是原来的，并重启所有服务')
  if (current.equals(previous)) throw new Error('XINHAN_MASTER_KEY 和 XINHAN_MASTER_KEY_PREVIOUS 是同一把：没有可更换的')
  const connections = await countServersWithout(database, current)
  if (connections > 0)
    throw new Error(`还有服务没有新的主密钥（${connections} 个数据库连接）：请先让所有服务带着两把主密钥重启，再运行`)
  if (isDryRun) {
    printLine(`试运行，没有改动：${describeRewrap(await countWrappedKeys(database, masters))}`)
    return
  }
  const result = await rewrapKeys(database, [current, previous], printProgress)
  await logKeyCommand({ database, now: new Date() }, 'rewrap', { companies: result.companies, keys: result.rewrapped })
  printLine(`已完成：${describeRewrap(result)}。`)
  printLine('现在可以去掉 XINHAN_MASTER_KEY_PREVIOUS 并重启服务。旧备份仍要用原来的主密钥打开，请按备份的保存期限保管它。')
}

async function renew({ database, secrets }: Tools, { company, isDryRun }: Options): Promise<void> {
  const companies = company
    ? [(await database.asOperator((tx) => findCompany(tx, company))).id]
    : await listAllCompanyIds(database)
  const { added, skipped } = await renewKeys({ database, secrets, isDryRun }, companies, printProgress)
  if (!isDryRun && added > 0) await logKeyCommand({ database, now: new Date() }, 'renew', { companies: added })
  printLine(
    `${isDryRun ? '试运行，没有改动：' : ''}${added} 家企业增加新的数据密钥，${skipped} 家在 24 小时内已有新密钥，跳过。15 分钟后开始使用；原有内容仍由原来的密钥打开。`,
  )
}

async function destroy({ database }: Tools, { company, reason, days, isDryRun }: Options): Promise<void> {
  if (!company) throw new Error('请用 --company 指定企业')
  const target = await database.asOperator((tx) => findCompany(tx, company))
  const now = new Date()
  const request = { company: target, reason: reason ?? '', days: Number(days ?? defaultGraceDays) }
  const due_at = await planKeyDestruction({ database, now }, request, { isDryRun })
  printLine(
    `${isDryRun ? '试运行，没有改动：' : ''}「${target.name}」的密钥将在 ${formatDay(due_at)} 之后销毁。在那之前一切照常，可以用 abort 取消；之后它的工资数据无法再读取，也无法恢复。`,
  )
  printLine('销毁之前的备份里仍有这家企业的密钥：需要彻底销毁时，请同时删除这些备份。')
}

async function abort({ database }: Tools, { company }: Options): Promise<void> {
  if (!company) throw new Error('请用 --company 指定企业')
  const { id, name } = await database.asOperator((tx) => findCompany(tx, company))
  await abortKeyDestruction({ database, now: new Date() }, id)
  printLine(`已取消：「${name}」的密钥不会被销毁。`)
}

const actions: Readonly<Record<string, (tools: Tools, options: Options) => Promise<void>>> = {
  status: printStatus,
  rewrap,
  renew,
  destroy,
  abort,
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    company: { type: 'string' },
    reason: { type: 'string' },
    days: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [name = 'status', ...rest] = positionals
const action = actions[name]
if (values.help) process.stdout.write(usage)
else if (!action || rest.length > 0) {
  process.stderr.write(usage)
  process.exitCode = 2
} else {
  const { company, reason, days, 'dry-run': isDryRun } = values
  await runCommand(() =>
    withDatabase(({ installation: { masters }, database, secrets }) =>
      action({ database, secrets, masters }, { company, reason, days, isDryRun }),
    ),
  )
}
