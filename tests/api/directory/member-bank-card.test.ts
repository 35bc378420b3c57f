/** The bank card of a member: encrypted, masked, compared by digest with a wage sheet, and taken over from one. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import * as imports from '../../../server/contract/directory/import.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { loadRoster } from '../../../server/modules/directory/index.ts'
import { inside } from '../../support/callers/inside.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { book, getUpload } from '../../support/office.ts'
import { freshPhone } from '../../support/random.ts'
import type { Caller, Person } from '../../support/world.ts'

const { world, corp, clerk, payroll } = demo({ each: true })
const card = (at: number): string => `62220200000000${String(at).padStart(5, '0')}`
const masked = async (who: Caller, id: string) => (await who.must(member.getMemberInfo, { id })).BANK_ACCOUNT_MASKED
const give = (person: Person, bank_account: string | null) =>
  payroll.must(member.editMemberInfo, { id: person.member_id, bank_account })
/** Returns all unencrypted values of the roster's rows. */
const plain = () =>
  world.database.inCompany(corp.company_id, async (tx) => {
    const { rows } = await sql<{
      row: string
    }>`select member::text || encode(coalesce(private, ''), 'escape') as row from member`.execute(tx)
    return rows.map(({ row }) => row).join('\n')
  })

describe('bank cards in the roster', () => {
  it('stores bank cards encrypted and returns them masked, next to the ID card', async () => {
    const person = await corp.person({ name: '甲' })
    const id = person.member_id
    await payroll.must(member.editMemberInfo, { id, id_card: '11010519491231002X' })
    await give(person, ' 6222 0200-0000 0000001 ')
    expect(await masked(payroll, id)).toBe('6222 **** 0001')
    expect((await payroll.must(member.getMemberInfo, { id })).ID_CARD_MASKED).toBe('1101**********002X')
    expect(await plain()).not.toContain(card(1).slice(4, 16))
    const findExisting = async () => (await inside(world, clerk, (ctx) => loadRoster(ctx, [id])))[0]
    const index = await inside(world, clerk, async (ctx) => ctx.vault.blindIndex('bank_account', card(1)))
    expect((await findExisting())?.bank_account_index?.equals(index)).toBe(true)
    await give(person, null)
    expect(await masked(payroll, id)).toBeNull()
    expect(await findExisting()).toMatchObject({ bank_account_index: null })
    // The other number stays.
    expect((await payroll.must(member.getMemberInfo, { id })).ID_CARD_MASKED).toBe('1101**********002X')
  })

  it('adds a bank card with a new member, and refuses an invalid one', async () => {
    const { id } = await payroll.must(member.insertMember, { name: '乙', mobile: freshPhone(), bank_account: card(2) })
    expect(await masked(payroll, id)).toBe('6222 **** 0002')
    for (const bank_account of ['6222', '622202000000000000019', '6222 0200 0000 000x', ''])
      expect(await payroll.call(member.editMemberInfo, { id, bank_account })).toMatchObject({
        code: 100001,
        message: '银行卡号应为 12 到 19 位数字',
      })
    expect(await masked(payroll, id)).toBe('6222 **** 0002')
  })

  it('shows bank cards to users who may change them, and not to readers, outside the scope, or in another company', async () => {
    const sales = await corp.department('销售部')
    const person = await corp.person({ name: '丙' })
    await give(person, card(3))
    const id = person.member_id
    const reader = await world.signIn(await corp.person({ power: ['1'] }))
    expect(await masked(reader, id)).toBeNull()
    expect(await masked(await world.signIn(await corp.person({ power: ['3'] })), id)).toBe('6222 **** 0003')
    const limited = await world.signIn(await corp.person({ power: ['2'], scope: { all: false, department_ids: [sales] } }))
    expect(await limited.call(member.getMemberInfo, { id })).toMatchObject({ code: 100404 })
    expect(await limited.call(member.editMemberInfo, { id, bank_account: card(4) })).toMatchObject({ code: 100404 })
    const outsider = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
    expect(await outsider.call(member.getMemberInfo, { id })).toMatchObject({ code: 100404 })
    expect(await reader.call(member.editMemberInfo, { id, bank_account: card(4) })).toMatchObject({ code: 100403 })
    expect(JSON.stringify(await payroll.must(member.getMemberList, {}))).not.toContain(card(3).slice(0, 12))
  })

  it('imports bank cards with a roster, keeps them when the next roster has none, and undoes them with the import', async () => {
    const old = await corp.person({ name: '李一', employee_no: 'B1', joined: false })
    const fresh = freshPhone()
    const header = ['姓名', '手机号', '工号', '银行卡号']
    const bring = (columns: string[], rows: XlsxCell[][]) =>
      payroll.must(
        imports.importMemberFile,
        {},
        { file: { name: '花名册.xlsx', bytes: makeXlsx({ sheets: [{ name: '花名册', rows: [columns, ...rows] }] }) } },
      )
    const first = await bring(header, [
      ['李一', old.mobile, 'B1', card(5)],
      ['王二', fresh, 'B2', card(6)],
    ])
    expect(first.columns.map(({ role }) => role)).toEqual(['name', 'mobile', 'employee_no', 'bank_account'])
    const rows = async (import_id: string) => (await payroll.must(imports.getImportRows, { import_id })).list
    expect(await rows(first.import_id)).toMatchObject([
      { state: 'changed', changes: [{ field: 'bank_account', old: '', new: '6222 **** 0005' }] },
      { state: 'new' },
    ])
    await payroll.must(imports.uploadMembers, { import_id: first.import_id, mode: 'update' })
    const { list } = await payroll.must(member.getMemberList, { name: 'B' })
    const ids = list.map(({ ID }) => ID)
    expect(await Promise.all(ids.map((id) => masked(payroll, id)))).toEqual(['6222 **** 0005', '6222 **** 0006'])
    expect(await plain()).not.toContain(card(5).slice(4, 16))
    const again = await bring(header, [
      ['李一', old.mobile, 'B1', card(7)],
      ['王二', fresh, 'B2', ''],
    ])
    expect(await rows(again.import_id)).toMatchObject([
      { state: 'changed', changes: [{ field: 'bank_account', old: '已登记的号码', new: '6222 **** 0007' }] },
      { state: 'same' },
    ])
    await payroll.must(imports.uploadMembers, { import_id: again.import_id, mode: 'update' })
    expect(await masked(payroll, old.member_id)).toBe('6222 **** 0007')
    await payroll.must(imports.undoImport, { import_id: again.import_id })
    expect(await masked(payroll, old.member_id)).toBe('6222 **** 0005')
    const existing = await inside(world, clerk, (ctx) => loadRoster(ctx, [old.member_id]))
    const index = await inside(world, clerk, async (ctx) => ctx.vault.blindIndex('bank_account', card(5)))
    expect(existing[0]?.bank_account_index?.equals(index)).toBe(true)
  })
})

describe('bank cards in a wage sheet', () => {
  const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六']
  const head = ['姓名', '手机号', '基本工资', '实发工资', '银行卡号']
  async function office() {
    const staff: Person[] = []
    for (const [at, name] of names.entries()) {
      const person = await corp.person({ name })
      staff.push(person)
      await give(person, card(at))
    }
    const upload = async (cards: readonly string[]) => {
      const rows = staff.map(({ name, mobile }, at): XlsxCell[] => [
        name,
        mobile,
        5_000 + at * 731,
        5_000 + at * 731,
        cards[at] ?? '',
      ])
      const { batch_id } = await getUpload(payroll, book(head, rows))
      await payroll.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
      return batch_id
    }
    const notify = async (batch_id: string) =>
      (await payroll.must(wage.checkWageData, { batch_id })).problems.flatMap(({ id, level, kind }) =>
        kind.startsWith('card') ? [`${id} ${level}`] : [],
      )
    return { staff, upload, notify }
  }

  it('blocks sending if bank cards are shifted against the names, until an administrator accepts it', async () => {
    const { upload, notify } = await office()
    const batch_id = await upload([1, 2, 3, 4, 5, 0].map(card))
    expect(await notify(batch_id)).toEqual(['0:card_moved: error'])
    const before = await payroll.must(wage.checkWageData, { batch_id })
    expect(before.counts.status).toBe('draft')
    expect(JSON.stringify(before.problems.map(({ message }) => message))).not.toContain(card(1).slice(0, 12))
    await payroll.must(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id: '0:card_moved:', fix: 'accept' }] })
    expect(await notify(batch_id)).toEqual([])
  })

  it('updates bank cards on the roster for one or all members, which invalidates the earlier check', async () => {
    const { staff, upload, notify } = await office()
    const batch_id = await upload([card(0), card(11), card(2), card(13), card(14), card(5)])
    expect(await notify(batch_id)).toEqual(['3:card_new:c4 warning', '5:card_new:c4 warning', '6:card_new:c4 warning'])
    const take = (one: { problem_id: string } | { kind: 'card_new' }) =>
      payroll.must(wage.dealWithSalaryList, { batch_id, actions: [{ ...one, fix: 'take' }] })
    expect(await take({ problem_id: '3:card_new:c4' })).toMatchObject({ done: 1 })
    expect(await masked(payroll, staff[1]?.member_id ?? '')).toBe('6222 **** 0011')
    expect(await notify(batch_id)).toEqual(['5:card_new:c4 warning', '6:card_new:c4 warning'])
    expect(await take({ kind: 'card_new' })).toMatchObject({ done: 2 })
    expect(await notify(batch_id)).toEqual([])
    expect(await Promise.all(staff.map(({ member_id }) => masked(payroll, member_id)))).toEqual(
      [0, 11, 2, 13, 14, 5].map((at) => `6222 **** 00${String(at).padStart(2, '0')}`),
    )
  })

  it('stores the bank cards of members that the wage sheet creates', async () => {
    const mobile = freshPhone()
    const { batch_id } = await getUpload(payroll, book(head, [['冯新', mobile, 5_000, 5_000, card(21)]]))
    await payroll.must(wage.dealWithSalaryList, { batch_id, actions: [{ kind: 'unknown_person', fix: 'create' }] })
    const [made] = (await payroll.must(member.getMemberList, { name: '冯新' })).list
    expect(await masked(payroll, made?.ID ?? '')).toBe('6222 **** 0021')
  })
})
