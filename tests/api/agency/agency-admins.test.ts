/** An agency looks after its own people: colleagues, administrators, powers and scope, by the calls of any company. */
import { describe, expect, it } from 'vitest'
import * as roles from '../../../server/contract/access/administrators.ts'
import * as agency from '../../../server/contract/agency/agency.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import { givePassword } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import type { Caller, Corp } from '../../support/world.ts'

const world = demoWorld()
const { not_permitted, signed_out, transferred } = errorCodes
const all = { all: true, department_ids: [] as string[] }
const none = { all: false, department_ids: [] as string[] }
const newAgency = () => world.createCompany({ corp_role: 20 })
const getPowers = async (caller: Caller, user_id: string) =>
  (await caller.must(roles.getUserList, {})).list.find((one) => one.user_id === user_id)?.power ?? []

describe('the colleagues of an agency', () => {
  it('are added, listed, changed, invited and terminated by its administrators within their scope', async () => {
    const corp = await newAgency()
    const [team, other] = [await corp.department('项目一组'), await corp.department('项目二组')]
    const keeper = await world.signIn(await corp.person({ power: ['3'], scope: { all: false, department_ids: [team] } }))
    const hidden = await corp.person({ department_ids: [other] })
    const added = { name: '新同事', mobile: '13712345678', department_ids: [team] }
    const { id } = await keeper.must(member.insertMember, added)
    const names = async () => (await keeper.must(member.getMemberList, {})).list.map(({ NAME }) => NAME)
    expect(await names()).toContain('新同事')
    expect(await names()).not.toContain(hidden.name)
    expect((await keeper.must(invite.sendInviteCode, { member_ids: [id] })).queued.sms).toBe(1)
    await keeper.must(member.editMemberInfo, { id, position: '顾问' })
    await keeper.must(member.clearMember, { id })
    expect(await names()).not.toContain('新同事')
    expect((await keeper.call(member.clearMember, { id: hidden.member_id })).code).toBe(100404)
    const outside = { name: '越界', mobile: '13712345679', department_ids: [other] }
    expect((await keeper.call(member.insertMember, outside)).code).not.toBe(0)
    // Administrators of the agency who only serve companies change no colleague.
    const server = await world.signIn(await corp.person({ power: ['1'] }))
    expect((await server.call(member.insertMember, outside)).code).toBe(not_permitted.code)
    expect((await server.must(member.getMemberList, {})).list.map(({ NAME }) => NAME)).toContain(hidden.name)
  })
})

describe('the administrators of an agency', () => {
  it('are appointed, limited, listed and removed by the system administrator', async () => {
    const corp = await newAgency()
    const team = await corp.department('项目一组')
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const colleague = await corp.person()
    const { user_id } = await head.must(roles.insertRole, { member_id: colleague.member_id, power: ['1', '2'], scope: all })
    const own = await world.signIn(colleague)
    expect((await own.must(agency.getCorpList, {})).list).toEqual([])
    await head.must(roles.editUserScope, { user_id, scope: { all: false, department_ids: [team] } })
    // A smaller scope ends the sessions.
    expect((await own.call(agency.getCorpList, {})).code).toBe(signed_out.code)
    const [listed] = (await head.must(roles.getUserList, { power: '2' })).list
    expect(listed).toMatchObject({ user_id, power: ['1', '2'], scope: { all: false, departments: ['项目一组'] } })
    await head.must(roles.clearRole, { user_id, power: '1' })
    await head.must(roles.clearRole, { user_id, power: '2' })
    expect((await head.must(roles.getUserList, {})).list).toHaveLength(1)
    const asEmployee = await world.signIn(colleague)
    expect((await asEmployee.call(agency.getCorpList, {})).code).toBe(not_permitted.code)
  })

  it('grant no power and no scope that they do not have themselves', async () => {
    const corp = await newAgency()
    const [team, other] = [await corp.department('项目一组'), await corp.department('项目二组')]
    const plain = await world.signIn(await corp.person({ power: ['1'] }))
    const limited = await world.signIn(await corp.person({ power: ['1', '2'], scope: { all: false, department_ids: [team] } }))
    const colleague = await corp.person()
    const grant = (caller: Caller, power: ('1' | '2' | '3')[], scope = all) =>
      caller.call(roles.insertRole, { member_id: colleague.member_id, power, scope })
    expect(await grant(plain, ['2'])).toMatchObject({ code: not_permitted.code, data: { status: 'not_held' } })
    expect(await grant(limited, ['3'])).toMatchObject({ code: not_permitted.code, data: { status: 'not_held' } })
    expect(await grant(limited, ['2'])).toMatchObject({ code: not_permitted.code, data: { status: 'wider_scope' } })
    const elsewhere = { all: false, department_ids: [other] }
    expect(await grant(limited, ['2'], elsewhere)).toMatchObject({ code: not_permitted.code, data: { status: 'wider_scope' } })
    const several = { member_ids: [colleague.member_id], power: ['2' as const], scope: all }
    expect((await limited.call(roles.addAmin, several)).code).toBe(not_permitted.code)
    expect((await limited.must(roles.getUserList, {})).list.map(({ member_id }) => member_id)).not.toContain(colleague.member_id)
    const within = { all: false, department_ids: [team] }
    const { user_id } = await limited.must(roles.insertRole, { member_id: colleague.member_id, power: ['2'], scope: within })
    expect((await limited.call(roles.editUserScope, { user_id, scope: all })).data).toMatchObject({ status: 'wider_scope' })
    // What the colleague has already may stay.
    await plain.must(roles.insertRole, { member_id: colleague.member_id, power: ['1'], scope: none })
    expect(await getPowers(plain, user_id)).toEqual(['1', '2'])
    // A company, where power 1 appoints the payroll administrator, has no such limit.
    const company = await world.createCompany()
    const boss = await world.signIn(await company.person({ power: ['1'] }))
    const { member_id } = await company.person()
    await boss.must(roles.insertRole, { member_id, power: ['2'], scope: all })
  })

  it('cannot lock the agency out: the last administrator stays', async () => {
    const corp = await newAgency()
    const [first, second] = [await corp.person({ power: ['1'] }), await corp.person({ power: ['1', '3'] })]
    const callers = [await world.signIn(first), await world.signIn(second)] as const
    expect((await callers[1].call(roles.clearRole, { user_id: second.admin_id ?? '', power: '1' })).data).toMatchObject({
      status: 'self',
    })
    // Both remove each other at the same moment: one of them stays.
    const both = await Promise.all([
      callers[0].call(roles.clearRole, { user_id: second.admin_id ?? '', power: '1' }),
      callers[1].call(roles.clearRole, { user_id: first.admin_id ?? '', power: '1' }),
    ])
    expect(both.filter(({ code }) => code === 0)).toHaveLength(1)
    const head = await corp.person({ power: ['4'] })
    const keeper = await world.signIn(await corp.person({ power: ['3'] }))
    expect((await keeper.call(member.clearMember, { id: head.member_id })).code).not.toBe(0)
    expect((await (await world.signIn(head)).must(roles.getUserList, { power: '4' })).list).toHaveLength(1)
  })

  it('are not those of a served company, and lose what they did there with their power', async () => {
    const client = await world.createCompany()
    const boss = await client.person({ power: ['1'] })
    const corp = await newAgency()
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const agent = await corp.person({ power: ['1', '2'] })
    await serve(corp, client, boss, await world.signIn(agent))
    const entered = await (await world.signIn(agent)).call(agency.enterCorp, { corp_id: client.company_id })
    const inside = world.caller(entered.data.token, entered.cookies)
    // There the agency is a payroll administrator of the client: it appoints no administrator.
    expect((await inside.call(roles.getUserList, {})).code).toBe(not_permitted.code)
    await head.must(roles.clearRole, { user_id: agent.admin_id ?? '', power: '2' })
    expect((await inside.call(account.getCurrentUser)).code).toBe(signed_out.code)
    await head.must(roles.clearRole, { user_id: agent.admin_id ?? '', power: '1' })
    const after = await world.signIn(agent)
    expect((await after.call(agency.enterCorp, { corp_id: client.company_id })).code).toBe(not_permitted.code)
  })

  it('hand the agency over to a colleague', async () => {
    const corp = await newAgency()
    const person = await givePassword(world, await corp.person({ power: ['4'] }), '梅兰竹菊 2026')
    const head = await world.signIn(person)
    const successor = await corp.person()
    const request = { member_id: successor.member_id, password: '梅兰竹菊 2026' }
    expect((await head.call(approval.transferSystemManager, request)).code).toBe(transferred.code)
    const next = await world.signIn(successor)
    expect((await next.must(roles.getUserList, { power: '4' })).list.map(({ member_id }) => member_id)).toEqual([
      successor.member_id,
    ])
    // An agency has no pay runs that could be handed over with power 2.
    const payroll = await world.signIn(await corp.person({ power: ['2'] }))
    const applied = await payroll.call(approval.applyTransferWageManager, { member_id: successor.member_id })
    expect(applied.code).toBe(not_permitted.code)
  })
})

async function serve(corp: Corp, client: Corp, boss: { mobile: string }, agent: Caller): Promise<void> {
  await agent.must(agency.applyJoin, { name: client.name, phone: boss.mobile })
  const heads = await world.signIn(boss as Parameters<typeof world.signIn>[0])
  const [one] = (await heads.must(approval.getApprovalList, { status: 0 })).list
  await heads.must(approval.setApprovalStatusByApprovalNo, {
    approval_no: one?.approval_no ?? '',
    status: 1,
    serving: { scope: all, until: '2026-12-31' },
  })
  expect((await agent.must(agency.getCorpList, {})).list[0]).toMatchObject({ status: 'active', name: client.name })
  expect(corp.company_id).not.toBe(client.company_id)
}
