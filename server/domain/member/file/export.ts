/** The people that a list shows, as a sheet that an import reads again. */
import * as contract from '../../../contract/people/file.ts'
import type { MemberStatus } from '../../../contract/words/words.ts'
import { above } from '../../../rules/departments.ts'
import { dayOf } from '../../../runtime/clock.ts'
import { cleanFileName, putFile } from '../../../runtime/files/files.ts'
import { openXlsx } from '../../../runtime/files/xlsx.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { makeTicket } from '../../desk/index.ts'
import { departmentsAt, listed, memberColumns, shown } from '../list.ts'
import { readableDepartment } from '../scope.ts'

const lives_ms = 30 * 60_000
const at_once = 2_000
const head = ['姓名', '手机号', '部门', '岗位', '工号', '入职日期', '离职日期', '状态', '邮箱']
const widths = [12, 14, 32, 16, 12, 12, 12, 10, 24]
const statusWords: Record<MemberStatus, string> = { invited: '待加入', active: '在职', left: '已离职' }

export const exportMembers = handle(contract.exportMembers, async (ctx, wish) => {
  const found = await listed(ctx, wish)
  const wayOf = await ways(ctx)
  const sheet = openXlsx({ sheet: '花名册', widths })
  await sheet.row(head, 'head')
  let rows = 0
  for (let last = ''; ; ) {
    const some = await found
      .select([...memberColumns, departmentsAt(ctx.company_id).as('departments')])
      .$if(last !== '', (query) => query.where('id', '>', last))
      .orderBy('id')
      .limit(at_once)
      .execute()
    for (const one of some.map(shown)) {
      const places = one.DEPARTMENTS.map(({ ID, NAME }) => wayOf.get(ID) ?? NAME).join(';')
      const { NAME, MOBILE, EMAIL, POSITION, EMPLOYEE_NO, ENTRY_DATE, LEFT_ON, STATUS } = one
      await sheet.row([NAME, MOBILE, places, POSITION, EMPLOYEE_NO, ENTRY_DATE, LEFT_ON, statusWords[STATUS], EMAIL])
    }
    rows += some.length
    last = some.at(-1)?.id ?? ''
    if (some.length < at_once) break
  }
  const name = cleanFileName(`花名册-${dayOf(ctx.now)}.xlsx`)
  const expires_at = new Date(ctx.now.getTime() + lives_ms)
  const file_id = await putFile(ctx, { kind: 'member', name, bytes: await sheet.finish(), expires_at })
  ctx.about({ rows })
  return { oss_path: await makeTicket(ctx, file_id), file_name: name, rows }
})

/** Each department that I may see with what it belongs to, as an import reads it: 总部/研发/前端. */
async function ways(ctx: Ctx): Promise<Map<string, string>> {
  const tree = await ctx.db
    .selectFrom('department')
    .select(['id', 'parent_id', 'name'])
    .where('company_id', '=', ctx.company_id)
    .where(readableDepartment(ctx))
    .execute()
  const byId = new Map(tree.map((one) => [one.id, one]))
  return new Map(tree.map((one) => [one.id, [...above(one.id, byId).toReversed(), one].map(({ name }) => name).join('/')]))
}
