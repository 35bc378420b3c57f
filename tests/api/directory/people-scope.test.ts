/** A manager of one department calls every call about members of another one: nothing of them is returned or changed. */

import { readXlsx } from 'hucre'
import { beforeAll, describe, expect, it } from 'vitest'
import * as imports from '../../../server/contract/directory/import.ts'
import { exportMembers } from '../../../server/contract/directory/member-history.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { download } from '../../../server/contract/files/files.ts'
import { allCalls } from '../../../server/contract/index.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import { getUnreachableMemberList } from '../../../server/contract/payslips/unreachable-members.ts'
import * as tax from '../../../server/contract/tax/periods.ts'
import { anonymous, examples, type Ids, idsOfNothing } from '../../contract/examples.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { freshPhone } from '../../support/random.ts'
import { makeBatch, salaries, send } from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const world = demoWorld(true)
const bird = '金丝雀'
const card = '110101199003077715'
let corp: Corp
let head: Caller
let manager: Person
let limited: Caller
let current: Person
let theirs: Person
let ids: Ids
let [stored, lost, below] = ['', '', '']
let phone = ''
/** Values that only managers of that department may read, and only when requesting them explicitly. */
let canaries: string[] = []

beforeAll(async () => {
  corp = await world.createCompany()
  ;[stored, lost] = [await corp.department('甲部'), await corp.department(`${bird}部`)]
  below = await corp.department(`${bird}二组`, lost)
  head = await world.signIn(await corp.person({ name: '总管', power: ['4'] }))
  manager = await corp.person({
    name: '甲部经理',
    power: ['2', '3'],
    department_ids: [stored],
    scope: { all: false, department_ids: [stored] },
  })
  limited = await world.signIn(manager)
  current = await corp.person({ name: '自己人', department_ids: [stored], joined: false })
  phone = freshPhone()
  theirs = await corp.person({
    name: `${bird}甲`,
    mobile: phone,
    employee_no: 'CANARY-77',
    department_ids: [below],
    joined: false,
  })
  await head.must(member.editMemberInfo, { id: theirs.member_id, id_card: card, position: `${bird}饲养员` })
  await head.must(member.editDepartment, { id: lost, leader_id: theirs.member_id })
  await head.must(invite.sendInviteCode, { member_ids: [theirs.member_id] })
  const clerk = await corp.person({ power: ['2'] })
  const payroll = await world.signIn(clerk)
  const batch_id = await makeBatch(world, clerk, [theirs], { title: `${bird}工资` })
  const { plan } = await send(payroll, batch_id, ['sms'])
  await world.product.jobs.drain()
  const [salary] = await salaries(world, corp, batch_id)
  const bytes = makeXlsx({
    sheets: [
      {
        name: '员工',
        rows: [
          ['姓名', '手机号', '工号'],
          [`${bird}甲`, phone, 'CANARY-77'],
        ],
      },
    ],
  })
  const { import_id } = await head.must(imports.importMemberFile, {}, { file: { name: `${bird}.xlsx`, bytes } })
  const { period_id } = await payroll.must(tax.createPeriod, { month: '2026-11' })
  await payroll.must(tax.saveIncome, { period_id, from: { batch_id } })
  ids = {
    ...idsOfNothing,
    batch_id,
    draft_id: batch_id,
    salary_id: salary?.id ?? anonymous,
    plan_id: plan.plan_id,
    member_id: theirs.member_id,
    other_member_id: theirs.member_id,
    department_id: below,
    import_id,
    corp_id: corp.company_id,
    period_id,
  }
  canaries = [bird, phone, 'CANARY-77', card]
  // The members can also be found by pinyin.
  await world.database.inCompany(corp.company_id, (tx) => world.product.jobs.send(tx, 'spell', { company_id: corp.company_id }))
  await world.product.jobs.drain()
})

/** The database rows of all members out of scope and of their departments. */
const state = () =>
  world.database.inCompany(corp.company_id, async (tx) => {
    const people = await tx.selectFrom('member').selectAll().where('id', '<>', current.member_id).orderBy('id').execute()
    const places = await tx
      .selectFrom('member_department')
      .selectAll()
      .where('member_id', '<>', current.member_id)
      .orderBy('member_id')
      .orderBy('department_id')
      .execute()
    const tree = await tx.selectFrom('department').selectAll().orderBy('id').execute()
    const invites = await tx.selectFrom('invite').select(['id', 'member_id']).orderBy('id').execute()
    return JSON.stringify({ people: people.filter(({ id }) => id !== manager.member_id), places, tree, invites })
  })
const leaksIn = (text: string) => canaries.filter((one) => text.includes(one))
/**
 * Excluded: the user's own session; settings of the whole company that name nobody; and the choice of a successor, who
 * may be any member (`getManagerMemberList` returns names, masked phones, departments).
 */
const separate =
  /logout|selectCorp|endSession|updatePassword|setEarlyPassword|insertMember$|\/api\/wage\/setting|getManagerMemberList|applyTransferWageManager/

describe('calls with ids of another department', () => {
  it('neither names nor changes members out of scope', async () => {
    const before = await state()
    const leaks: string[] = []
    let requested = 0
    for (const call of allCalls) {
      if (separate.test(call.route)) continue
      const answer = await limited.call(call, examples[call.route]?.(ids) ?? {})
      requested += 1
      const matches = leaksIn(JSON.stringify([answer.message, answer.data ?? {}]))
      if (matches.length > 0) leaks.push(`${call.route}: ${matches.join()}`)
    }
    expect(leaks).toEqual([])
    expect(requested).toBeGreaterThan(110)
    expect(JSON.parse(await state())).toEqual(JSON.parse(before))
    // A manager of all members reads each of these values, so a leak would be noticed.
    const viewed = JSON.stringify([
      await head.must(member.getMemberInfo, { id: theirs.member_id }),
      await head.must(member.getDepartList, {}),
    ])
    expect(leaksIn(viewed)).toEqual([bird, phone, 'CANARY-77'])
  })

  it('neither searches, lists, counts nor exports members out of scope without an id', async () => {
    const requested = [bird, 'jinsi', 'jsq', phone, 'CANARY']
    for (const name of requested) {
      expect([name, (await limited.must(member.getMemberList, { name })).page.total]).toEqual([name, 0])
      expect((await head.must(member.getMemberList, { name })).page.total).toBeGreaterThan(0)
    }
    const reach = await limited.must(getUnreachableMemberList, {})
    expect(leaksIn(JSON.stringify(reach))).toEqual([])
    const { oss_path, file_name, rows } = await limited.must(exportMembers, {})
    const bytes = (await limited.call(download, { oss_path, file_name })).data as unknown as Buffer
    const text = JSON.stringify((await readXlsx(bytes)).sheets[0]?.rows)
    expect([leaksIn(text), text.includes('自己人'), rows]).toEqual([[], true, 2])
  })

  it('moves no member into, out of or within departments out of scope', async () => {
    const before = await state()
    const wishes = [
      { member_ids: [theirs.member_id], department_id: stored },
      { member_ids: [current.member_id], department_id: lost },
      { member_ids: [current.member_id, theirs.member_id], department_id: stored },
    ]
    for (const options of wishes) expect((await limited.call(member.moveMembers, options)).code).toBe(errorCodes.not_found.code)
    expect((await limited.call(member.editDepartment, { id: lost, pid: stored })).code).toBe(errorCodes.not_found.code)
    expect((await limited.call(member.editDepartment, { id: stored, pid: lost })).code).not.toBe(0)
    expect((await limited.call(member.clearDepartment, { id: stored, move_to: lost })).code).not.toBe(0)
    expect(
      (await limited.must(invite.getInviteStatuses, { member_ids: [theirs.member_id, current.member_id] })).list,
    ).toHaveLength(1)
    expect(await state()).toBe(before)
  })

  it('reports only that a number is taken when an imported roster names members out of scope, and changes none of them', async () => {
    const before = await state()
    const rows = [
      ['姓名', '手机号', '工号', '身份证号', '部门'],
      ['生人甲', phone, '', '', ''],
      ['生人乙', freshPhone(), 'CANARY-77', '', ''],
      ['生人丙', freshPhone(), '', card, ''],
      ['自己人', current.mobile, '', '', `${corp.name}/甲部`],
    ]
    const bytes = makeXlsx({ sheets: [{ name: '员工', rows }] })
    const info = await limited.must(imports.importMemberFile, {}, { file: { name: '花名册.xlsx', bytes } })
    const { list } = await limited.must(imports.getImportRows, { import_id: info.import_id, pagesize: 100 })
    const notified = JSON.stringify([info, list.map(({ message, choices, changes }) => [message, choices, changes])])
    expect([notified.includes(bird), notified.includes(theirs.member_id), notified.includes(theirs.name)]).toEqual([
      false,
      false,
      false,
    ])
    for (const row of list.slice(0, 3))
      expect(row).toMatchObject({ state: 'fault', choices: [], message: expect.stringContaining('管理范围') })
    await limited.must(imports.answerImport, { import_id: info.import_id, answers: [], all: 'new' })
    expect(await limited.must(imports.uploadMembers, { import_id: info.import_id, mode: 'update' })).toMatchObject({
      created: 0,
      terminated: 0,
    })
    expect(await state()).toBe(before)
  })
})
