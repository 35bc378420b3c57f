/** Imports that would terminate members, ambiguous status values, and members without a phone or a citizen's ID card. */
import { beforeEach, describe, expect, it } from 'vitest'
import * as contract from '../../../server/contract/directory/import.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { freshPhone } from '../../support/random.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp } = demo({ each: true })
let head: Caller
beforeEach(async () => {
  head = await world.signIn(await corp.person({ power: ['4'], name: '负责人' }))
})

const bring = (rows: readonly XlsxCell[][]) =>
  head.must(
    contract.importMemberFile,
    {},
    { file: { name: '花名册.xlsx', bytes: makeXlsx({ sheets: [{ name: '花名册', rows: [...rows] }] }) } },
  )
const getRows = async (import_id: string) => (await head.must(contract.getImportRows, { import_id, pagesize: 100 })).list
const getPeople = async (name: string) => (await head.must(member.getMemberList, { pagesize: 100, name })).list
const carry = { mode: 'update' } as const

describe('import that terminates members', () => {
  const header = ['姓名', '手机号', '在职状态']
  const staff = async (count: number) => {
    const people = []
    for (let at = 0; at < count; at++) people.push(await corp.person({ name: `离某${'甲乙丙丁戊'[at]}`, joined: false }))
    return people
  }

  it('asks once with count and names before terminating more than three', async () => {
    const people = await staff(5)
    const { import_id, counts, leaving } = await bring([header, ...people.map(({ name, mobile }) => [name, mobile, '已离职'])])
    expect([counts.leaves, leaving]).toEqual([5, people.map(({ name }) => name)])
    const refused = await head.call(contract.uploadMembers, { import_id, ...carry })
    expect(refused.message).toContain('把 5 人标记为离职：离某甲、离某乙')
    const other = await head.call(contract.uploadMembers, { import_id, ...carry, leaving: 4 })
    expect([refused.code, other.code]).toEqual([100409, 100409])
    expect((await getPeople('离某甲'))[0]?.STATUS).not.toBe('left')
    expect(await head.must(contract.uploadMembers, { import_id, ...carry, leaving: 5 })).toMatchObject({ terminated: 5 })
  })

  it('terminates three members without another question', async () => {
    const people = await staff(3)
    const { import_id } = await bring([header, ...people.map(({ name, mobile }) => [name, mobile, '已离职'])])
    expect(await head.must(contract.uploadMembers, { import_id, ...carry })).toMatchObject({ terminated: 3 })
  })

  it('asks once about an ambiguous status value, for all members with it', async () => {
    const people = await staff(3)
    const labels = ['离职办理中', '离职办理中', '未离职']
    const { import_id, counts, status_labels } = await bring([
      header,
      ...people.map(({ name, mobile }, at) => [name, mobile, labels[at] ?? '']),
    ])
    expect(counts).toMatchObject({ conflict: 2, same: 1, leaves: 0 })
    expect(status_labels).toEqual([{ word: '离职办理中', count: 2, names: ['离某甲', '离某乙'], take: null }])
    expect(await getRows(import_id)).toMatchObject([{ may_status: true, message: expect.stringContaining('离职办理中') }, {}, {}])
    const active = await head.must(contract.answerImport, {
      import_id,
      answers: [],
      statuses: [{ word: '离职办理中', take: 'active' }],
    })
    expect([active.counts, active.status_labels[0]?.take]).toMatchObject([{ conflict: 0, same: 3 }, 'active'])
    const one = await head.must(contract.answerImport, { import_id, answers: [{ row: 2, take: 'left' }] })
    expect([one.counts, one.status_labels[0]?.take]).toMatchObject([{ leaves: 1, same: 2 }, null])
    expect(await head.must(contract.uploadMembers, { import_id, ...carry })).toMatchObject({ terminated: 1 })
  })

  it('asks about members below a heading for terminated ones', async () => {
    const { status_labels, counts } = await bring([
      ['姓名', '手机号', '部门'],
      ['块甲', freshPhone(), '制造部'],
      ['本月离职人员', null, null],
      ['块丙', freshPhone(), '制造部'],
    ])
    expect(counts).toMatchObject({ new: 1, conflict: 1 })
    expect(status_labels).toMatchObject([{ word: '本月离职人员', count: 1, names: ['块丙'] }])
  })
})

describe('members with a shared phone', () => {
  const header = ['工号', '姓名', '手机号', '身份证号', '入职日期']

  it('imports members with a shared phone separately, and registers the phone for nobody', async () => {
    const shared = freshPhone()
    const file = [
      header,
      ['N1', '保洁甲', '', 'EJ1234567', '2020年3月'],
      ['N2', '夫某', shared, 'H12345678', '2020-03-05'],
      ['N3', '妻某', shared, '', '2020.1'],
      ['', '无名乙', '', '', '2021-01-01'],
    ]
    const { import_id, ...info } = await bring(file)
    expect(info).toMatchObject({ without_phone: 1, shared_phones: 2, entry_months: 1, entries_lost: 1 })
    expect(info.counts).toMatchObject({ new: 3, fault: 1 })
    expect(info.documents).toEqual([
      { kind: '护照', count: 1 },
      { kind: '港澳居民来往内地通行证', count: 1 },
    ])
    expect((await getRows(import_id)).map(({ message }) => message)).toEqual([
      expect.stringContaining('没有手机号'),
      expect.stringContaining('手机号还写给了别人'),
      expect.stringContaining('手机号还写给了别人'),
      expect.stringContaining('也没有工号或证件号码'),
    ])
    expect(await head.must(contract.uploadMembers, { import_id, ...carry })).toMatchObject({ created: 3 })
    for (const name of ['保洁甲', '夫某', '妻某']) expect(await getPeople(name)).toMatchObject([{ MOBILE: '' }])
    expect((await getPeople('保洁甲'))[0]?.ENTRY_DATE).toContain('2020-03-01')
    const again = await bring(file)
    expect(again.counts).toMatchObject({ same: 3, new: 0, conflict: 0 })
    const undone = await head.must(contract.undoImport, { import_id })
    expect(undone).toMatchObject({ removed: 3 })
  })

  it('opens nothing to a user who verifies a shared phone', async () => {
    const shared = freshPhone()
    const { import_id } = await bring([header, ['N2', '夫某', shared, '', ''], ['N3', '妻某', shared, '', '']])
    await head.must(contract.uploadMembers, { import_id, ...carry })
    const rows = await world.database.asPerson({ mobile: shared }, (tx) => tx.selectFrom('member').select('id').execute())
    expect(rows).toEqual([])
  })

  it('allows a member with a shared phone to get another one later', async () => {
    const { import_id } = await bring([header, ['N1', '保洁甲', '', '', '']])
    await head.must(contract.uploadMembers, { import_id, ...carry })
    const [one] = await getPeople('保洁甲')
    await head.must(member.editMemberInfo, { id: one?.ID ?? '', position: '保洁' })
    const phone = freshPhone()
    const later = await bring([header, ['N1', '保洁甲', phone, '', '']])
    expect(later.counts).toMatchObject({ changed: 1 })
    await head.must(contract.uploadMembers, { import_id: later.import_id, ...carry })
    expect(await getPeople('保洁甲')).toMatchObject([{ MOBILE: phone, PHONE_UNCONFIRMED: false }])
  })
})
