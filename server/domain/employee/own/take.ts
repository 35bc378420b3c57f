/**
 * Everything that is held about me, to take along
 * (docs/decisions/20261123-use-the-audit-log-for-access-reports.md): a sheet to read and the same as JSON. Slips are
 * opened page by page, and what is written is compressed at once.
 */
import { type OutputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/own/own.ts'
import { dayOf } from '../../../runtime/clock.ts'
import { putFile } from '../../../runtime/files/files.ts'
import { openXlsx } from '../../../runtime/files/xlsx.ts'
import { openPart, packed, zip } from '../../../runtime/files/zip.ts'
import { type Ctx, handleOutside, refuse } from '../../../runtime/handle.ts'
import { countTry } from '../../../runtime/request/limits.ts'
import { heldByAccount } from '../../account/index.ts'
import { makeTicket } from '../../desk/index.ts'
import { invitesTo } from '../../invite/index.ts'
import { heldInRoster } from '../../member/index.ts'
import { heldInTax } from '../../tax/index.ts'
import { ownRows } from '../my-slip.ts'
import * as rows from '../rules/own-rows.ts'
import { isKeptBack } from '../tax.ts'
import { looksAtMine } from './looks.ts'
import { slipsHeld } from './slips.ts'
import { toldMe } from './told.ts'

const most_an_hour = 10
const lives_ms = 10 * 60_000
/** Of what is one line each; nobody has so many. */
const most = { limit: 20_000, offset: 0 }
const form = 'xinhan-own-data/1'
const widths = [26, 17, 24, 60]
const not_in_it = [
  '登录留痕（谁在什么时候登录成功或失败）：只写入、不读取，由服务器管理员保管。',
  '已发出的短信和平台消息的原文：发出后即删除，这里列出时间和方式。',
  '还没有锁定的月份的个税：仍在核算，锁定后在其中。',
  '公司上传的整张工资表、花名册文件：含有其他员工的信息。',
]

/** Outside, because an account lies in no company, and because tries are counted whatever comes of them. */
export const exportMine = handleOutside(contract.exportMine, async (ctx) => {
  const { database, me, now } = ctx
  if (!me?.member_id) throw refuse('signed_out')
  if (me.unconfirmed) throw refuse('unconfirmed_holder')
  if (!(me.view_until && me.view_until > now)) throw refuse('view_locked', '请先验证身份，再下载您的资料')
  const say = `一小时内最多下载 ${most_an_hour} 次，请稍后再试`
  await countTry(database, `own|${me.account_id}`, { max: most_an_hour, window_s: 3600, now, refusal: 'too_often', say })
  const account = await heldByAccount(database, me, now)
  return ctx.deed(async (inner) => {
    const made = await packAll(inner, account)
    ctx.about({ slips: made.slips })
    return made
  })
})

type Account = Awaited<ReturnType<typeof heldByAccount>>
async function packAll(
  ctx: Ctx,
  { account, sessions, browsers, platforms }: Account,
): Promise<OutputOf<typeof contract.exportMine>> {
  const { me, now } = ctx
  const copy = await openCopy()
  const { times, changes } = await heldInRoster(ctx, ownRows(me))
  await copy.one('company', me.company_name, [['公司', dayOf(now), me.company_name, '本文件由本人下载，请妥善保管']])
  await copy.all('times', times, rows.timeRows)
  await copy.all('changes', changes, rows.changeRows)
  const tax = await heldInTax(ctx, ownRows(me))
  await copy.all('tax_deductions', tax.deductions, rows.deductionRows)
  await copy.all('insurance', tax.insurance, rows.insuranceRows)
  await copy.all('tax_years', tax.years, rows.taxYearRows)
  const hidden = await hiddenYears(ctx, tax.months)
  const told = tax.months.filter(({ month }) => !hidden.includes(month.slice(0, 4)))
  await copy.all('tax_months', told, rows.taxMonthRows)
  let slips = 0
  await copy.pages('slips', slipsHeld(ctx), (one) => {
    slips += 1
    return rows.slipRows(one)
  })
  await copy.all('told', (await toldMe(ctx, most)).list, (one) => [rows.toldRow(one)])
  await copy.all('invites', await invitesTo(ctx, ownRows(me)), (one) => [rows.inviteRow(one)])
  await copy.all('looks', (await looksAtMine(ctx, most)).list, (one) => [rows.lookRow(one)])
  await copy.one('account', account, [['账号', account.created_at.slice(0, 10), account.mobile ?? '', account.display_name]])
  await copy.all('sessions', sessions, (one) => [rows.sessionRow(one)])
  await copy.one('browsers', browsers, [])
  await copy.one('platforms', platforms, [])
  const left_out = [...not_in_it, ...hidden.map((year) => `${year} 年的个税：这一年有工资条还没有打开，或已按公司设置关闭。`)]
  await copy.all('not_in_it', left_out, (one) => [['不在其中', '', '', one]])
  const file_name = `我的资料-${dayOf(now)}.zip`
  const expires_at = new Date(now.getTime() + lives_ms)
  const file_id = await putFile(ctx, { kind: 'own', name: file_name, bytes: await copy.finish(), expires_at, instead: true })
  return { oss_path: await makeTicket(ctx, file_id), file_name, slips }
}

/** The years whose months would tell of a slip that I cannot read now. */
async function hiddenYears(ctx: Ctx, months: readonly { readonly month: string }[]): Promise<string[]> {
  const hidden: string[] = []
  for (const year of new Set(months.map(({ month }) => month.slice(0, 4))))
    if (await isKeptBack(ctx, Number(year))) hidden.push(year)
  return hidden
}

/** The two files side by side; each piece is written once, to both. */
async function openCopy() {
  const sheet = openXlsx({ sheet: '我的资料', widths })
  const json = openPart('我的资料.json')
  await sheet.row(rows.ownHead, 'head')
  await json.write(`{"form":"${form}"`)
  const told = async (lines: readonly rows.OwnRow[]): Promise<void> => {
    for (const line of lines) await sheet.row(line)
  }
  async function pages<T>(name: string, all: AsyncIterable<readonly T[]>, rowsOf: (one: T) => readonly rows.OwnRow[]) {
    await json.write(`,\n${JSON.stringify(name)}:[`)
    let before = ''
    for await (const page of all)
      for (const one of page) {
        await json.write(`${before}\n${JSON.stringify(one)}`)
        before = ','
        await told(rowsOf(one))
      }
    await json.write(']')
  }
  return {
    pages,
    all: <T>(name: string, list: readonly T[], rowsOf: (one: T) => readonly rows.OwnRow[]) => pages(name, onePage(list), rowsOf),
    async one(name: string, value: unknown, lines: readonly rows.OwnRow[]): Promise<void> {
      await json.write(`,\n${JSON.stringify(name)}:${JSON.stringify(value)}`)
      await told(lines)
    },
    async finish(): Promise<Buffer> {
      await json.write('}\n')
      return zip([packed('我的资料.xlsx', await sheet.finish()), await json.finish()])
    },
  }
}

async function* onePage<T>(list: readonly T[]): AsyncGenerator<readonly T[]> {
  yield list
}
