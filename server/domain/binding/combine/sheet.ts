/**
 * Everybody of the platform with who he is here, as a sheet. Where the platform hides names our own stands for whoever is somebody here; of the others the
 * platform writes them, into the file that it is given, and hands it out itself.
 */
import type { CombineKind } from '../../../contract/people/binding.ts'
import * as contract from '../../../contract/people/colleagues.ts'
import { dayOf } from '../../../runtime/clock.ts'
import { cleanFileName, putFile } from '../../../runtime/files/files.ts'
import { openXlsx } from '../../../runtime/files/xlsx.ts'
import { type Ctx, handleOutside, refuse } from '../../../runtime/handle.ts'
import { makeTicket } from '../../desk/index.ts'
import { tellablePeople } from '../../member/index.ts'
import { seenPerson } from '../kept.ts'
import { ofCorp } from '../links.ts'
import type { KeptBinding } from '../rows.ts'
import { departmentNames, kindOf, shownOf } from './combine.ts'
import { boundApp, type HiddenParts, hiddenOf, type OutsideHidden, whileHidden } from './hidden.ts'

const lives_ms = 30 * 60_000
const at_once = 1_000
const head = ['平台账号', '平台上的姓名', '平台上的部门', '工号', '核对结果', '花名册姓名', '花名册工号', '花名册部门']
const widths = [34, 14, 32, 12, 14, 14, 12, 32]
const kindNames: Readonly<Record<CombineKind, string>> = {
  conflict: '有冲突',
  suggested: '可能是同一人',
  new: '花名册里没有',
  ignored: '已忽略',
  same: '已对应',
  left: '已离开平台',
}

export const exportColleagues = (parts: HiddenParts) =>
  handleOutside(contract.exportColleagues, async (ctx) => {
    const { app, binding, hidden, name, bytes, rows } = await ctx.inTransaction(async (inside) => {
      const bound = await boundApp(inside)
      const hidden = (parts.searches(bound.app) && parts.hidden[bound.app.provider]) || null
      const made = await sheetOf(inside, bound.binding, hidden)
      return { ...bound, ...made, hidden, name: cleanFileName(`人员核对-${dayOf(inside.now)}.xlsx`) }
    })
    ctx.about({ rows })
    if (!hidden)
      return ctx.deed(async (inside) => {
        const expires_at = new Date(inside.now.getTime() + lives_ms)
        const file_id = await putFile(inside, { kind: 'member', name, bytes, expires_at })
        return { oss_path: await makeTicket(inside, file_id), file_name: name, rows, job: null }
      })
    const job = await whileHidden(() => hidden.translate(ctx.outdoors, app, { name, bytes }))
    return ctx.deed(async ({ vault }) => {
      // Sealed: whoever has another company's would be told where its file is.
      const sealed = vault.seal(jobPlace(binding), job).toString('base64url')
      return { oss_path: null, file_name: name, rows, job: sealed }
    })
  })

export const getColleaguesFile = (parts: HiddenParts) =>
  handleOutside(contract.getColleaguesFile, async (ctx, { job }) => {
    const { app, hidden, asked } = await ctx.inTransaction(async (inside) => {
      const bound = await hiddenOf(inside, parts)
      try {
        return { ...bound, asked: inside.vault.open<string>(jobPlace(bound.binding), Buffer.from(job, 'base64url')) }
      } catch {
        throw refuse('not_found', '没有这份文件，请重新导出')
      }
    })
    return { url: await whileHidden(() => hidden.translated(ctx.outdoors, app, asked)) }
  })
const jobPlace = ({ id }: Pick<KeptBinding, 'id'>) => ({ table: 'binding', row: id, column: 'translation' })

async function sheetOf(ctx: Ctx, binding: KeptBinding, hidden: OutsideHidden | null): Promise<{ bytes: Buffer; rows: number }> {
  const sheet = openXlsx({ sheet: '人员核对', widths, shared: hidden !== null })
  await sheet.row(head, 'head')
  let count = 0
  for (let after = ''; ; ) {
    const rows = await ctx.db
      .selectFrom('platform_person')
      .select(['user_id', 'name', 'employee_no', 'said', 'member_id', kindOf.as('kind')])
      .where(ofCorp(ctx, binding))
      .where(shownOf)
      .where('user_id', '>', after)
      .orderBy('user_id')
      .limit(at_once)
      .execute()
    const named = await departmentNames(ctx, binding, rows)
    const members = await tellablePeople(
      ctx,
      rows.flatMap(({ member_id }) => member_id ?? []),
    )
    const byId = new Map(members.map((one) => [one.member_id, one]))
    for (const { user_id, name, employee_no, said, member_id, kind } of rows) {
      const here = member_id ? byId.get(member_id) : undefined
      const there = name || (hidden ? (here?.name ?? hidden.mark('person', user_id)) : '')
      const places = seenPerson
        .parse(said)
        .departments.map((id) => named.get(id) || (hidden ? hidden.mark('department', id) : id))
      const own = here ? [here.name, here.employee_no, here.departments.join('；')] : []
      await sheet.row([user_id, there, places.join('；'), employee_no, kindNames[kind], ...own])
    }
    count += rows.length
    after = rows.at(-1)?.user_id ?? ''
    if (rows.length < at_once) return { bytes: await sheet.finish(), rows: count }
  }
}
