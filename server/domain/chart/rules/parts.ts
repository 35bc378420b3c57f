/** What a slip says, by what pay is made of: read from its cells as the columns of its sheet were understood. Amounts in integer fen. */

import type { PayPart } from '../../../contract/wage/chart.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import { amountOf, type RowCells } from '../../../rules/amounts.ts'

/** Null: the slip says nothing of it. Every other part is 0 where there is none. */
export type SlipParts = Readonly<Record<Exclude<PayPart, 'tax'>, number>> &
  Readonly<Record<'gross' | 'net' | 'tax', number | null>>

type Adding = { readonly plus: readonly string[]; readonly minus: readonly string[] }
export type PartColumns = {
  readonly columns: readonly { readonly key: string; readonly label: string; readonly role: ColumnRole }[]
  readonly formula: Adding | null
  readonly subtotals: readonly (Adding & { readonly key: string })[]
}
type Said = { readonly net_fen: number | null; readonly gross_fen: number | null; readonly cells: RowCells }

const social = /养老|医疗|医保|失业|工伤|生育|大病|社保|社会保险|[三五]险|年金/
const fund = /公积金/
const notPublic = /商业|意外|补充医疗|税优|个人养老金/
const earnings: readonly (readonly [PayPart, RegExp])[] = [
  ['overtime', /加班|值班|夜班/],
  ['bonus', /绩效|奖|提成|佣金|分红|业绩|计件|十三薪|年终/],
  ['allowance', /津贴|补贴|补助|餐补|车补|话补|房补|高温|交通|通讯|住房|误餐|福利/],
  ['base', /基本|底薪|岗位|固定|标准|职务|级别|薪级|工龄|技能|学历|职称|月薪|工资|薪资|薪酬/],
]
const deepest = 6

/** Columns that a sum adds up in the end, sums inside it taken apart: 1 added, −1 taken off. */
export function leavesOfSum(sum: Adding | null | undefined, subtotals: PartColumns['subtotals']): Map<string, 1 | -1> {
  const parts = new Map(subtotals.map((one) => [one.key, one]))
  const leaves = new Map<string, 1 | -1>()
  const take = (one: Adding, sign: 1 | -1, depth: number): void => {
    for (const [keys, own] of [
      [one.plus, sign],
      [one.minus, sign === 1 ? -1 : 1],
    ] as const)
      for (const key of keys) {
        const under = depth < deepest ? parts.get(key) : undefined
        if (under && under.plus.length + under.minus.length > 0) take(under, own, depth + 1)
        else leaves.set(key, own)
      }
  }
  if (sum) take(sum, 1, 0)
  return leaves
}

type Taken = { readonly key: string; readonly sign: 1 | -1 | 'abs' }
type Column = PartColumns['columns'][number]

/**
 * Of some columns those that count: the ones that a sum is known to hold, with the sign that it gives them; all of them, without sign, where the sum
 * is not known to hold any column of this side. What a sum leaves out although it holds others is a note, and counted nowhere.
 */
function counted(columns: readonly Column[], side: readonly Column[], leaves: ReadonlyMap<string, 1 | -1>): Taken[] {
  const known = side.some(({ key }) => leaves.has(key))
  if (!known) return columns.map(({ key }) => ({ key, sign: 'abs' }))
  return columns.flatMap(({ key }) => {
    const sign = leaves.get(key)
    return sign === undefined ? [] : [{ key, sign: sign === 1 ? (-1 as const) : (1 as const) }]
  })
}

const textOf = (label: string): string => label.replace(/[\s/（）()]/g, '')
const isSocial = (text: string): boolean => social.test(text) && !notPublic.test(text)

/** Which column goes where, decided once a sheet. */
function sorted({ columns, formula, subtotals }: PartColumns) {
  const sums = new Set(subtotals.map(({ key }) => key))
  const items = columns.filter(({ key }) => !sums.has(key)).map((column) => ({ ...column, text: textOf(column.label) }))
  const gross = columns.find(({ role }) => role === 'gross')?.key
  const inGross = leavesOfSum(
    subtotals.find(({ key }) => key === gross),
    subtotals,
  )
  const inNet = leavesOfSum(formula, subtotals)
  const of = (role: ColumnRole) => items.filter((column) => column.role === role)
  const absent = of('deduction').filter(({ key }) => inGross.has(key))
  const taken = of('deduction').filter(({ key }) => !inGross.has(key))
  const side = [...taken, ...of('tax')]
  const some = (which: (column: (typeof taken)[number]) => boolean): Taken[] => counted(taken.filter(which), side, inNet)
  const taxes = of('tax')
  const earned = of('earning')
  const known = earned.some(({ key }) => inGross.has(key) || inNet.has(key))
  const partOf = (text: string): PayPart => earnings.find(([, words]) => words.test(text))?.[0] ?? 'rest'
  const earnedAs = (part: PayPart): Taken[] =>
    earned.flatMap(({ key, text }) => {
      const sign = inGross.get(key) ?? inNet.get(key)
      return partOf(text) !== part || (known && sign === undefined) ? [] : [{ key, sign: sign ?? 1 }]
    })
  // What the net pay adds to gross, as 报销 behind it, is earned too: the parts of gross add up with it.
  const isGrossKnown = gross !== undefined && (inGross.size > 0 || formula?.plus.includes(gross) === true)
  const beside = earned.flatMap(({ key }): Taken[] =>
    isGrossKnown && inNet.get(key) === 1 && !inGross.has(key) ? [{ key, sign: 1 }] : [],
  )
  const paidBeside = (which: (text: string) => boolean): Taken[] =>
    of('employer').flatMap(({ key, text }) => (which(text) ? [{ key, sign: 1 as const }] : []))
  const isFund = (text: string) => fund.test(text) && !social.test(text)
  return {
    base: earnedAs('base'),
    bonus: earnedAs('bonus'),
    allowance: earnedAs('allowance'),
    overtime: earnedAs('overtime'),
    rest: earnedAs('rest'),
    absence: absent.map(({ key }): Taken => ({ key, sign: inGross.get(key) === 1 ? -1 : 1 })),
    social: some(({ text }) => isSocial(text)),
    fund: some(({ text }) => isFund(text)),
    other: some(({ text }) => !isSocial(text) && !isFund(text)),
    // Whatever the sums hold: a tax that was withheld is a tax.
    tax: taxes.some(({ key }) => inNet.has(key))
      ? counted(taxes, taxes, inNet)
      : taxes.map(({ key }): Taken => ({ key, sign: 'abs' })),
    beside,
    hasTax: taxes.length > 0,
    hasEarnings: earned.length > 0,
    employer_social: paidBeside(isSocial),
    employer_fund: paidBeside(isFund),
    employer_other: paidBeside((text) => !isSocial(text) && !isFund(text)),
  }
}

/**
 * What gross holds beside the earnings that are named stands under `rest`, so that the parts of gross add up to it. A sheet without gross has the sum of
 * its earnings, where it names any.
 */
export function partsReader(sheet: PartColumns): (said: Said) => SlipParts {
  const { hasTax, hasEarnings, ...by } = sorted(sheet)
  return ({ cells, net_fen, gross_fen }) => {
    const sum = (taken: readonly Taken[]): number =>
      taken.reduce((all, { key, sign }) => {
        const fen = amountOf(cells[key]).fen ?? 0
        return all + (sign === 'abs' ? Math.abs(fen) : sign * fen)
      }, 0)
    const [base, bonus, allowance, overtime] = [sum(by.base), sum(by.bonus), sum(by.allowance), sum(by.overtime)]
    const absence = sum(by.absence)
    const named = base + bonus + allowance + overtime - absence
    const gross = gross_fen !== null ? gross_fen + sum(by.beside) : hasEarnings ? named + sum(by.rest) : null
    return {
      gross,
      net: net_fen,
      tax: hasTax ? sum(by.tax) : null,
      base,
      bonus,
      allowance,
      overtime,
      rest: gross === null ? sum(by.rest) : gross - named,
      absence,
      social: sum(by.social),
      fund: sum(by.fund),
      other: sum(by.other),
      employer_social: sum(by.employer_social),
      employer_fund: sum(by.employer_fund),
      employer_other: sum(by.employer_other),
    }
  }
}
