/** One sheet of several served companies: each row goes to its own company or nowhere. trust.md I14. */
import { expect, it, vi } from 'vitest'
import * as agency from '../../../server/contract/agency/agency.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { readerSlots } from '../../../server/spreadsheets/child/reader-slots.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const world = demoWorld({ now: '2026-11-20T10:00:00+08:00' })
const { invalid, not_found, not_permitted, unreadable_sheet } = errorCodes

type Client = { corp: Corp; heads: Caller; clerk: Caller; people: Person[] }
async function client(name: string, agents: Caller, until = '2026-12-31'): Promise<Client> {
  const corp = await world.createCompany({ name })
  const head = await corp.person({ power: ['1'] })
  const heads = await world.signIn(head)
  await agents.must(agency.applyJoin, { name, phone: head.mobile })
  const [options] = (await heads.must(approval.getApprovalList, { status: 0 })).list
  const serving = { scope: { all: true, department_ids: [] }, until }
  await heads.must(approval.setApprovalStatusByApprovalNo, { approval_no: options?.approval_no ?? '', status: 1, serving })
  const clerk = await world.signIn(await corp.person({ power: ['4'] }))
  return { corp, heads, clerk, people: [await corp.person({ name: '王同名' }), await corp.person()] }
}

let made = 0
/** Creates an agency, its two clients, and a company that it does not serve. */
async function setUp() {
  made += 1
  const own = await world.createCompany({ name: '好帮手人力', corp_role: 20 })
  const agent = await own.person({ name: '江望舒', power: ['1', '2'] })
  const agents = await world.signIn(agent)
  const [a, b] = [await client(`甲（上海）公司${made}`, agents), await client(`乙公司${made}`, agents)]
  return { own, agent, agents, a, b }
}
const money = (yuan: number): XlsxCell => ({ raw: yuan.toFixed(2), format: 'money' })
const header = ['用工单位', '姓名', '手机号', '基本工资', '个人所得税', '实发工资']
const line = (company: string, { name, mobile }: Pick<Person, 'name' | 'mobile'>, yuan: number): XlsxCell[] => [
  company,
  name,
  mobile,
  money(yuan + 100),
  money(100),
  money(yuan),
]
const file = (rows: readonly XlsxCell[][]) => ({
  name: '十月工资.xlsx',
  bytes: makeXlsx({ sheets: [{ name: '工资表', rows: [header, ...rows] }] }),
})
/** Decrypts everything that a company stores of its sheets: only its own names and amounts. */
async function loadStored({ corp, clerk }: Client): Promise<string> {
  const batches = await world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('batch').select(['id', 'file_id']).execute(),
  )
  const all = []
  for (const { id } of batches) {
    all.push(await clerk.must(sheet.getTitleInfo, { batch_id: id }))
    all.push(await clerk.must(sheet.getDetailUpload, { batch_id: id, pagesize: 100 }))
  }
  return JSON.stringify([batches.length, all])
}

it('sends each row to its own company, including namesakes, and rows of unserved companies or without a name nowhere', async () => {
  const { agents, agent, own, a, b } = await setUp()
  const [outsider] = [{ name: '金丝雀外人', mobile: '13911112222' }]
  const one = file([
    line(a.corp.name, a.people[0] as Person, 7001.01),
    line(b.corp.name, b.people[0] as Person, 7002.02),
    line(a.corp.name.replace('（', '(').replace('）', ')'), a.people[1] as Person, 7003.03),
    line('别家公司', outsider as Person, 7004.04),
    line('', { name: '金丝雀无主', mobile: '13911113333' }, 7005.05),
    line(b.corp.name, b.people[1] as Person, 7006.06),
  ])
  const viewed = await agents.must(agency.splitSheet, {}, { file: one })
  expect(viewed).toMatchObject({ by: 'column', column: '用工单位' })
  expect(viewed.sections.map(({ corp_id, rows, reason }) => [corp_id, rows, reason])).toEqual([
    [a.corp.company_id, 1, null],
    [b.corp.company_id, 2, null],
    [a.corp.company_id, 1, null],
    [null, 1, 'unknown'],
    [null, 1, 'nameless'],
  ])
  expect(viewed.served_companies.map(({ corp_id }) => corp_id).toSorted()).toEqual(
    [a.corp.company_id, b.corp.company_id].toSorted(),
  )
  const getLabels = ({ corp }: Client) =>
    viewed.sections.flatMap((part) => (part.corp_id === corp.company_id ? part.label : [])).join('\n')
  // A row that names its company is assigned to no other one; neither are rows without a name, nor labels that are not
  // in the file.
  const call = (corp_id: string, labels: string) => agents.call(agency.uploadSplit, { corp_id, labels }, { file: one })
  expect((await call(a.corp.company_id, getLabels(b))).code).toBe(invalid.code)
  expect((await call(a.corp.company_id, `${getLabels(a)}\n${getLabels(b)}`)).code).toBe(invalid.code)
  expect((await call(a.corp.company_id, ' ')).code).toBe(not_found.code)
  expect((await call(a.corp.company_id, '没有写着的公司')).code).toBe(not_found.code)
  expect((await call(own.company_id, '别家公司')).code).toBe(not_found.code)
  for (const each of [a, b])
    expect(
      await agents.must(agency.uploadSplit, { corp_id: each.corp.company_id, labels: getLabels(each) }, { file: one }),
    ).toMatchObject({
      rows: 2,
    })
  const [inA, inB] = [await loadStored(a), await loadStored(b)]
  for (const [current, others] of [
    [inA, ['7002.02', '7006.06', '7004.04', '7005.05', '金丝雀', b.corp.name]],
    [inB, ['7001.01', '7003.03', '7004.04', '7005.05', '金丝雀', a.corp.name]],
  ] as const)
    for (const text of others) expect(current).not.toContain(text)
  for (const text of ['7001.01', '7003.03', '王同名']) expect(inA).toContain(text)
  for (const text of ['7002.02', '7006.06', '王同名']) expect(inB).toContain(text)
  // Each company has one audit log entry, marked with the agency, and so does the agency. The agency stores nothing of
  // the sheet.
  for (const { corp } of [a, b]) {
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('audit_log_entry')
        .select(['name', 'details'])
        .where('account_id', '=', agent.account_id)
        .where('call', 'like', '%uploadSplit')
        .execute(),
    )
    expect(lines).toMatchObject([{ name: '江望舒（好帮手人力）', details: { agency_id: own.company_id, rows: 2 } }])
  }
  const there = await world.database.inCompany(own.company_id, (tx) => tx.selectFrom('batch').select('id').execute())
  expect(there).toEqual([])
  // A name that belongs to no company is assigned to one company.
  expect(await agents.must(agency.uploadSplit, { corp_id: a.corp.company_id, labels: '别家公司' }, { file: one })).toMatchObject({
    rows: 1,
  })
})

it('splits a file by sheet and leaves missing cells unchanged', async () => {
  const { agents, a, b } = await setUp()
  const rows = ({ people }: Client, yuan: number) => [header.slice(1), ...people.map((person) => line('', person, yuan).slice(1))]
  const broken = rows(b, 8002.02)
  broken[1] = [b.people[0]?.name ?? '', b.people[0]?.mobile ?? '', money(8102.02), money(100), '见备注']
  const bytes = makeXlsx({
    sheets: [
      { name: '说明', rows: [['请核对']] },
      { name: a.corp.name, rows: rows(a, 8001.01) },
      { name: b.corp.name, rows: broken },
    ],
  })
  const one = { name: '十月.xlsx', bytes }
  const viewed = await agents.must(agency.splitSheet, {}, { file: one })
  expect(viewed).toMatchObject({
    by: 'sheet',
    column: null,
    sections: [
      { label: a.corp.name, rows: 2 },
      { label: b.corp.name, rows: 2 },
    ],
  })
  await agents.must(agency.uploadSplit, { corp_id: b.corp.company_id, labels: b.corp.name }, { file: one })
  expect(await loadStored(b)).toContain('见备注')
  expect(await loadStored(b)).not.toContain('8001.01')
  expect(JSON.parse(await loadStored(a))[0]).toBe(0)
})

it('refuses a sheet of one company with a row of another until that is corrected', async () => {
  const { agents, a, b } = await setUp()
  const sheets = [
    {
      name: a.corp.name,
      rows: [header, line(a.corp.name, a.people[0] as Person, 8201), line(b.corp.name, b.people[0] as Person, 8202)],
    },
    { name: b.corp.name, rows: [header, line(b.corp.name, b.people[1] as Person, 8203)] },
  ]
  const one = { name: '十月.xlsx', bytes: makeXlsx({ sheets }) }
  const message = { code: unreadable_sheet.code, message: expect.stringContaining(`第 3 行写的是「${b.corp.name}」`) }
  expect(await agents.call(agency.splitSheet, {}, { file: one })).toMatchObject(message)
  const options = { corp_id: a.corp.company_id, labels: a.corp.name }
  expect(await agents.call(agency.uploadSplit, options, { file: one })).toMatchObject(message)
  expect(JSON.parse(await loadStored(a))[0]).toBe(0)
})

it("reads the file in the agency's queue slot, never in that of a served company", async () => {
  const { own, agents, a } = await setUp()
  const runRounds = vi.spyOn(readerSlots, 'acquire')
  const one = file([line(a.corp.name, a.people[0] as Person, 8301)])
  await agents.must(agency.uploadSplit, { corp_id: a.corp.company_id, labels: a.corp.name }, { file: one })
  expect(new Set(runRounds.mock.calls.map(([options]) => options?.owner))).toEqual(new Set([own.company_id]))
  runRounds.mockRestore()
})

it('requires an active service approval and a payroll administrator of the agency', async () => {
  const { agents, own, a, b } = await setUp()
  const one = file([line(a.corp.name, a.people[0] as Person, 9001.01), line(b.corp.name, b.people[0] as Person, 9002.02)])
  const { list } = await a.heads.must(agency.getServiceList, {})
  await a.heads.must(agency.endService, { service_id: list[0]?.service_id ?? '' })
  const viewed = await agents.must(agency.splitSheet, {}, { file: one })
  expect(viewed.sections.map(({ corp_id, reason }) => [corp_id, reason])).toEqual([
    [b.corp.company_id, null],
    [null, 'closed'],
  ])
  const call = (corp_id: string, labels: string) => agents.call(agency.uploadSplit, { corp_id, labels }, { file: one })
  expect((await call(a.corp.company_id, a.corp.name)).code).toBe(not_found.code)
  // The rows do not go to another company either.
  expect((await call(b.corp.company_id, a.corp.name)).code).toBe(invalid.code)
  expect(JSON.parse(await loadStored(a))[0]).toBe(0)
  const manager = await world.signIn(await own.person({ power: ['1'] }))
  expect((await manager.call(agency.splitSheet, {}, { file: one })).code).toBe(not_permitted.code)
  const plain = makeXlsx({ sheets: [{ name: '工资表', rows: [header.slice(1), line('', a.people[0] as Person, 1).slice(1)] }] })
  expect((await agents.call(agency.splitSheet, {}, { file: { name: 'x.xlsx', bytes: plain } })).code).toBe(unreadable_sheet.code)
})
