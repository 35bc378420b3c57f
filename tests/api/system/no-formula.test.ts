/**
 * Values that start like a formula are text in every generated file. The kinds of files come from the contract (calls
 * that return a ticket or bytes): a new kind fails here until it is tested too.
 */
import { readXlsx } from 'hucre'
import { beforeAll, expect, test } from 'vitest'
import * as imports from '../../../server/contract/directory/import.ts'
import { exportMembers } from '../../../server/contract/directory/member-history.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import { allCalls } from '../../../server/contract/index.ts'
import * as salary from '../../../server/contract/payslips/correct-and-export.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as own from '../../../server/contract/payslips/employee-data.ts'
import { exportMemberData } from '../../../server/contract/payslips/member-data.ts'
import { exportPlatformUsers } from '../../../server/contract/platform-binding/platform-users.ts'
import * as chart from '../../../server/contract/reports/charts.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import * as history from '../../../server/contract/tax/history.ts'
import * as periods from '../../../server/contract/tax/periods.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { writeCompanyFile } from '../../../server/modules/sheets/upload/split.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { zipEntries } from '../../support/files/xlsx.ts'
import { book, getColumn, getUpload, openOffice } from '../../support/office.ts'
import { freshPhone } from '../../support/random.ts'
import { salaries, send } from '../../support/slips.ts'
import type { Caller, Corp } from '../../support/world.ts'

const world = demoWorld()
const names = ['=1+1', '+86', '-2+3', '@SUM(A1)', '\t=表', '\r=行']
const places = names.map((name) => `${name}部`)
const remarks = ['=cmd|1', '+cmd|2', '-cmd|3', '@cmd|4', '=cmd|5', '=cmd|6']
const reason = '=HYPERLINK("http://x")'
const secret = '梅兰竹菊 2026'

type Made = { bytes: Buffer; says: readonly string[]; is?: 'text' | 'paper' }
const ready = { member_id: '', batch_id: '', bonus_id: '', period_id: '', import_id: '', bad_id: '', salary_id: '' }
let [clerk, head, sums, me]: Caller[] = []
const must = <T>(there: T | null | undefined): T => {
  if (there === null || there === undefined) throw new Error('not there')
  return there
}
const fetched = async (by: Caller | undefined, { oss_path }: { oss_path: string | null }) => {
  const query = { oss_path: must(oss_path) }
  const { rawPayload } = await world.product.app.inject({
    method: 'GET',
    url: fileCalls.download.path,
    query,
    headers: must(by).headers,
  })
  return rawPayload
}

beforeAll(async () => {
  const office = await openOffice(world, [])
  const { corp } = office
  clerk = office.clerk
  head = await world.signIn(await corp.person({ power: ['4'], name: '=总管()' }))
  sums = await world.signIn(await corp.person({ power: ['1'] }))
  let above: string | undefined
  const at: string[] = []
  for (const position of places) at.push((above = await corp.department(position, above)))
  for (const name of names) office.staff.push(await corp.person({ name, department_ids: [must(at.at(-1))] }))
  const sheet = (title: string, staff = office.staff) =>
    book(
      ['姓名', '手机号', '应发工资', '个人所得税', '实发工资', '备注', title],
      staff.map(({ name, mobile }, row) => [name, mobile, 8000 + row, 90, 7910 + row, remarks[row] ?? '', '']),
    )
  const sent = async (title: string) => {
    const info = await getUpload(office.clerk, sheet(title))
    const { batch_id } = info
    await office.clerk.must(wage.insertBatchTitle, { batch_id, title, month: '2026-10' })
    await send(office.clerk, batch_id, ['link'], { rules: { confirm: true } })
    await world.product.jobs.drain()
    return { batch_id, key: getColumn(info, '备注') }
  }
  const { batch_id, key } = await sent('=标题')
  ready.batch_id = batch_id
  ready.bonus_id = (await sent('+奖金')).batch_id
  const [first] = await salaries(world, corp, ready.batch_id)
  ready.salary_id = must(first).id
  const holder = must(office.staff[0])
  ready.member_id = holder.member_id
  const password_hash = await hashPassword(secret)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', holder.account_id).execute(),
  )
  me = await world.signIn(holder)
  await me.must(employee.confirmSlip, { slip_id: ready.salary_id, version: 1 })
  await office.clerk.must(salary.editSalaryDetail, { salary_id: ready.salary_id, cells: [{ key, value: '=new()' }], reason })
  const outsider = { ...holder, name: '=外人', mobile: freshPhone() }
  ready.bad_id = (await getUpload(office.clerk, sheet('别的', [...office.staff.slice(1), outsider]))).batch_id
  const { period_id } = await office.clerk.must(periods.createPeriod, { month: '2026-10' })
  ready.period_id = period_id
  await office.clerk.must(periods.saveIncome, { period_id, from: { batch_id: ready.batch_id } })
  await office.clerk.must(periods.saveIncome, { period_id, from: { batch_id: ready.bonus_id, income_kind: 'bonus' } })
  await office.clerk.must(periods.computePeriod, { period_id })
  await world.product.jobs.drain()
  const roster = Buffer.from(
    `姓名,手机号,部门\n${names
      .slice(0, 4)
      .map((name, row) => `"${name}",12${row},"${places[row]}"\n`)
      .join('')}`,
  )
  await bindToSomething(corp)
  ready.import_id = (await head.must(imports.importMemberFile, {}, { file: { name: '花名册.csv', bytes: roster } })).import_id
})

/** Binds every member under the same name, in a department with the same name. */
async function bindToSomething({ company_id }: Corp): Promise<void> {
  const [app_id, own] = [newId(), { company_id, provider: 'lark' as const, corp_id: 'tenant' }]
  await world.database.inCompany(company_id, async (tx) => {
    const secret = (await world.secrets.vault(tx, company_id)).seal(
      { table: 'platform_app', row: app_id, column: 'secret' },
      'secret',
    )
    const created_at = world.clock.now()
    await tx
      .insertInto('platform_app')
      .values({ ...own, id: app_id, app_id: 'cli', agent_id: '', secret, created_at })
      .execute()
    const times = { checked_at: created_at, bound_at: created_at }
    await tx
      .insertInto('binding')
      .values({ ...own, ...times, id: newId(), mode: 'self_built', app_id, status: 10 })
      .execute()
    const [name] = places.slice(-1)
    await tx
      .insertInto('platform_department')
      .values({ ...own, id: newId(), key: 'd', name })
      .execute()
    const person = (name: string, at: number) => ({ user_id: `ou_${at}`, name, employee_no: '-R7', departments: ['d'] })
    const rows = names.map((name, at) => ({ ...person(name, at), main_department: 'd', leads: [], sort: {}, status: 'active' }))
    await tx
      .insertInto('platform_user')
      .values(
        rows.map(({ user_id, name, employee_no, ...message }) => ({
          ...own,
          id: newId(),
          user_id,
          name,
          employee_no,
          details: JSON.stringify({ user_id, ...message }),
        })),
      )
      .execute()
  })
}

async function ofBatch(what: (typeof salary.exportKinds)[number]): Promise<Buffer> {
  const { batch_id, salary_id } = ready
  const { job_id } = await must(clerk).must(salary.exportWageDetail, {
    batch_id,
    what,
    ...(what === 'paper' ? { salary_id } : {}),
  })
  await world.product.jobs.drain()
  return fetched(clerk, await must(clerk).must(salary.getExportStatus, { job_id }))
}
const notified: Record<(typeof salary.exportKinds)[number], Omit<Made, 'bytes'>> = {
  detail: { says: [...names, ...remarks.slice(1, 4), '=new()'] },
  status: { says: names },
  receipts: { says: names.slice(0, 1) },
  log: { says: [...names.slice(0, 1), remarks[0] ?? '', '=new()'] },
  evidence: { says: names, is: 'text' },
  paper: { says: [], is: 'paper' },
}
async function ofYear(by: Caller | undefined): Promise<Buffer> {
  const { job_id } = await must(by).must(chart.exportMemberWageByYear, { year: 2026 })
  await world.product.jobs.drain()
  return fetched(by, await must(by).must(chart.getYearWageFileStatus, { job_id }))
}
const declared = async (request: {
  kind: (typeof history.declarationKinds)[number]
  layout?: (typeof history.declarationLayouts)[number]
}) => fetched(clerk, await must(clerk).must(history.exportDeclaration, { period_id: ready.period_id, ...request }))

/** How to request each call that returns a file, for every kind in the contract. */
const kinds: Record<string, Record<string, () => Promise<Made>>> = {
  getExportStatus: Object.fromEntries(
    salary.exportKinds.map((what) => [what, async () => ({ ...notified[what], bytes: await ofBatch(what) })]),
  ),
  exportDeclaration: Object.fromEntries([
    ...history.declarationKinds
      .filter((kind) => kind !== 'wages')
      .map((kind) => [kind, async () => ({ bytes: await declared({ kind }), says: names })]),
    ...history.declarationLayouts.map((layout) => [
      layout,
      async () => ({ bytes: await declared({ kind: 'wages', layout }), says: names }),
    ]),
  ]),
  getYearWageFileStatus: {
    people: async () => ({ bytes: await ofYear(clerk), says: [...names, places.at(-1) ?? ''] }),
    departments: async () => ({ bytes: await ofYear(sums), says: places.slice(-1) }),
  },
  exportMembers: {
    all: async () => ({ bytes: await fetched(head, await must(head).must(exportMembers, {})), says: [...names, '=总管()'] }),
  },
  exportColleagues: {
    all: async () => ({
      bytes: await fetched(head, await must(head).must(exportPlatformUsers)),
      says: [...names, places.at(-1) ?? '', '-R7'],
    }),
  },
  exportMine: {
    sheet: async () => {
      await must(me).must(employee.unlock, { password: secret })
      const sections = zipEntries(await fetched(me, await must(me).must(own.exportOwnData)))
      return { bytes: must(sections['我的资料.xlsx']), says: ['=1+1', '=new()'] }
    },
  },
  exportMemberData: {
    sheet: async () => {
      const sections = zipEntries(await fetched(head, await must(head).must(exportMemberData, { id: ready.member_id })))
      return { bytes: must(Object.entries(sections).find(([name]) => name.endsWith('.xlsx'))?.[1]), says: ['=1+1', '=new()'] }
    },
  },
  exportProblems: {
    copy: async () => ({
      bytes: await fetched(clerk, await must(clerk).must(wage.exportIssues, { batch_id: ready.bad_id })),
      says: [...names.slice(1, 4), '=外人', ...remarks.slice(0, 4)],
    }),
  },
  exportImportFaults: {
    copy: async () => ({
      bytes: await fetched(head, await must(head).must(imports.exportImportErrors, { import_id: ready.import_id })),
      says: [...names.slice(0, 4), ...places.slice(0, 4)],
    }),
  },
  getImportSampleFile: Object.fromEntries(
    fileCalls.getImportSampleFile.input.def.shape.type.options.map((type) => [
      type,
      async () => {
        const { rawPayload } = await world.product.app.inject({
          method: 'GET',
          url: fileCalls.getImportSampleFile.path,
          query: { type },
        })
        return { bytes: rawPayload, says: [], ...(type === 'help' ? { is: 'paper' as const } : {}) }
      },
    ]),
  ),
}
/** Calls that return an uploaded file, or a file that another call has generated. */
const passing = ['getDownloadTicket', 'download', 'Upload', 'uploadFile', 'getFile', 'getInvoiceFile']

const unescaped = (xml: string): string =>
  xml
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
const textIn = (xml: string): string =>
  [...xml.matchAll(/<t\b[^>]*>([^<]*)<\/t>/g)].map(([, text]) => unescaped(text ?? '')).join('')

/** Returns every text of a workbook from its raw XML; a cell is a number or typed text, and nothing else. */
function getTexts(bytes: Buffer): string[] {
  const sections = zipEntries(bytes)
  const shared = [...(sections['xl/sharedStrings.xml']?.toString() ?? '').matchAll(/<si>(.*?)<\/si>/gs)].map(([, si]) =>
    textIn(si ?? ''),
  )
  expect(Object.keys(sections).filter((name) => /externalLinks|vbaProject|connections|calcChain/.test(name))).toEqual([])
  const sheets = Object.entries(sections).filter(([name]) => /^xl\/worksheets\/[^/]+\.xml$/.test(name))
  expect(sheets.length).toBeGreaterThan(0)
  return sheets.flatMap(([, part]) => {
    const xml = part.toString()
    expect(xml).not.toMatch(/<(\w+:)?f[\s>/]/)
    return [...xml.matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)].flatMap(([, about = '', inside = '']) => {
      const type = / t="(\w+)"/.exec(about)?.[1] ?? 'n'
      const value = /<v>([^<]*)<\/v>/.exec(inside)?.[1] ?? ''
      if (type === 's') return [must(shared[Number(value)])]
      if (type === 'inlineStr') return [textIn(inside)]
      expect([type, value]).toEqual(['n', expect.stringMatching(/^(-?\d+(\.\d+)?)?$/)])
      return []
    })
  })
}

const getShape = ({ output }: (typeof allCalls)[number]): string[] => {
  const { def } = output as unknown as { def: { shape?: object } }
  return Object.keys(def.shape ?? {})
}
test('covers every call that returns a file', () => {
  const answers = allCalls.flatMap((call) =>
    call.responseType === 'bytes' || getShape(call).includes('oss_path') ? [call.path.split('/').at(-1) ?? ''] : [],
  )
  expect(answers.toSorted()).toEqual([...Object.keys(kinds), ...passing].toSorted())
})

const all = Object.entries(kinds).flatMap(([call, ways]) => Object.entries(ways).map(([kind, make]) => ({ call, kind, make })))
/** Checks that a file contains no formula: in its raw XML and with another reader. */
async function mustBeText(bytes: Buffer, says: readonly string[]): Promise<void> {
  const texts = getTexts(bytes)
  expect(says.filter((text) => !texts.includes(text))).toEqual([])
  const { sheets } = await readXlsx(bytes)
  const cells = sheets.flatMap((sheet) => [...(sheet.cells?.values() ?? [])])
  expect(cells.filter((cell) => 'formula' in cell && cell.formula)).toEqual([])
  const read = sheets.flatMap((sheet) => sheet.rows.flat().map((cell) => String(cell ?? '').trim()))
  expect(says.filter((text) => !read.includes(text.trim()))).toEqual([])
}

test('writes no formula into a wage sheet split for several companies', async () => {
  const columns = [{ key: 'c0', label: reason, role: 'name' as const }]
  const rows = names.map((value, at) => ({ row: at + 2, cells: { c0: { value, kind: 'text' as const } } }))
  await mustBeText(await writeCompanyFile({ sheet: '工资表', sheets: ['工资表'], columns }, rows), [reason, ...names])
})

test.each(all)('turns no name, department or remark into a formula: $call $kind', async ({ make }) => {
  const { bytes, says, is } = await make()
  if (is === 'paper') expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  else if (is === 'text') {
    const lines = bytes.toString().split('\n')
    const people = lines.map((line) => (JSON.parse(line) as { person?: string }).person)
    expect(says.filter((text) => !people.includes(text))).toEqual([])
  } else await mustBeText(bytes, says)
})
