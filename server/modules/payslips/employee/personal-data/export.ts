/**
 * Export of all data stored about the employee (docs/decisions/20261123-use-the-audit-log-for-access-reports.md): a
 * workbook to read and the same data as JSON. Payslips are decrypted page by page, and the output is compressed while
 * it is written.
 */

import { type CallOutput } from '../../../../contract/call.ts'
import * as contract from '../../../../contract/payslips/employee-data.ts'
import * as memberContract from '../../../../contract/payslips/member-data.ts'
import { saveFile } from '../../../../files/stored-files.ts'
import { createXlsxWriter } from '../../../../files/xlsx-writer.ts'
import { compressEntry, createEntryWriter, createZip } from '../../../../files/zip-writer.ts'
import { defineHandler, fail, type HandlerContext } from '../../../../http/handler.ts'
import { countAttempt } from '../../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../../http/limits/config.ts'
import { assertRecentIdentityProof } from '../../../../http/sessions.ts'
import { toShanghaiDate } from '../../../../shared/clock.ts'
import { getAccountData } from '../../../auth/index.ts'
import { getMemberRowIds, loadOwnRosterData } from '../../../directory/index.ts'
import { createTicketPath } from '../../../files/index.ts'
import { listInvitesForExport } from '../../../invites/index.ts'
import { getMemberTaxData } from '../../../tax/index.ts'
import { getOwnMemberIds } from '../payslip-access.ts'
import * as rows from '../rules/personal-data-rows.ts'
import { isYearHidden } from '../year-and-tax.ts'
import { listOwnAccess } from './access-log.ts'
import { streamPersonalPayslips } from './payslips.ts'
import { listReceivedMessages } from './received-messages.ts'

const fileLifetimeMs = 10 * 60_000
/** Limit for records of one line each, which nobody reaches in practice. */
const allEntries = { limit: 20_000, offset: 0 }
const exportFormat = 'xinhan-own-data/1'
const columnWidths = [26, 17, 24, 60]
const excludedDataNotes = [
  '登录记录（谁在什么时候登录成功或失败）：只写入、不读取，由服务器管理员保管。',
  '已发出的短信和平台消息的原文：发出后即删除，这里列出时间和方式。',
  '还没有锁定的月份的个税：仍在核算，锁定后在其中。',
  '公司上传的整张工资表、花名册文件：含有其他员工的信息。',
]

/** Without an open transaction: an account belongs to no company, and attempts are counted regardless of their outcome. */
export const exportOwnData = defineHandler(contract.exportOwnData, { kind: 'external' }, async (ctx) => {
  const { database, me, now } = ctx
  if (!me?.member_id) throw fail('signed_out')
  if (me.phone_unconfirmed) throw fail('unconfirmed_holder')
  if (!(me.view_granted_until && me.view_granted_until > now)) throw fail('view_locked', '请先验证身份，再下载您的资料')
  const limitMessage = `一小时内最多下载 ${attemptLimits.ownDataExport.max} 次，请稍后再试`
  await countAttempt(database, `own|${me.account_id}`, {
    ...attemptLimits.ownDataExport,
    now,
    error: 'too_often',
    message: limitMessage,
  })
  const account = await getAccountData(database, me, now)
  return ctx.mutate(async (handlerTx) => {
    const exported = await buildExport(handlerTx, {
      account,
      name: '我的资料',
      note: '本文件由本人下载，请妥善保管',
      kind: 'own',
    })
    ctx.addAuditDetails({ slips: exported.slips })
    return exported
  })
})

/** A copy for a person who asks the company for it: as they would see it, without their account. */
export const exportMemberData = defineHandler(memberContract.exportMemberData, async (ctx, { id }) => {
  const { currentUser, now } = ctx
  await assertRecentIdentityProof(ctx.db, currentUser.session_id, now)
  const own_member_ids = await getMemberRowIds(ctx, id)
  const person = { ...currentUser, member_id: id, own_member_ids, phone_unconfirmed: false, terminated: null }
  const view_granted_until = new Date(now.getTime() + fileLifetimeMs)
  const exported = await buildExport(
    { ...ctx, currentUser: { ...person, view_granted_until } },
    { account: null, name: '员工资料', note: '本文件由公司导出，只交给本人', kind: 'export' },
  )
  ctx.addAuditDetails({ member_id: id, slips: exported.slips })
  return exported
})

type AccountData = Awaited<ReturnType<typeof getAccountData>>
type ExportOptions = {
  /** Null: the account belongs to the person and not to the company. */
  readonly account: AccountData | null
  readonly name: string
  readonly note: string
  readonly kind: 'own' | 'export'
}
async function buildExport(
  ctx: HandlerContext,
  { account: accountData, name, note, kind }: ExportOptions,
): Promise<CallOutput<typeof contract.exportOwnData>> {
  const { currentUser, now } = ctx
  const writer = await createExportWriter(name)
  const { times, changes } = await loadOwnRosterData(ctx, getOwnMemberIds(currentUser))
  await writer.one('company', currentUser.company_name, [['公司', toShanghaiDate(now), currentUser.company_name, note]])
  await writer.all('times', times, rows.toEmploymentRows)
  await writer.all('changes', changes, rows.toChangeRows)
  const tax = await getMemberTaxData(ctx, getOwnMemberIds(currentUser))
  await writer.all('tax_deductions', tax.deductions, rows.toDeductionRows)
  await writer.all('insurance', tax.insurance, rows.toInsuranceRows)
  await writer.all('tax_years', tax.years, rows.toTaxYearRows)
  const hiddenYearList = await findHiddenYears(ctx, tax.months)
  const visibleMonths = tax.months.filter(({ month }) => !hiddenYearList.includes(month.slice(0, 4)))
  await writer.all('tax_months', visibleMonths, rows.toTaxMonthRows)
  let slips = 0
  await writer.pages('slips', streamPersonalPayslips(ctx), (one) => {
    slips += 1
    return rows.toPayslipRows(one)
  })
  await writer.all('told', (await listReceivedMessages(ctx, allEntries)).list, (one) => [rows.toMessageRow(one)])
  await writer.all('invites', await listInvitesForExport(ctx, getOwnMemberIds(currentUser)), (one) => [rows.toInviteRow(one)])
  await writer.all('looks', (await listOwnAccess(ctx, allEntries)).list, (one) => [rows.toAccessRow(one)])
  if (accountData) {
    const { account, sessions, browsers, platforms } = accountData
    await writer.one('account', account, [['账号', account.created_at.slice(0, 10), account.mobile ?? '', account.display_name]])
    await writer.all('sessions', sessions, (one) => [rows.toSessionRow(one)])
    await writer.one('browsers', browsers, [])
    await writer.one('platforms', platforms, [])
  }
  const exclusions = [
    ...excludedDataNotes,
    ...hiddenYearList.map((year) => `${year} 年的个税：这一年有工资条还没有打开，或已按公司设置关闭。`),
  ]
  await writer.all('not_in_it', exclusions, (one) => [['不在其中', '', '', one]])
  const file_name = `${name}-${toShanghaiDate(now)}.zip`
  const expires_at = new Date(now.getTime() + fileLifetimeMs)
  const file_id = await saveFile(ctx, {
    kind,
    name: file_name,
    bytes: await writer.finish(),
    expires_at,
    replaceExisting: kind === 'own',
  })
  return { oss_path: await createTicketPath(ctx, file_id), file_name, slips }
}

/** Returns the years whose months would reveal a payslip that the employee cannot read now. */
async function findHiddenYears(ctx: HandlerContext, months: readonly { readonly month: string }[]): Promise<string[]> {
  const hidden: string[] = []
  for (const year of new Set(months.map(({ month }) => month.slice(0, 4))))
    if (await isYearHidden(ctx, Number(year))) hidden.push(year)
  return hidden
}

/** Writes both files in parallel; each record is written once to both. */
async function createExportWriter(name: string) {
  const sheet = createXlsxWriter({ sheet: name, widths: columnWidths })
  const json = createEntryWriter(`${name}.json`)
  await sheet.row(rows.personalDataHeader, 'head')
  await json.write(`{"form":"${exportFormat}"`)
  const writeRows = async (exportRows: readonly rows.PersonalDataRow[]): Promise<void> => {
    for (const line of exportRows) await sheet.row(line)
  }
  async function addPages<T>(
    name: string,
    all: AsyncIterable<readonly T[]>,
    toRows: (one: T) => readonly rows.PersonalDataRow[],
  ) {
    await json.write(`,\n${JSON.stringify(name)}:[`)
    let separator = ''
    for await (const page of all)
      for (const one of page) {
        await json.write(`${separator}\n${JSON.stringify(one)}`)
        separator = ','
        await writeRows(toRows(one))
      }
    await json.write(']')
  }
  return {
    pages: addPages,
    all: <T>(name: string, list: readonly T[], getRows: (one: T) => readonly rows.PersonalDataRow[]) =>
      addPages(name, toSinglePage(list), getRows),
    async one(name: string, value: unknown, lines: readonly rows.PersonalDataRow[]): Promise<void> {
      await json.write(`,\n${JSON.stringify(name)}:${JSON.stringify(value)}`)
      await writeRows(lines)
    },
    async finish(): Promise<Buffer> {
      await json.write('}\n')
      return createZip([compressEntry(`${name}.xlsx`, await sheet.finish()), await json.finish()])
    },
  }
}

async function* toSinglePage<T>(list: readonly T[]): AsyncGenerator<readonly T[]> {
  yield list
}
