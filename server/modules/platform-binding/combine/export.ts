/**
 * Exports all platform users with their linked members as a workbook. Where the platform hides names, linked users get
 * the name from the roster; for the others the platform fills in the names in the uploaded file and serves the result
 * itself.
 */
import type { CombineKind } from '../../../contract/platform-binding/binding.ts'
import * as contract from '../../../contract/platform-binding/platform-users.ts'
import { sanitizeFileName, saveFile } from '../../../files/stored-files.ts'
import { createXlsxWriter } from '../../../files/xlsx-writer.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { loadMatchCandidates } from '../../directory/index.ts'
import { createTicketPath } from '../../files/index.ts'
import type { StoredBinding } from '../binding-rows.ts'
import { isPlatformCompany } from '../links.ts'
import { platformUserSchema } from '../stored-schemas.ts'
import { getPlatformDepartmentNames, isListed, selectCombineKind } from './combine.ts'
import {
  type ExternalHiddenNames,
  type HiddenNamesDeps,
  requireBoundApp,
  requireHiddenNames,
  withPlatformErrors,
} from './hidden-names.ts'

const fileLifetimeMs = 30 * 60_000
const rowsPerPage = 1_000
const header = ['平台账号', '平台上的姓名', '平台上的部门', '工号', '核对结果', '花名册姓名', '花名册工号', '花名册部门']
const columnWidths = [34, 14, 32, 12, 14, 14, 12, 32]
const kindLabels: Readonly<Record<CombineKind, string>> = {
  conflict: '有冲突',
  suggested: '可能是同一人',
  new: '花名册里没有',
  ignored: '已忽略',
  same: '已对应',
  left: '已离开平台',
}

export const exportPlatformUsers = (deps: HiddenNamesDeps) =>
  defineHandler(contract.exportPlatformUsers, { kind: 'external' }, async (ctx) => {
    const { app, binding, hidden, name, bytes, rows } = await ctx.inTransaction(async (inside) => {
      const bound = await requireBoundApp(inside)
      const hidden = (deps.canSearch(bound.app) && deps.byProvider[bound.app.provider]) || null
      const sheet = await buildSheet(inside, bound.binding, hidden)
      return { ...bound, ...sheet, hidden, name: sanitizeFileName(`人员核对-${toShanghaiDate(inside.now)}.xlsx`) }
    })
    ctx.addAuditDetails({ rows })
    if (!hidden)
      return ctx.mutate(async (inside) => {
        const expires_at = new Date(inside.now.getTime() + fileLifetimeMs)
        const file_id = await saveFile(inside, { kind: 'member', name, bytes, expires_at })
        return { oss_path: await createTicketPath(inside, file_id), file_name: name, rows, job_id: null }
      })
    const job = await withPlatformErrors(() => hidden.startTranslation(ctx.noTransaction, app, { name, bytes }))
    return ctx.mutate(async ({ vault }) => {
      // The job id is encrypted, because the job id of another company would reveal where its file is.
      const sealed = vault.seal(getJobPosition(binding), job).toString('base64url')
      return { oss_path: null, file_name: name, rows, job_id: sealed }
    })
  })

export const getPlatformUserExport = (deps: HiddenNamesDeps) =>
  defineHandler(contract.getPlatformUserExport, { kind: 'external' }, async (ctx, { job }) => {
    const {
      app,
      hidden,
      asked: jobId,
    } = await ctx.inTransaction(async (inside) => {
      const bound = await requireHiddenNames(inside, deps)
      try {
        return { ...bound, asked: inside.vault.open<string>(getJobPosition(bound.binding), Buffer.from(job, 'base64url')) }
      } catch {
        throw fail('not_found', '没有这份文件，请重新导出')
      }
    })
    return { url: await withPlatformErrors(() => hidden.getTranslationUrl(ctx.noTransaction, app, jobId)) }
  })
const getJobPosition = ({ id }: Pick<StoredBinding, 'id'>) => ({ table: 'binding', row: id, column: 'translation' })

async function buildSheet(
  ctx: HandlerContext,
  binding: StoredBinding,
  hidden: ExternalHiddenNames | null,
): Promise<{ bytes: Buffer; rows: number }> {
  const sheet = createXlsxWriter({ sheet: '人员核对', widths: columnWidths, shared: hidden !== null })
  await sheet.row(header, 'head')
  let count = 0
  for (let after = ''; ; ) {
    const rows = await ctx.db
      .selectFrom('platform_user')
      .select(['user_id', 'name', 'employee_no', 'details', 'member_id', selectCombineKind.as('kind')])
      .where(isPlatformCompany(ctx, binding))
      .where(isListed)
      .where('user_id', '>', after)
      .orderBy('user_id')
      .limit(rowsPerPage)
      .execute()
    const named = await getPlatformDepartmentNames(ctx, binding, rows)
    const members = await loadMatchCandidates(
      ctx,
      rows.flatMap(({ member_id }) => member_id ?? []),
    )
    const byId = new Map(members.map((one) => [one.member_id, one]))
    for (const { user_id, name, employee_no, details: content, member_id, kind } of rows) {
      const member = member_id ? byId.get(member_id) : undefined
      const platformName = name || (hidden ? (member?.name ?? hidden.formatPlaceholder('person', user_id)) : '')
      const departments = platformUserSchema
        .parse(content)
        .departments.map((id) => named.get(id) || (hidden ? hidden.formatPlaceholder('department', id) : id))
      const memberCells = member ? [member.name, member.employee_no, member.departments.join('；')] : []
      await sheet.row([user_id, platformName, departments.join('；'), employee_no, kindLabels[kind], ...memberCells])
    }
    count += rows.length
    after = rows.at(-1)?.user_id ?? ''
    if (rows.length < rowsPerPage) return { bytes: await sheet.finish(), rows: count }
  }
}
