/** Exports the listed members as a sheet that can be imported again. */
import * as contract from '../../../contract/directory/member-history.ts'
import type { MemberStatus } from '../../../contract/shared/schemas.ts'
import { sanitizeFileName, saveFile } from '../../../files/stored-files.ts'
import { createXlsxWriter } from '../../../files/xlsx-writer.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { getAncestors } from '../../../rules/departments.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { createTicketPath } from '../../files/index.ts'
import { memberColumns, memberDepartmentsJson, selectListedMembers, toMemberView } from '../list.ts'
import { isVisibleDepartment } from '../scope.ts'

const fileLifetimeMs = 30 * 60_000
const rowsPerQuery = 2_000
const headerLabels = ['姓名', '手机号', '部门', '岗位', '工号', '入职日期', '离职日期', '状态', '邮箱']
const columnWidths = [12, 14, 32, 16, 12, 12, 12, 10, 24]
const statusLabels: Record<MemberStatus, string> = { invited: '待加入', active: '在职', left: '已离职' }

export const exportMembers = defineHandler(contract.exportMembers, async (ctx, filter) => {
  const members = await selectListedMembers(ctx, filter)
  const pathById = await getDepartmentPaths(ctx)
  const sheet = createXlsxWriter({ sheet: '花名册', widths: columnWidths })
  await sheet.row(headerLabels, 'head')
  let rows = 0
  for (let last = ''; ; ) {
    const chunk = await members
      .select([...memberColumns, memberDepartmentsJson(ctx.company_id).as('departments')])
      .$if(last !== '', (query) => query.where('id', '>', last))
      .orderBy('id')
      .limit(rowsPerQuery)
      .execute()
    for (const one of chunk.map(toMemberView)) {
      const departmentPaths = one.DEPARTMENTS.map(({ ID, NAME }) => pathById.get(ID) ?? NAME).join(';')
      const { NAME, MOBILE, EMAIL, POSITION, EMPLOYEE_NO, ENTRY_DATE, TERMINATED_ON, STATUS } = one
      await sheet.row([
        NAME,
        MOBILE,
        departmentPaths,
        POSITION,
        EMPLOYEE_NO,
        ENTRY_DATE,
        TERMINATED_ON,
        statusLabels[STATUS],
        EMAIL,
      ])
    }
    rows += chunk.length
    last = chunk.at(-1)?.id ?? ''
    if (chunk.length < rowsPerQuery) break
  }
  const name = sanitizeFileName(`花名册-${toShanghaiDate(ctx.now)}.xlsx`)
  const expires_at = new Date(ctx.now.getTime() + fileLifetimeMs)
  const file_id = await saveFile(ctx, { kind: 'member', name, bytes: await sheet.finish(), expires_at })
  ctx.addAuditDetails({ rows })
  return { oss_path: await createTicketPath(ctx, file_id), file_name: name, rows }
})

/** Returns the path of each department visible to the user in the form an import reads: 总部/研发/前端. */
async function getDepartmentPaths(ctx: HandlerContext): Promise<Map<string, string>> {
  const tree = await ctx.db
    .selectFrom('department')
    .select(['id', 'parent_id', 'name'])
    .where('company_id', '=', ctx.company_id)
    .where(isVisibleDepartment(ctx))
    .execute()
  const byId = new Map(tree.map((one) => [one.id, one]))
  return new Map(tree.map((one) => [one.id, [...getAncestors(one.id, byId).toReversed(), one].map(({ name }) => name).join('/')]))
}
