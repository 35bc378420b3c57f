/**
 * `npm run create-company -- --name … --admin … --phone … [--agency] [--market]`: creates a company with its first
 * administrator and prints a link with which that person sets a password and signs in. Works beside a running server. The
 * command is in the audit log of the company and in the log of the operators.
 */
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { mobile } from '../contract/shared/schemas.ts'
import { writeOperatorLogEntry } from '../http/operators.ts'
import { getSignInLink } from '../modules/auth/index.ts'
import { createCompanyForOperator } from '../modules/operator/index.ts'
import { newId } from '../shared/ids.ts'
import { runCommand, withDatabase } from './owner-connection.ts'

const usage =
  '用法：npm run --silent create-company -- --name 企业名称 --admin 管理员姓名 --phone 手机号 [--agency] [--market]\n' +
  '      --agency 创建代理企业（为其他企业发工资条）\n' +
  '      --market 从办公平台的应用市场开通的企业（不发送办公平台消息）\n'
/** The name of this command in both logs. */
const commandName = 'npm run create-company'

const printLine = (text: string): void => void process.stdout.write(`${text}\n`)
const formatTime = (at: Date): string =>
  at.toLocaleString('zh-CN', { timeZone: 'Asia/Shanghai', hour12: false, dateStyle: 'short', timeStyle: 'short' })

type Options = {
  readonly name: string
  readonly admin: string
  readonly phone: string
  readonly agency: boolean
  readonly market: boolean
}

async function createCompany({ name, admin, phone, agency, market }: Options): Promise<void> {
  if (!z.safeParse(mobile, phone).success) throw new Error(`手机号 ${phone} 不正确：请填写 11 位手机号`)
  await withDatabase(async ({ installation: { config }, database, secrets }) => {
    const now = new Date()
    const created = await createCompanyForOperator(
      (work) => database.asOperator(work),
      (company_id, work) => database.inCompany(company_id, (db) => work({ db, company_id, now })),
      secrets,
      {
        corp_name: name,
        user_name: admin,
        phone,
        corp_role: agency ? 20 : 10,
        isFromMarket: market,
        hasTrial: config.billing.billing,
        call: commandName,
      },
    )
    await database.asOperator((tx) =>
      writeOperatorLogEntry(
        tx,
        { id: null, name: '命令行' },
        {
          call: commandName,
          outcome: 'done',
          details: { company_id: created.company_id },
          at: now,
          address: '',
          request_id: newId(),
        },
      ),
    )
    printLine(
      created.isNew
        ? `已创建${agency ? '代理' : ''}企业「${name}」，管理员 ${admin}。`
        : `企业「${name}」已经存在，这是新的链接，旧链接已失效。`,
    )
    if (created.link) {
      printLine(`请把下面的链接交给本人。它只能用一次，到 ${formatTime(created.link.expires_at)} 有效；打开后设置密码即可登录：`)
      printLine(getSignInLink(config.origin, created.link.token))
    } else printLine(`手机号 ${phone} 在这里已有账号：请本人用原来的方式登录，即可看到这家企业。`)
  })
}

const { values } = parseArgs({
  options: {
    name: { type: 'string' },
    admin: { type: 'string' },
    phone: { type: 'string' },
    agency: { type: 'boolean', default: false },
    market: { type: 'boolean', default: false },
  },
})
const { name, admin, phone, agency, market } = values
if (!name || !admin || !phone) {
  process.stderr.write(usage)
  process.exitCode = 2
} else await runCommand(() => createCompany({ name, admin, phone, agency, market }))
