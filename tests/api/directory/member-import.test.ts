/** A roster import: plan, apply, questions, and undo. */
import { beforeEach, describe, expect, it } from 'vitest'
import * as contract from '../../../server/contract/directory/import.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import { toSheetRowNumber } from '../../../server/contract/sheets/row-number.ts'
import { cachePlan, getCachedPlan, removeCachedPlan } from '../../../server/modules/directory/import/plan-cache.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { freshPhone } from '../../support/random.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp } = demo({ each: true })
let head: Caller
beforeEach(async () => {
  head = await world.signIn(await corp.person({ power: ['4'], name: '负责人' }))
})

const header = ['姓名', '手机号', '工号', '部门', '职位']
const getBytes = (rows: readonly XlsxCell[][], columns: readonly string[] = header) =>
  makeXlsx({ sheets: [{ name: '花名册', rows: [[...columns], ...rows] }] })
const bring = (who: Caller, rows: readonly XlsxCell[][], columns?: readonly string[]) =>
  who.must(contract.importMemberFile, {}, { file: { name: '花名册.xlsx', bytes: getBytes(rows, columns) } })
const carry = (who: Caller, import_id: string, more: Partial<{ mode: 'skip' | 'update'; all_or_nothing: boolean }> = {}) =>
  who.must(contract.uploadMembers, { import_id, mode: 'update', ...more })
const getRows = async (who: Caller, import_id: string) =>
  (await who.must(contract.getImportRows, { import_id, pagesize: 100 })).list
const getPeople = async (who: Caller, name?: string) => (await who.must(member.getMemberList, { pagesize: 100, name })).list
/** Returns the corrected file with its error comments. */
async function getFaults(import_id: string) {
  const { oss_path, rows } = await head.must(contract.exportImportErrors, { import_id })
  expect(rows).toBeGreaterThan(0)
  const file = await world.product.app.inject({
    method: 'GET',
    url: fileCalls.download.path,
    query: { oss_path },
    headers: head.headers,
  })
  return readGrids(file.rawPayload)
}
const none = { new: 0, changed: 0, back: 0, leaves: 0, conflict: 0, fault: 0, same: 0, skipped: 0 }

const sheet = (name: string, rows: readonly XlsxCell[][], columns = header) => ({ name, rows: [[...columns], ...rows] })
const bringSheets = (sheets: readonly ReturnType<typeof sheet>[]) =>
  head.must(contract.importMemberFile, {}, { file: { name: '花名册.xlsx', bytes: makeXlsx({ sheets: [...sheets] }) } })

describe('several member lists in one file', () => {
  const two = () => [
    sheet('总部', [['王一', freshPhone(), 'A1', '研发', '']]),
    sheet('分公司', [
      ['王二', freshPhone(), 'B1', '仓储', ''],
      ['王三', '1380013', 'B2', '仓储', ''],
    ]),
  ]
  const names = (info: { sheets: contract.ImportSheet[] }) =>
    info.sheets.map(
      ({ name, member_count, is_included, excluded_reason }) =>
        `${name} ${member_count}${is_included ? ' read' : ''}${excluded_reason ? ` apart: ${excluded_reason}` : ''}`,
    )

  it('reads one member list and reports the others, even after returning to the import', async () => {
    const info = await bringSheets([...two(), sheet('离职人员', [['王九', freshPhone(), 'A9', '研发', '']])])
    expect(info).toMatchObject({ sheet: '总部', counts: { ...none, new: 1 } })
    expect(names(info)).toEqual(['总部 1 read', '分公司 2', '离职人员 1 apart: left'])
    const { import: later } = await head.must(contract.getImport, {})
    expect(later?.sheets).toEqual(info.sheets)
    await carry(head, info.import_id)
    expect((await head.must(contract.getImport, {})).import?.sheets).toEqual(info.sheets)
  })

  it('combines the member lists into one, with the sheet of each row and error in the response, the list and the error file', async () => {
    const sheets = two()
    const { import_id } = await bringSheets(sheets)
    const info = await head.must(contract.importMemberFile, { import_id, sheet: '分公司\n总部' })
    expect(names(info)).toEqual(['总部 1 read', '分公司 2 read'])
    expect(info.counts).toEqual({ ...none, new: 2, fault: 1 })
    expect(info.rows_bad).toEqual([{ row: 3, sheet: '分公司', field: 'B', message: expect.stringContaining('手机号') }])
    expect(
      (await getRows(head, import_id)).map((one) => [one.name, one.sheet, toSheetRowNumber(one.row), one.state, one.column]),
    ).toEqual([
      ['王一', '总部', 2, 'new', null],
      ['王二', '分公司', 2, 'new', null],
      ['王三', '分公司', 3, 'fault', 'B'],
    ])
    const [problems] = await getFaults(import_id)
    expect(problems?.rows.slice(1).map((row) => row?.slice(0, 3))).toEqual([['分公司', 3, 'B']])
    expect(await carry(head, import_id)).toEqual({ created: 2, updated: 0, terminated: 0, skipped: 1, departments: 2 })
  })

  it('treats a second table with its own header on a sheet as a separate list with its own name and errors', async () => {
    const { import_id, ...first } = await bringSheets([
      sheet('总部', [
        ['韩一', freshPhone(), 'F1', '研发', ''],
        ['韩二', freshPhone(), 'F2', '研发', ''],
        ['', '', '', '', ''],
        ['劳务派遣', '', '', '', ''],
        ['手机号', '姓名', '工号', '部门', '职位'],
        ['1380013', '杨一', 'F8', '仓储', ''],
      ]),
    ])
    expect(names(first)).toEqual(['总部 2 read', '总部 · 劳务派遣 1 apart: columns'])
    expect(first.counts).toMatchObject({ new: 2 })
    const second = await head.must(contract.importMemberFile, { import_id, sheet: '总部 · 劳务派遣' })
    expect(names(second)).toEqual(['总部 2 apart: columns', '总部 · 劳务派遣 1 read'])
    expect(await getRows(head, import_id)).toMatchObject([{ row: 7, name: '杨一', state: 'fault' }])
    const [problems, tab] = await getFaults(import_id)
    expect(problems?.rows.slice(1).map((row) => row?.slice(0, 3))).toEqual([['总部', 7, 'A']])
    expect(tab?.name).toBe('总部')
  })

  it('imports a member found in two lists once, naming both sheets', async () => {
    const phone = freshPhone()
    const { import_id } = await bringSheets([
      sheet('总部', [['李一', phone, '', '', '']]),
      sheet('分公司', [['李二', phone, '', '', '']]),
    ])
    await head.must(contract.importMemberFile, { import_id, sheet: '总部\n分公司' })
    const rows = await getRows(head, import_id)
    expect(rows.map(({ state }) => state)).toEqual(['conflict', 'conflict'])
    expect(rows[0]?.message).toContain('「分公司」第 2 行')
  })

  it('applies an answer only to its sheet and asks again for the same row number of another sheet', async () => {
    const status = await corp.person({ name: '周一', employee_no: 'D1', joined: false })
    const other = await corp.person({ name: '周二', employee_no: 'D2', joined: false })
    const { import_id } = await bringSheets([
      sheet('总部', [['周甲', status.mobile, '', '', '']]),
      sheet('分公司', [['周乙', other.mobile, '', '', '']]),
    ])
    const [requested] = await getRows(head, import_id)
    expect(requested).toMatchObject({ row: 2, state: 'conflict' })
    await head.must(contract.answerImport, { import_id, answers: [{ row: 2, take: 'skip' }] })
    const roles = 'A=name\nB=mobile'
    // The same sheet was read with other roles, and the answer stays valid.
    expect((await head.must(contract.importMemberFile, { import_id, sheet: '总部', roles })).counts.skipped).toBe(1)
    const info = await head.must(contract.importMemberFile, { import_id, sheet: '分公司' })
    expect(info.counts).toMatchObject({ conflict: 1, skipped: 0 })
    expect(await getRows(head, import_id)).toMatchObject([{ row: 2, name: '周乙', decision: null }])
  })

  it('refuses sheets with other columns with a message and keeps what was already read', async () => {
    const { import_id } = await bringSheets([
      sheet('总部', [['吴一', freshPhone(), 'E1', '研发', '']]),
      sheet('外包', [[freshPhone(), '吴二']], ['手机号', '姓名']),
    ])
    const refused = await head.call(contract.importMemberFile, { import_id, sheet: '总部\n外包' })
    expect(refused.message).toContain('「外包」的列和「总部」不一样')
    expect(await getRows(head, import_id)).toMatchObject([{ name: '吴一', state: 'new' }])
    const info = await head.must(contract.importMemberFile, { import_id, sheet: '外包' })
    expect(names(info)).toEqual(['总部 1 apart: columns', '外包 1 read'])
    expect(await getRows(head, import_id)).toMatchObject([{ name: '吴二', state: 'new' }])
  })

  it('does not treat attendance records as a member list', async () => {
    const punched = ['齐一', '方二'].flatMap((name) =>
      ['2026-10-12', '2026-10-13', '2026-10-14'].map((day) => [name, day, '08:58']),
    )
    const file = { name: '打卡.xlsx', bytes: makeXlsx({ sheets: [sheet('打卡', punched, ['姓名', '日期', '上班'])] }) }
    const { message } = await head.call(contract.importMemberFile, {}, { file })
    expect(message).toContain('考勤或打卡记录')
  })
})

describe('roster import', () => {
  it('shows an import plan, applies it, and does nothing the second time', async () => {
    const [a, b] = [freshPhone(), freshPhone()]
    const rows = [
      ['王一', a, 'A1', '研发/前端', '工程师'],
      ['王二', b, 'A2', '研发', ''],
      ['王三', '1380013', 'A3', '研发', ''],
    ]
    const info = await bring(head, rows)
    expect(info.counts).toEqual({ ...none, new: 2, fault: 1 })
    expect(info.departments_new).toEqual(['研发', '研发/前端'])
    expect(info.rows_bad).toEqual([{ row: 4, sheet: null, field: 'B', message: expect.stringContaining('手机号') }])
    expect(await getPeople(head, '王')).toEqual([])
    expect(await carry(head, info.import_id)).toEqual({ created: 2, updated: 0, terminated: 0, skipped: 1, departments: 2 })
    const made = await getPeople(head, '王')
    expect(
      made.map((one) => [one.NAME, one.MOBILE, one.EMPLOYEE_NO, one.POSITION, one.DEPARTMENTS.map(({ NAME }) => NAME)]),
    ).toEqual([
      ['王一', a, 'A1', '工程师', ['前端']],
      ['王二', b, 'A2', '', ['研发']],
    ])
    const again = await bring(head, rows)
    expect(again.counts).toEqual({ ...none, same: 2, fault: 1 })
    expect(again.departments_count).toBe(0)
    expect(await carry(head, again.import_id)).toEqual({ created: 0, updated: 0, terminated: 0, skipped: 3, departments: 0 })
  })

  it('changes existing members field by field, or leaves them unchanged', async () => {
    const old = await corp.person({ name: '李一', employee_no: 'B1', joined: false })
    const row = [['李一', old.mobile, 'B1', '', '会计']]
    const skipping = await bring(head, row)
    expect(await getRows(head, skipping.import_id)).toMatchObject([
      { row: 2, state: 'changed', changes: [{ field: 'position', old: '', new: '会计' }] },
    ])
    expect(await carry(head, skipping.import_id, { mode: 'skip' })).toMatchObject({ created: 0, updated: 0, skipped: 1 })
    expect((await getPeople(head, '李一'))[0]?.POSITION).toBe('')
    expect(await carry(head, (await bring(head, row)).import_id)).toMatchObject({ updated: 1 })
    expect((await getPeople(head, '李一'))[0]?.POSITION).toBe('会计')
  })

  it('imports email addresses, refuses invalid ones, and clears none', async () => {
    const columns = ['姓名', '手机号', '邮箱']
    const [a, b] = [freshPhone(), freshPhone()]
    const info = await bring(
      head,
      [
        ['王一', a, 'wang.yi@corp.example'],
        ['王二', b, '没有邮箱'],
      ],
      columns,
    )
    expect(info.counts).toEqual({ ...none, new: 1, fault: 1 })
    await carry(head, info.import_id)
    expect((await getPeople(head, '王')).map(({ EMAIL }) => EMAIL)).toEqual(['wang.yi@corp.example'])
    const changed = await bring(head, [['王一', a, 'yi@corp.example']], columns)
    expect(await getRows(head, changed.import_id)).toMatchObject([
      { changes: [{ field: 'email', old: 'wang.yi@corp.example', new: 'yi@corp.example' }] },
    ])
    await carry(head, changed.import_id)
    expect((await bring(head, [['王一', a, '']], columns)).counts).toEqual({ ...none, same: 1 })
    expect((await getPeople(head, '王')).map(({ EMAIL }) => EMAIL)).toEqual(['yi@corp.example'])
  })

  it('applies all roster rows or none if requested', async () => {
    const info = await bring(head, [
      ['王一', freshPhone(), '', '', ''],
      ['王二', '12', '', '', ''],
    ])
    const refused = await head.call(contract.uploadMembers, { import_id: info.import_id, mode: 'update', all_or_nothing: true })
    expect(refused).toMatchObject({ code: 100409, message: expect.stringContaining('还有 1 行') })
    expect(await getPeople(head, '王')).toEqual([])
    // It can be continued.
    expect(await carry(head, info.import_id)).toMatchObject({ created: 1, skipped: 1 })
  })

  it('reads a roster with changed column roles, which the next roster with the same header uses from the start', async () => {
    const columns = ['姓名', '手机号', '内部代号']
    const rows = [['王一', freshPhone(), 'K-1']]
    const info = await bring(head, rows, columns)
    const roles = info.columns.map(({ letter, role }) => `${letter}=${letter === 'C' ? 'employee_no' : role}`).join('\n')
    const other = await head.must(contract.importMemberFile, { import_id: info.import_id, roles })
    expect(await getRows(head, other.import_id)).toMatchObject([{ name: '王一', employee_no: 'K-1', state: 'new' }])
    const next = await bring(head, [['王二', freshPhone(), 'K-2']], columns)
    expect(next.uses_saved_mapping).toBe(true)
    expect(await getRows(head, next.import_id)).toMatchObject([{ employee_no: 'K-2' }])
  })

  it.each([
    [
      'a file without a roster',
      [
        ['商品', '单价'],
        ['苹果', '3'],
      ],
    ],
    ['a roster with only a header', [header]],
  ])('refuses %s with a remedy and stores nothing of it', async (_, rows) => {
    const bytes = makeXlsx({ sheets: [{ name: '表', rows }] })
    const refused = await head.call(contract.importMemberFile, {}, { file: { name: '表.xlsx', bytes } })
    expect(refused).toMatchObject({ code: 100002, message: expect.stringContaining('请') })
    expect((await head.must(contract.getImport, {})).import).toBeNull()
  })
})

describe('identity questions', () => {
  it("holds back a row with one member's phone and another's name until the question is answered", async () => {
    const old = await corp.person({ name: '李一', employee_no: 'B1', joined: false })
    const info = await bring(head, [['赵六', old.mobile, 'B9', '', '']])
    expect(await getRows(head, info.import_id)).toMatchObject([
      {
        state: 'conflict',
        message: '手机号是「李一」的，姓名不同',
        choices: [{ ID: old.member_id, NAME: '李一' }],
        can_create: true,
      },
    ])
    expect(await carry(head, info.import_id)).toMatchObject({ created: 0, updated: 0, skipped: 1 })
    expect(await getPeople(head, '赵六')).toEqual([])
    // The member is the same, with a new name.
    const again = await bring(head, [['赵六', old.mobile, '', '', '']])
    const answered = await head.must(contract.answerImport, {
      import_id: again.import_id,
      answers: [{ row: 2, take: 'person', member_id: old.member_id }],
    })
    expect(answered.counts).toMatchObject({ conflict: 0, changed: 1 })
    expect(await carry(head, again.import_id)).toMatchObject({ updated: 1 })
    expect((await getPeople(head, '赵六'))[0]?.ID).toBe(old.member_id)
  })

  it('never gives the phone of an active member to another one, whatever is answered', async () => {
    const old = await corp.person({ name: '李一', joined: false })
    const info = await bring(head, [['赵六', old.mobile, '', '', '']])
    const answered = await head.must(contract.answerImport, { import_id: info.import_id, answers: [], all: 'new' })
    expect(answered.counts).toMatchObject({ conflict: 1, new: 0 })
    expect(await getRows(head, info.import_id)).toMatchObject([{ message: '手机号是「李一」的，一个手机号只能属于一位员工' }])
  })

  it('keeps a new phone of a joined member unconfirmed and notifies the old one', async () => {
    const old = await corp.person({ name: '李一', employee_no: 'B1' })
    const phone = freshPhone()
    const info = await bring(head, [['李一', phone, 'B1', '', '']])
    expect(info.phones_changed).toBe(1)
    await carry(head, info.import_id)
    expect((await getPeople(head, '李一'))[0]).toMatchObject({
      ID: old.member_id,
      MOBILE: phone,
      STATUS: 'invited',
      PHONE_UNCONFIRMED: true,
    })
    await world.product.jobs.drain()
    expect((await world.outbox()).filter(({ mobile }) => mobile === old.mobile)).toHaveLength(1)
  })

  it("does not change an administrator's phone or terminate them by an import", async () => {
    const boss = await corp.person({ name: '钱管', employee_no: 'M1', power: ['2'] })
    const columns = ['姓名', '手机号', '工号', '员工状态']
    const info = await bring(head, [['钱管', freshPhone(), 'M1', '在职']], columns)
    expect(await getRows(head, info.import_id)).toMatchObject([{ state: 'fault', message: '管理员的手机号只能由本人更换' }])
    const leaving = await bring(head, [['钱管', boss.mobile, 'M1', '离职']], columns)
    expect(leaving.counts).toMatchObject({ fault: 1, leaves: 0 })
  })

  it('creates a returning member as a new row under the previous phone, next to the old payslips', async () => {
    const old = await corp.person({ name: '李一', employee_no: 'B1' })
    const columns = ['姓名', '手机号', '工号', '员工状态']
    const leaving = await bring(head, [['李一', old.mobile, 'B1', '离职']], columns)
    expect(leaving.counts).toMatchObject({ leaves: 1 })
    expect(await carry(head, leaving.import_id)).toMatchObject({ terminated: 1 })
    expect(await getPeople(head, '李一')).toEqual([])
    const back = await bring(head, [['李一', old.mobile, 'B1', '在职']], columns)
    expect(back.counts).toMatchObject({ back: 1 })
    expect(await carry(head, back.import_id)).toMatchObject({ created: 1 })
    const [now] = await getPeople(head, '李一')
    expect(now).toMatchObject({ MOBILE: old.mobile, STATUS: 'invited', PHONE_UNCONFIRMED: false })
    expect(now?.ID).not.toBe(old.member_id)
    const again = await bring(head, [['李一', old.mobile, 'B1', '在职']], columns)
    expect(again.counts).toEqual({ ...none, same: 1 })
  })
})

describe('concurrent imports and changes', () => {
  it('shows the second of two users who import the same file that everything exists', async () => {
    const other = await world.signIn(await corp.person({ power: ['3'] }))
    const rows = Array.from({ length: 40 }, (_, at) => [`同${at}`, freshPhone(), `C${at}`, '新部门/一组', ''])
    const [current, his] = [await bring(head, rows), await bring(other, rows)]
    const answers = await Promise.all([
      head.call(contract.uploadMembers, { import_id: current.import_id, mode: 'update' }),
      other.call(contract.uploadMembers, { import_id: his.import_id, mode: 'update' }),
    ])
    expect(answers.map(({ code }) => code).toSorted()).toEqual([0, 100409])
    const [late, who] = answers[0].code === 0 ? [his, other] : [current, head]
    const { import: viewed } = await who.must(contract.getImport, { import_id: late.import_id })
    expect(viewed).toMatchObject({ stage: 'planned', counts: { ...none, same: 40 } })
    expect((await head.must(member.getMemberList, { name: '同' })).page.total).toBe(40)
  })

  it('applies once for two requests with one idempotency key, with the same response', async () => {
    const info = await bring(head, [['王一', freshPhone(), '', '', '']])
    const call = () => head.call(contract.uploadMembers, { import_id: info.import_id, mode: 'update' }, { key: 'one-press-1' })
    const first = await call()
    expect([first.data, (await call()).data]).toEqual([
      { created: 1, updated: 0, terminated: 0, skipped: 0, departments: 0 },
      first.data,
    ])
    expect(await getPeople(head, '王一')).toHaveLength(1)
  })

  const getRow = (import_id: string) =>
    world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('member_import').select(['id', 'info']).where('id', '=', import_id).executeTakeFirstOrThrow(),
    )

  it('applies an import identically in a process that did not create the plan', async () => {
    const old = await corp.person({ name: '李一', joined: false })
    const rows = [
      ['王一', freshPhone(), 'A1', '新部门/一组', '出纳'],
      ['赵六', old.mobile, '', '', ''],
    ]
    const { import_id } = await bring(head, rows)
    const context = await getRows(head, import_id)
    removeCachedPlan(import_id)
    expect(await getRows(head, import_id)).toEqual(context)
    const answers = [{ row: 3, take: 'person' as const, member_id: old.member_id }]
    const answered = await head.must(contract.answerImport, { import_id, answers })
    expect(answered.counts).toEqual({ ...none, new: 1, changed: 1 })
    removeCachedPlan(import_id)
    expect(await carry(head, import_id)).toEqual({ created: 1, updated: 1, terminated: 0, skipped: 0, departments: 2 })
    expect(await getPeople(head, '王一')).toMatchObject([{ EMPLOYEE_NO: 'A1', POSITION: '出纳' }])
  })

  it("discards a process's cached plan after another process read the file again", async () => {
    const columns = ['姓名', '手机号', '内部代号']
    const info = await bring(head, [['王一', freshPhone(), 'K-1']], columns)
    const before = await getRow(info.import_id)
    const planned = getCachedPlan(before)
    const roles = info.columns.map(({ letter, role }) => `${letter}=${letter === 'C' ? 'employee_no' : role}`).join('\n')
    await head.must(contract.importMemberFile, { import_id: info.import_id, roles })
    if (!planned || !before.info) throw new Error('nothing is at hand')
    // As in a process without notice of the change, the decision per row is the same, with other columns.
    cachePlan(info.import_id, before.info, planned)
    expect(await getRows(head, info.import_id)).toMatchObject([{ employee_no: 'K-1' }])
    await carry(head, info.import_id)
    expect(await getPeople(head, '王一')).toMatchObject([{ EMPLOYEE_NO: 'K-1' }])
    expect(getCachedPlan(await getRow(info.import_id))).toBeNull()
  })

  it('follows a department that was moved meanwhile, and shows the move first', async () => {
    const [one, two] = [await corp.department('甲部'), await corp.department('乙部')]
    const team = await corp.department('小组', one)
    const info = await bring(head, [['王一', freshPhone(), '', '甲部/小组', '']])
    await head.must(member.editDepartment, { id: team, pid: two })
    const late = await head.call(contract.uploadMembers, { import_id: info.import_id, mode: 'update' })
    expect(late).toMatchObject({ code: 100409, message: expect.stringContaining('重新比对') })
    const { import: viewed } = await head.must(contract.getImport, { import_id: info.import_id })
    expect(viewed).toMatchObject({ stage: 'planned', departments_new: ['甲部/小组'] })
    expect(await getPeople(head, '王一')).toEqual([])
  })
})

describe('import by an administrator of departments', () => {
  let keeper: Caller
  let own: string
  beforeEach(async () => {
    own = await corp.department('华东')
    await corp.department('华北')
    keeper = await world.signIn(
      await corp.person({ power: ['3'], name: '东管', scope: { all: false, department_ids: [own] }, department_ids: [own] }),
    )
  })

  it('imports members into their own departments only, and creates new ones below them', async () => {
    const info = await bring(keeper, [
      ['东一', freshPhone(), '', '', ''],
      ['东二', freshPhone(), '', '华东/门店', ''],
      ['北一', freshPhone(), '', '华北', ''],
      ['北二', freshPhone(), '', '没有的部门/小组', ''],
    ])
    const rows = await getRows(keeper, info.import_id)
    expect(rows.map(({ state, message }) => [state, message])).toEqual([
      ['new', ''],
      ['new', ''],
      ['fault', '部门「华北」不在您的管理范围，请核对'],
      ['new', ''],
    ])
    expect(info.departments_new).toEqual(['华东/门店', '华东/没有的部门', '华东/没有的部门/小组'])
    await carry(keeper, info.import_id)
    expect((await getPeople(keeper, '东')).map(({ DEPARTMENTS }) => DEPARTMENTS[0]?.NAME)).toEqual(['华东', '华东', '门店'])
  })

  it('reveals nothing about other members except that a number is taken, and changes none of them', async () => {
    const canary = await corp.person({ name: '金丝雀', employee_no: 'X77', joined: false })
    const info = await bring(keeper, [
      ['金丝雀', freshPhone(), '', '', '密探'],
      ['别人', canary.mobile, '', '', ''],
      ['又一个', freshPhone(), 'X77', '', ''],
    ])
    const answers = JSON.stringify([info, await getRows(keeper, info.import_id)])
    expect(info.counts).toMatchObject({ new: 1, fault: 2 })
    // Nothing is revealed of a namesake elsewhere; the administrator's own rows contain the name.
    expect(answers).not.toContain(canary.member_id)
    expect(answers.split('金丝雀').length - 1).toBe(1)
    const tried = await keeper.must(contract.answerImport, {
      import_id: info.import_id,
      answers: [
        { row: 3, take: 'person', member_id: canary.member_id },
        { row: 4, take: 'new' },
      ],
    })
    expect(tried.counts).toMatchObject({ new: 1, fault: 2 })
    await carry(keeper, info.import_id)
    expect((await getPeople(head, '金丝雀')).find(({ ID }) => ID === canary.member_id)).toMatchObject({
      POSITION: '',
      EMPLOYEE_NO: 'X77',
    })
  })

  it('lets only the importing administrator view, answer, apply or undo the import', async () => {
    const { import_id } = await bring(head, [['王一', freshPhone(), '', '', '']])
    const attempts = [
      keeper.call(contract.getImport, { import_id }),
      keeper.call(contract.getImportRows, { import_id }),
      keeper.call(contract.answerImport, { import_id, answers: [] }),
      keeper.call(contract.uploadMembers, { import_id, mode: 'update' }),
      keeper.call(contract.undoImport, { import_id }),
      keeper.call(contract.exportImportErrors, { import_id }),
      keeper.call(contract.importMemberFile, { import_id, roles: 'A=name' }),
    ]
    for (const one of attempts) expect((await one).code).toBe(100404)
  })
})

describe('undo of an import', () => {
  it('removes new members, restores changed ones, and removes empty departments when an import is undone', async () => {
    const old = await corp.person({ name: '李一', employee_no: 'B1' })
    const leaver = await corp.person({ name: '李二', employee_no: 'B2', joined: false })
    const before = await getPeople(head)
    const tree = await head.must(member.getDepartList)
    const columns = ['姓名', '手机号', '工号', '部门', '员工状态']
    const info = await bring(
      head,
      [
        ['李一', freshPhone(), 'B1', '新部门/一组', '在职'],
        ['李二', leaver.mobile, 'B2', '', '离职'],
        ['王一', freshPhone(), '', '新部门', '在职'],
      ],
      columns,
    )
    await carry(head, info.import_id)
    expect(await head.must(contract.undoImport, { import_id: info.import_id })).toEqual({ removed: 1, restored: 2 })
    expect(await getPeople(head)).toEqual(before)
    expect(await head.must(member.getDepartList)).toEqual(tree)
    expect((await getPeople(head, '李一'))[0]).toMatchObject({ MOBILE: old.mobile, STATUS: 'active', PHONE_UNCONFIRMED: false })
    const twice = await head.call(contract.undoImport, { import_id: info.import_id })
    expect(twice.code).toBe(100409)
  })

  it.each([
    ['a member was changed since', (id: string) => head.must(member.editMemberInfo, { id, position: '主管' })],
    ['a member was terminated since', (id: string) => head.must(member.clearMember, { id })],
  ])('refuses to undo an import when %s', async (_, change) => {
    const info = await bring(head, [
      ['王一', freshPhone(), '', '', ''],
      ['王二', freshPhone(), '', '', ''],
    ])
    await carry(head, info.import_id)
    const [first] = await getPeople(head, '王一')
    await change(first?.ID ?? '')
    expect(await head.call(contract.undoImport, { import_id: info.import_id })).toMatchObject({
      code: 100409,
      message: expect.stringContaining('王一'),
    })
    expect(await getPeople(head, '王二')).toHaveLength(1)
  })
})

describe('error file', () => {
  it('returns the original sheet with comments next to the cells, and turns no name into a formula', async () => {
    const names = ['=1+1', '+86', '-2', '@SUM(A1)', '正常']
    const info = await bring(
      head,
      names.map((name, at) => [name, `12${at}`, '', `=cmd|${at}`, '']),
    )
    expect(info.counts).toMatchObject({ new: 0 })
    const grids = await getFaults(info.import_id)
    const texts = grids.flatMap((grid) => grid.rows.flat().map(String))
    // A formula would be read as its result.
    for (const name of names) expect(texts).toContain(name)
    for (const at of names.keys()) expect(texts).toContain(`=cmd|${at}`)
  })
})
