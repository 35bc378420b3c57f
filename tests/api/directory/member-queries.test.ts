/** The number of database queries does not depend on the number of members and departments. */
import { expect, it } from 'vitest'
import * as imports from '../../../server/contract/directory/import.ts'
import { exportMembers, getMemberEvents } from '../../../server/contract/directory/member-history.ts'
import * as contract from '../../../server/contract/directory/members.ts'
import { getInviteStatuses, sendInviteCode } from '../../../server/contract/invites/invite.ts'
import { getUnreachableMemberList } from '../../../server/contract/payslips/unreachable-members.ts'
import { getStatements } from '../../scale/statements.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { freshPhone } from '../../support/random.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp } = demo()

it('lists, finds, counts, exports and shows many members with as many queries as few', async () => {
  const head = await world.signIn(await corp.person({ name: '总管', power: ['4'] }))
  const bring = async (from: number, people: number) => {
    const rows = Array.from({ length: people }, (_, at) => [
      `王晓${from + at}`,
      freshPhone(),
      `Q-${from + at}`,
      `中心${at % 5}/小组${at % 20}`,
    ])
    const bytes = makeXlsx({ sheets: [{ name: '员工', rows: [['姓名', '手机号', '工号', '部门'], ...rows] }] })
    const { import_id } = await head.must(imports.importMemberFile, {}, { file: { name: '花名册.xlsx', bytes } })
    return import_id
  }
  const carry = (import_id: string) => head.must(imports.uploadMembers, { import_id, mode: 'update' })
  await carry(await bring(0, 2))
  const [few, more] = [await request(head), await getStatements(async () => carry(await bring(100, 3)))]
  await carry(await bring(200, 90))
  expect(await request(head)).toEqual(few)
  for (const [call, count] of Object.entries(few))
    expect([call, count]).toEqual([call, expect.toSatisfy((one: number) => one > 0 && one < 20)])
  // An import as well: its progress updates add a few queries depending on its duration, but never one per row.
  const large = await getStatements(async () => carry(await bring(400, 150)))
  expect(large.length).toBeLessThan(more.length + 30)
})

/** Counts the queries of each call. */
async function request(by: Caller): Promise<Record<string, number>> {
  const { list } = await by.must(contract.getMemberList, { pagesize: 100 })
  const member_ids = list.filter(({ STATUS }) => STATUS === 'invited').map(({ ID }) => ID)
  await by.must(sendInviteCode, { member_ids })
  const id = member_ids[0] ?? ''
  const tree = await by.must(contract.getDepartList, {})
  const acts: Record<string, () => Promise<unknown>> = {
    list: () => by.must(contract.getMemberList, { pagesize: 100 }),
    createCompany: () => by.must(contract.getMemberList, { name: '晓', pagesize: 100 }),
    name_pinyin: () => by.must(contract.getMemberList, { name: 'wx', pagesize: 100 }),
    below: () => by.must(contract.getMemberList, { department_id: tree.list[0]?.ID ?? '', with_children: true, pagesize: 100 }),
    tree: () => by.must(contract.getDepartList, {}),
    sons: () => by.must(contract.getSonDepartList, { id: tree.list[0]?.ID ?? '' }),
    department: () => by.must(contract.getDepartment, { id: tree.list[0]?.ID ?? '' }),
    invites: () => by.must(getInviteStatuses, { member_ids }),
    reach: () => by.must(getUnreachableMemberList, { pagesize: 100 }),
    person: () => by.must(contract.getMemberInfo, { id }),
    events: () => by.must(getMemberEvents, { id }),
    exported: () => by.must(exportMembers, {}),
  }
  const counts: Record<string, number> = {}
  for (const [name, act] of Object.entries(acts)) counts[name] = (await getStatements(act)).length
  return counts
}
