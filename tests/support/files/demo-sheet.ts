/**
 * A typical wage sheet of a small company: title, two-row merged header, employees, total and signature. Always the
 * same.
 */

import { getMemberList } from '../../../server/contract/directory/members.ts'
import type { HttpCaller } from '../callers/http.ts'
import { makeXlsx, type XlsxCell } from './xlsx.ts'

export interface DemoPerson {
  name: string
  mobile: string
  employee_no?: string
  department?: string
  /** The employee's usual pay; without it, amounts depend on the position in the list. */
  terms?: DemoTerms
}
/** In fen. */
export interface DemoTerms {
  base: number
  post: number
  performance: number
}

export interface DemoSheetOptions {
  title?: string
  sheet?: string
  /** Changes the amounts, so that two months differ. */
  seed?: number
  /** Overrides cells of the employee with this index, by leaf label, e.g. `{ 0: { 实发工资: '见备注' } }`. */
  change?: Record<number, Record<string, XlsxCell>>
  /** Leaves out the total and signature rows. */
  bare?: boolean
  /** The label of the last column: gives a wage sheet its own form where other tests upload the usual one. */
  remark?: string
}

/** A group with its leaves; a group without leaves spans both header rows. */
const groups: [string, string[]][] = [
  ['序号', []],
  ['员工信息', ['姓名', '工号', '部门', '手机号']],
  ['应发', ['基本工资', '岗位工资', '绩效工资', '加班费', '餐补']],
  ['应发合计', []],
  ['扣款', ['事假扣款', '养老保险', '医疗保险', '失业保险', '住房公积金', '个税']],
  ['扣款合计', []],
  ['实发工资', []],
  ['备注', []],
]

const leaves = groups.flatMap(([group, under]) => (under.length ? under : [group]))
/** Leaf labels from the left. */
export const demoLabels: readonly string[] = leaves

/** Returns the net pay of the employee with this index, in fen. */
export function demoNetFen(at: number, seed = 0, terms?: DemoTerms): number {
  const { gross, deducted } = amounts(at, seed, terms)
  return gross - deducted
}

/** Builds a whole .xlsx file. The amounts add up in every row and in the total row. */
export function demoWageSheet(people: readonly DemoPerson[], options: DemoSheetOptions = {}): Buffer {
  const {
    title = '星河科技有限公司2026年10月工资表',
    sheet = '工资表',
    seed = 0,
    change = {},
    bare = false,
    remark = '备注',
  } = options
  const width = leaves.length
  const top: XlsxCell[] = []
  const merges = [`A1:${letter(width - 1)}1`]
  for (const [group, under] of groups) {
    const left = top.length
    top.push(group === '备注' ? remark : group, ...Array<null>(Math.max(under.length - 1, 0)).fill(null))
    merges.push(under.length ? `${letter(left)}2:${letter(top.length - 1)}2` : `${letter(left)}2:${letter(left)}3`)
  }
  const bottom = groups.flatMap(([, under]) => (under.length ? under : [null]))
  const total = Array<number>(width).fill(0)
  const body = people.map((person, at) => {
    const { earnings, deductions, gross, deducted } = amounts(at, seed, person.terms)
    const money = [...earnings, gross, ...deductions, deducted, gross - deducted]
    money.forEach((fen, column) => (total[5 + column] = (total[5 + column] ?? 0) + fen))
    const row: XlsxCell[] = [
      at + 1,
      person.name,
      person.employee_no ?? `XH${String(at + 1).padStart(4, '0')}`,
      person.department ?? (at % 3 === 0 ? '财务部' : at % 3 === 1 ? '销售部' : '生产部'),
      person.mobile,
      ...money.map(yuan),
      null,
    ]
    for (const [label, cell] of Object.entries(change[at] ?? {})) row[leaves.indexOf(label)] = cell
    return row
  })
  const end: XlsxCell[][] = bare
    ? []
    : [
        ['合计', null, null, null, null, ...total.slice(5, -1).map(yuan)],
        [null, '制表人：', null, null, null, '审核：', null, null, null, null, '批准：'],
      ]
  return makeXlsx({ sheets: [{ name: sheet, rows: [[title], top, bottom, ...body, ...end], merges }] })
}

function amounts(at: number, seed: number, terms?: DemoTerms) {
  const rotate = (of: number, step: number) => ((at * 7 + seed * 13 + step) % of) * 100
  const { base, post, performance } = terms ?? {
    base: 600_000 + rotate(40, 3) * 100,
    post: 100_000 + rotate(20, 1) * 50,
    performance: 80_000 + rotate(50, 5) * 37,
  }
  const earnings = [base, post, performance, rotate(9, 2) * 125, 30_000]
  const gross = earnings.reduce((a, b) => a + b, 0)
  const absence = rotate(5, 4) * 50
  const tax = Math.max(0, Math.trunc(((gross - 500_000 - 160_000) * 3) / 100))
  const insured = terms ? base + post : base
  const deductions = [absence, ...[80, 20, 5, 70].map((rate) => Math.trunc((insured * rate) / 1000)), tax]
  return { earnings, deductions, gross, deducted: deductions.reduce((a, b) => a + b, 0) }
}

const yuan = (fen: number): XlsxCell => ({ raw: String(fen / 100), format: 'money' })
const letter = (index: number) => String.fromCharCode(65 + index)

/** Returns the given number of roster members with unique names. */
export async function somePeople(caller: HttpCaller, count: number): Promise<DemoPerson[]> {
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 100 })
  return [...new Map(list.map((one) => [one.NAME, one])).values()].slice(0, count).map((one) => ({
    name: one.NAME,
    mobile: one.MOBILE,
    employee_no: one.EMPLOYEE_NO,
    department: one.DEPARTMENTS[0]?.NAME ?? '',
  }))
}
