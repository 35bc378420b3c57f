/** Searching members while typing, and exporting the list as a sheet: only members in scope, and never a formula. */

import { readXlsx } from 'hucre'
import { beforeEach, describe, expect, it } from 'vitest'
import * as imports from '../../../server/contract/directory/import.ts'
import { exportMembers } from '../../../server/contract/directory/member-history.ts'
import * as contract from '../../../server/contract/directory/members.ts'
import { download } from '../../../server/contract/files/files.ts'
import { demoWorld } from '../../support/demo.ts'
import { freshPhone } from '../../support/random.ts'
import type { Caller, Corp } from '../../support/world.ts'

const world = demoWorld()
let corp: Corp
let sales = ''
let kitchen = ''
let head: Caller
let limited: Caller

beforeEach(async () => {
  corp = await world.createCompany()
  sales = await corp.department('销售部')
  kitchen = await corp.department('金丝雀后厨')
  head = await world.signIn(await corp.person({ name: '总管', power: ['4'] }))
  limited = await world.signIn(await corp.person({ power: ['2'], scope: { all: false, department_ids: [sales] } }))
})
const add = async (name: string, options: Record<string, unknown> = {}) =>
  (await head.must(contract.insertMember, { name, mobile: freshPhone(), ...options })).id
const createCompany = async (by: Caller, name: string) =>
  (await by.must(contract.getMemberList, { name })).list.map(({ NAME }) => NAME)
async function getSheet(by: Caller, input: Parameters<typeof by.must<typeof exportMembers>>[1] = {}) {
  const { oss_path, file_name, rows } = await by.must(exportMembers, input)
  const bytes = (await by.call(download, { oss_path, file_name })).data as unknown as Buffer
  const [sheet] = (await readXlsx(bytes)).sheets
  return { bytes, rows, file_name, sheet, cells: (sheet?.rows ?? []).map((row) => row.map((cell) => cell ?? '')) }
}

describe('member search', () => {
  it('matches members by pinyin and initials within the scope, and by the new name after a change', async () => {
    await add('王晓云', { department_ids: [sales] })
    const id = await add('王晓燕', { department_ids: [kitchen] })
    expect(await createCompany(head, 'wxy')).toEqual(['王晓云', '王晓燕'])
    expect(await createCompany(head, 'xiaoyun')).toEqual(['王晓云'])
    expect(await createCompany(limited, 'wxy')).toEqual(['王晓云'])
    await head.must(contract.editMemberInfo, { id, name: '李小龙' })
    expect(await createCompany(head, 'wxy')).toEqual(['王晓云'])
    expect(await createCompany(head, 'lixl')).toEqual(['李小龙'])
  })

  it('finds imported members as well', async () => {
    const bytes = Buffer.from(`姓名,手机号\n赵子龙,${freshPhone()}\n`)
    const { import_id } = await head.must(imports.importMemberFile, {}, { file: { name: '花名册.csv', bytes } })
    await head.must(imports.uploadMembers, { import_id, mode: 'update' })
    expect(await createCompany(head, 'zhaozilong')).toEqual(['赵子龙'])
  })

  it('finds members stored before pinyin was added after the startup job', async () => {
    await corp.person({ name: '诸葛孔明' })
    expect(await createCompany(head, 'zgkm')).toEqual([])
    await world.database.inCompany(corp.company_id, (tx) => world.product.jobs.send(tx, 'spell', { company_id: corp.company_id }))
    await world.product.jobs.drain()
    expect(await createCompany(head, 'zgkm')).toEqual(['诸葛孔明'])
  })
})

describe('member export', () => {
  it('exports the listed members, nobody out of scope, and refuses employees', async () => {
    await add('在销售', { department_ids: [sales], position: '经理', employee_no: '007', entry_date: '2026-03-01' })
    await add('金丝雀', { department_ids: [kitchen] })
    const removed = await add('走了的', { department_ids: [sales] })
    await head.must(contract.clearMember, { id: removed, terminated_on: '2026-11-19' })
    const current = await getSheet(limited)
    expect(current.cells.map(([name]) => name)).toEqual(['姓名', '在销售'])
    expect(current.cells[1]?.slice(2)).toEqual(['销售部', '经理', '007', '2026-03-01', '', '待加入', ''])
    expect(current.bytes.includes('金丝雀')).toBe(false)
    expect(current.rows).toBe(1)
    expect((await limited.call(exportMembers, { department_id: kitchen })).code).toBe(100404)
    const left = await getSheet(head, { status: 'left' })
    expect(left.cells.slice(1)).toEqual([
      ['走了的', expect.any(String), `${corp.name}/销售部`, '', '', '', '2026-11-19', '已离职', ''],
    ])
    const employee = await world.signIn(await corp.person())
    expect((await employee.call(exportMembers)).code).toBe(100403)
  })

  it('exports a name or department that looks like a formula as text, for other spreadsheet programs too', async () => {
    const odd = ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '=HYPERLINK("http://x")']
    for (const name of odd) await add(name, { department_ids: [await corp.department(`${name}部`)] })
    const { sheet, cells } = await getSheet(head)
    expect(odd.filter((name) => !cells.some(([visible]) => visible === name))).toEqual([])
    expect(cells.some(([, , position]) => position === `${corp.name}/@SUM(A1)部`)).toBe(true)
    expect([...(sheet?.cells?.values() ?? [])].filter((cell) => 'formula' in cell && cell.formula)).toEqual([])
  })

  it('changes nobody when an export is imported again', async () => {
    for (const name of ['甲一', '乙二', '丙三']) await add(name, { department_ids: [sales, kitchen], entry_date: '2026-01-05' })
    const { bytes } = await getSheet(head, { department_id: sales })
    const { counts } = await head.must(imports.importMemberFile, {}, { file: { name: '花名册.xlsx', bytes } })
    expect(counts).toMatchObject({ same: 3, new: 0, changed: 0, conflict: 0, fault: 0 })
  })
})
