/** Adding, changing and terminating members. Refusals first. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as roles from '../../../server/contract/access/administrators.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as contract from '../../../server/contract/directory/members.ts'
import { renderMessage } from '../../../server/contract/messages/rendering.ts'
import * as notifications from '../../../server/contract/notifications/notifications.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { addMember, addMembers, loadRoster } from '../../../server/modules/directory/index.ts'
import { getCheckCharacter } from '../../../server/rules/id-card.ts'
import { getOutcome, inside } from '../../support/callers/inside.ts'
import { makeBatch, send } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, sharedWorld, type World } from '../../support/world.ts'

let world: World
let corp: Corp
let boss: Person
let head: Caller
let keeper: Caller
let clerk: Person
let limited: Caller
let sales = ''
let kitchen = ''
let number = 0
const mobile = () => `1370000${String(++number).padStart(4, '0')}`
const card = `11010519900307${'123'}`
const idCard = `${card}${getCheckCharacter(card)}`

beforeAll(async () => {
  world = await sharedWorld()
})
beforeEach(async () => {
  corp = await world.createCompany()
  sales = await corp.department('销售部')
  kitchen = await corp.department('后厨')
  boss = await corp.person({ power: ['4'] })
  head = await world.signIn(boss)
  keeper = await world.signIn(await corp.person({ power: ['3'] }))
  clerk = await corp.person({ power: ['2'], scope: { all: false, department_ids: [sales] } })
  limited = await world.signIn(clerk)
})
afterAll(() => world.close())

const addPlain = async (options: Record<string, unknown> = {}) =>
  (await head.must(contract.insertMember, { name: '新人', mobile: mobile(), ...options })).id

describe('refusals', () => {
  it('names the invalid field of a member change', async () => {
    expect(await head.call(contract.insertMember, { name: ' ', mobile: mobile() })).toMatchObject({
      code: 100001,
      data: { field: 'name' },
    })
    expect(await head.call(contract.insertMember, { name: '甲', mobile: '23' })).toMatchObject({
      code: 100001,
      data: { field: 'mobile' },
    })
    const wrong = `${card}${getCheckCharacter(card) === '1' ? '2' : '1'}`
    expect(await head.call(contract.insertMember, { name: '甲', mobile: mobile(), id_card: wrong })).toMatchObject({
      code: 100001,
      data: { field: 'id_card' },
    })
  })

  it('assigns a phone to one member only, and reveals its owner only to authorized users', async () => {
    const accepted = await corp.person({ name: '吴三', department_ids: [kitchen] })
    const existing = await head.call(contract.insertMember, { name: '甲', mobile: accepted.mobile })
    expect(existing).toMatchObject({ code: 100001, data: { field: 'mobile' }, message: '这个手机号已属于吴三，请核对' })
    const hidden = await limited.call(contract.insertMember, { name: '甲', mobile: accepted.mobile })
    expect(hidden).toMatchObject({ code: 100001, data: { field: 'mobile' } })
    expect(hidden.message).not.toContain('吴')
    const current = await addPlain()
    expect((await head.call(contract.editMemberInfo, { id: current, mobile: accepted.mobile })).code).toBe(100001)
  })

  it('does not reveal that another company has this phone', async () => {
    const foreign = await (await world.createCompany()).person()
    expect((await head.call(contract.insertMember, { name: '甲', mobile: foreign.mobile })).code).toBe(0)
  })

  it('limits a department administrator to their own departments', async () => {
    const inKitchen = await corp.person({ department_ids: [kitchen] })
    const current = await corp.person({ department_ids: [sales] })
    const calls = [
      limited.call(contract.editMemberInfo, { id: inKitchen.member_id, name: '改' }),
      limited.call(contract.clearMember, { id: inKitchen.member_id }),
      limited.call(contract.editMemberInfo, { id: current.member_id, department_ids: [kitchen] }),
      limited.call(contract.insertMember, { name: '甲', mobile: mobile(), department_ids: [sales, kitchen] }),
    ]
    for (const answer of await Promise.all(calls)) expect(answer.code).toBe(100404)
    expect(await limited.call(contract.editMemberInfo, { id: current.member_id, department_ids: [] })).toMatchObject({
      code: 100001,
      data: { field: 'department_ids' },
    })
  })

  it('refuses member changes by power 1, which only reads', async () => {
    const watcher = await world.signIn(await corp.person({ power: ['1'] }))
    expect((await watcher.call(contract.insertMember, { name: '甲', mobile: mobile() })).code).toBe(100403)
    expect((await watcher.call(contract.clearMember, { id: clerk.member_id })).code).toBe(100403)
  })

  it('never lets a member administrator terminate or move an administrator', async () => {
    expect((await keeper.call(contract.clearMember, { id: boss.member_id })).code).toBe(100403)
    expect((await keeper.call(contract.editMemberInfo, { id: clerk.member_id, mobile: mobile() })).code).toBe(100403)
    expect((await head.call(contract.editMemberInfo, { id: clerk.member_id, mobile: mobile() })).code).toBe(100403)
  })

  it('prevents users from terminating themselves, and a second termination of a member', async () => {
    expect((await head.call(contract.clearMember, { id: boss.member_id })).code).toBe(100409)
    const id = await addPlain()
    await head.must(contract.clearMember, { id })
    expect(await head.call(contract.clearMember, { id })).toMatchObject({ code: 100409, data: { status: 'left' } })
    expect((await head.call(contract.editMemberInfo, { id, name: '改' })).code).toBe(100404)
  })

  it('ignores columns that no user may set', async () => {
    const id = await addPlain({
      status: 'active',
      account_id: boss.account_id,
      source: 'lark',
      pay_hide: true,
      id: boss.member_id,
    })
    expect(await head.must(contract.getMemberInfo, { id })).toMatchObject({ STATUS: 'invited', SOURCE: 'manual', JOINED: false })
    expect(id).not.toBe(boss.member_id)
  })
})

describe('adding a member', () => {
  it('assigns departments to a new member', async () => {
    const id = await addPlain({ department_ids: [sales], employee_no: 'A1', position: '经理', entry_date: '2026-03-01' })
    expect(await head.must(contract.getMemberInfo, { id })).toMatchObject({
      DEPARTMENTS: [{ ID: sales, NAME: '销售部' }],
      EMPLOYEE_NO: 'A1',
      POSITION: '经理',
      ENTRY_DATE: '2026-03-01',
      ID_CARD_MASKED: null,
    })
    const [unplaced] = (await head.must(contract.getMemberInfo, { id: await addPlain() })).DEPARTMENTS
    expect(unplaced?.ID).toBe(corp.root_id)
  })

  it("keeps a limited administrator's new members within their scope", async () => {
    const { id } = await limited.must(contract.insertMember, { name: '甲', mobile: mobile() })
    expect((await limited.must(contract.getMemberInfo, { id })).DEPARTMENTS.map((one) => one.ID)).toEqual([sales])
  })

  it('adds a member once per idempotency key', async () => {
    const person = { name: '甲', mobile: mobile() }
    const first = await head.must(contract.insertMember, person, { key: 'add-once-1' })
    expect(await head.must(contract.insertMember, person, { key: 'add-once-1' })).toEqual(first)
  })

  it('lets the database decide when two users add the same phone at the same moment', async () => {
    const same = mobile()
    const answers = await Promise.all(
      [1, 2, 3, 4].map((one) => head.call(contract.insertMember, { name: `同号${one}`, mobile: same })),
    )
    expect(answers.map((answer) => answer.code).sort()).toEqual([0, 100001, 100001, 100001])
  })

  it("encrypts a new member's ID card and returns it masked", async () => {
    const id = await addPlain({ id_card: idCard.toLowerCase() })
    expect((await head.must(contract.getMemberInfo, { id })).ID_CARD_MASKED).toBe(`1101**********${idCard.slice(-4)}`)
    const dump = await world.database.inCompany(corp.company_id, (tx) =>
      sql<{ row: string }>`select member::text || encode(coalesce(private, ''), 'escape') as row from member`.execute(tx),
    )
    expect(dump.rows.map((one) => one.row).join()).not.toContain(idCard.slice(0, 17))
    const again = await head.call(contract.insertMember, { name: '乙', mobile: mobile(), id_card: idCard })
    expect(again).toMatchObject({ code: 100001, data: { field: 'id_card' }, message: '这个身份证号已属于新人，请核对' })
    const [entry] = (await inside(world, boss, (ctx) => loadRoster(ctx))).filter((one) => one.id === id)
    const index = await inside(world, boss, async (ctx) => ctx.vault.blindIndex('id_card', idCard))
    expect(entry?.id_card_index?.equals(index)).toBe(true)
    await head.must(contract.editMemberInfo, { id, id_card: null })
    expect((await head.must(contract.getMemberInfo, { id })).ID_CARD_MASKED).toBeNull()
  })

  it('creates a department named by a wage sheet once, and adds all members or none', async () => {
    const people = [1, 2, 3].map((one) => ({ name: `表上${one}`, mobile: mobile(), department: one === 3 ? '销售部' : '新门店' }))
    const ids = await inside(world, boss, (ctx) => addMembers(ctx, people))
    const entries = await inside(world, boss, (ctx) => loadRoster(ctx))
    expect(ids.map((id) => entries.find((one) => one.id === id)?.departments)).toEqual(['新门店', '新门店', '销售部'])
    const [root] = (await head.must(contract.getDepartList)).list
    expect(root?.child.map((one) => one.NAME).sort()).toEqual(['后厨', '新门店', '销售部'])
    const twice = [
      { name: '甲', mobile: mobile() },
      { name: '乙', mobile: people[0]?.mobile ?? '' },
    ]
    expect(await getOutcome(inside(world, boss, (ctx) => addMembers(ctx, twice)))).toMatchObject({
      error: 'invalid',
      details: { field: 'mobile' },
    })
    expect(await inside(world, boss, (ctx) => loadRoster(ctx))).toHaveLength(entries.length)
  })

  it("creates a new department below a limited administrator's own, even if another of that name exists elsewhere", async () => {
    const id = await inside(world, clerk, (ctx) => addMember(ctx, { name: '甲', mobile: mobile(), department: '后厨' }))
    const info = await limited.must(contract.getMemberInfo, { id })
    expect(info.DEPARTMENTS.map((one) => one.NAME)).toEqual(['后厨'])
    expect(info.DEPARTMENTS[0]?.ID).not.toBe(kitchen)
  })
})

describe('changing a member', () => {
  it('changes only the given fields of a member', async () => {
    const id = await addPlain({ employee_no: 'A1', position: '经理' })
    await head.must(contract.editMemberInfo, { id, position: '总监' })
    expect(await head.must(contract.getMemberInfo, { id })).toMatchObject({ NAME: '新人', EMPLOYEE_NO: 'A1', POSITION: '总监' })
    await head.must(contract.editMemberInfo, { id })
  })

  it('never turns a row with payslips into another member: name and phone can change one after the other, not at once', async () => {
    const payer = await corp.person({ power: ['2'] })
    const paid = await corp.person({ name: '王芳' })
    const batch_id = await makeBatch(world, payer, [paid])
    await send(await world.signIn(payer), batch_id, ['link'])
    await world.product.jobs.drain()
    const id = paid.member_id ?? ''
    const other = { name: '赵敏', mobile: mobile() }
    const refused = await head.call(contract.editMemberInfo, { id, ...other })
    expect(refused).toMatchObject({ code: 100001, data: { field: 'mobile' }, message: expect.stringContaining('不能一起更改') })
    expect(await head.must(contract.getMemberInfo, { id })).toMatchObject({ NAME: '王芳', MOBILE: paid.mobile })
    // A typing mistake in either is corrected individually; in a row without payslips both can change at once.
    expect((await head.call(contract.editMemberInfo, { id, name: '王方', mobile: paid.mobile })).code).toBe(0)
    expect((await head.call(contract.editMemberInfo, { id: await addPlain(), name: '新名', mobile: mobile() })).code).toBe(0)
  })

  it("leaves a member's departments outside the scope unchanged", async () => {
    const north = await corp.department('华北区', sales)
    const both = await corp.person({ department_ids: [sales, kitchen] })
    await limited.must(contract.editMemberInfo, { id: both.member_id, department_ids: [north] })
    const { DEPARTMENTS } = await head.must(contract.getMemberInfo, { id: both.member_id })
    expect(DEPARTMENTS.map((one) => one.NAME).sort()).toEqual(['华北区', '后厨'].sort())
  })

  it('unlinks a member with a new phone from the old account at once', async () => {
    const person = await corp.person({ department_ids: [sales] })
    const phone = await world.signIn(person)
    await phone.must(employee.getCurrentEmployee)
    await limited.must(contract.editMemberInfo, { id: person.member_id, mobile: mobile() })
    expect((await phone.call(employee.getCurrentEmployee)).code).toBe(100018)
    expect(await head.must(contract.getMemberInfo, { id: person.member_id })).toMatchObject({ STATUS: 'invited', JOINED: false })
    const again = await world.signIn(person)
    expect((await again.call(employee.getCurrentEmployee)).code).toBe(100018)
  })

  it("notifies the old phone and the system managers when a joined member's phone changes, and nobody otherwise", async () => {
    const second = await corp.person({ power: ['4', '2'] })
    const person = await corp.person({ department_ids: [sales], name: '吴三' })
    const invited = await corp.person({ department_ids: [sales], joined: false })
    const accepted = await corp.person()
    const to = async (phone: string) => (await world.outbox()).filter((one) => one.mobile === phone).map((one) => one.text)
    await limited.must(contract.editMemberInfo, { id: invited.member_id, mobile: mobile() })
    await limited.must(contract.editMemberInfo, { id: person.member_id, mobile: person.mobile, name: '吴三' })
    expect((await limited.call(contract.editMemberInfo, { id: person.member_id, mobile: accepted.mobile })).code).toBe(100001)
    await world.product.jobs.drain()
    expect([await to(invited.mobile), await to(person.mobile)]).toEqual([[], []])

    const fresh = mobile()
    const tail = fresh.slice(-4)
    await limited.must(contract.editMemberInfo, { id: person.member_id, mobile: fresh })
    // The message is not sent before the change is committed, because a job sends it.
    expect(await to(person.mobile)).toEqual([])
    await world.product.jobs.drain()
    await world.product.jobs.drain()
    expect(await to(person.mobile)).toEqual([renderMessage({ kind: 'phone_changed', params: { corp: corp.name, tail } })])
    expect(await to(fresh)).toEqual([])
    for (const who of [boss, second]) {
      const { list } = await (await world.signIn(who)).must(notifications.getNotificationList, {})
      expect(list).toMatchObject([{ kind: 'phone', batch_id: null, read: false }])
      expect(list[0]?.text).toContain(`把 吴三 的手机号改为 尾号${tail}`)
      expect(list[0]?.text).not.toContain(fresh)
    }
    expect((await limited.must(notifications.getNotificationList, {})).list).toEqual([])
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('audit_log_entry')
        .select(['account_id', 'outcome', 'details'])
        .where('call', '=', contract.editMemberInfo.route)
        .execute(),
    )
    expect(lines.filter(({ details }) => 'phone_changed' in (details as object))).toMatchObject([
      { account_id: clerk.account_id, outcome: 'done', details: { id: person.member_id, phone_changed: 1 } },
    ])
    // The company's prepaid messages are not used for this.
    const entries = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('prepaid_movement').select('id').execute(),
    )
    expect(entries).toEqual([])
  })

  it('keeps sessions when the phone stays the same', async () => {
    const person = await corp.person({ department_ids: [sales] })
    const phone = await world.signIn(person)
    await limited.must(contract.editMemberInfo, { id: person.member_id, mobile: person.mobile, name: '改名' })
    expect((await phone.must(employee.getCurrentEmployee)).name).toBe('改名')
  })
})

describe('terminating a member', () => {
  it("ends a terminated member's access in this company only, and releases the phone", async () => {
    const person = await corp.person()
    const second = await world.createCompany()
    const elsewhere = await second.person({ same_as: person })
    const [context, there] = [await world.signIn(person), await world.signIn(elsewhere)]
    await head.must(contract.clearMember, { id: person.member_id })
    expect((await context.call(employee.getCurrentEmployee)).code).toBe(100018)
    expect((await there.call(employee.getCurrentEmployee)).code).toBe(0)
    expect((await head.must(contract.getMemberList, { status: 'left' })).list.map((one) => one.ID)).toEqual([person.member_id])
    expect((await head.must(contract.getMemberList)).list.map((one) => one.ID)).not.toContain(person.member_id)
    expect((await head.call(contract.insertMember, { name: '后来', mobile: person.mobile })).code).toBe(0)
  })

  it('revokes the powers of a terminated administrator', async () => {
    const before = await world.signIn(clerk)
    await head.must(contract.clearMember, { id: clerk.member_id })
    expect((await before.call(account.getCurrentUser)).code).toBe(100018)
    expect((await (await world.signIn(clerk)).call(account.getCurrentUser)).code).not.toBe(0)
    const { list } = await head.must(roles.getUserList)
    expect(list.map((one) => one.member_id)).not.toContain(clerk.member_id)
  })

  it('keeps the row of a terminated administrator with pay runs, without any power', async () => {
    const owner = await corp.person({ power: ['2'] })
    await world.database.inCompany(corp.company_id, (tx) =>
      sql`insert into title (company_id, id, owner_id, name, month) values (${corp.company_id}, gen_random_uuid(), ${owner.admin_id}, 'sealed', '2026-10')`.execute(
        tx,
      ),
    )
    await head.must(contract.clearMember, { id: owner.member_id })
    const [row] = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('admin')
        .select(['power', 'scope_all'])
        .where('id', '=', owner.admin_id ?? '')
        .execute(),
    )
    expect(row).toEqual({ power: [], scope_all: false })
    expect((await (await world.signIn(owner)).call(account.getCurrentUser)).code).not.toBe(0)
    expect((await head.must(roles.getUserList)).list.map((one) => one.member_id)).not.toContain(owner.member_id)
  })

  it('never terminates the last system manager', async () => {
    const second = await corp.person({ power: ['4'] })
    await (await world.signIn(second)).must(contract.clearMember, { id: boss.member_id })
    const hr = await world.signIn(await corp.person({ power: ['1', '3'] }))
    expect(await hr.call(contract.clearMember, { id: second.member_id })).toMatchObject({
      code: 100409,
      data: { status: 'last_admin' },
    })
  })
})
