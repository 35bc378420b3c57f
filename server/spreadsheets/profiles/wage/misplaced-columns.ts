/**
 * Columns whose values contradict their label or that have none: amounts without a label, bills under 电话, card numbers
 * under 部门, legends.
 */
import {
  isDeductionOrTax,
  isDepartment,
  isGross,
  isIgnored,
  isInfo,
  isMobile,
  isNet,
} from '../../../contract/sheets/column-roles.ts'
import { type Grid, isEmptyCell } from '../../grid.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { findFormula, type SumFormula } from './sums.ts'
import type { ColumnDraft } from './types.ts'

const isProvenFormula = (formula: SumFormula | null): boolean =>
  formula !== null && formula.of > 1 && formula.holds === formula.of

/**
 * Asks about amounts without a label that are between pay items, or without which the rows do not add up. If every row
 * adds up without them, they are auxiliary calculations.
 */
export function resolveUnlabeledColumns(grid: Grid, people: readonly number[], drafts: ColumnDraft[]): void {
  const money = drafts.filter(({ isAmount: is, label }) => is && label !== '')
  const first = money[0]
  const target = money.find(({ role }) => isNet(role)) ?? money.find(({ role }) => isGross(role))
  if (!first) return
  const isCandidate = ({ label, profile, isAmount: is, role, index }: ColumnDraft) => {
    const { amounts, filled, largest, counting, dates, percents, mobiles, id_cards, bank_cards } = profile
    const isNumber = (mobiles + id_cards + bank_cards) * 2 > filled
    const isAmount = amounts * 2 > filled && largest > 0 && !counting && dates + percents === 0 && !isNumber
    return normalizeHeader(label) === '' && !is && isIgnored(role) && isAmount && index > first.index
  }
  const matches = drafts.filter(isCandidate)
  if (matches.length === 0 || isProvenFormula(findFormula(grid, people, drafts))) return
  const settle = (draft: ColumnDraft, role: 'earning' | 'deduction', reason: string) =>
    Object.assign(draft, { role, isAmount: true, confidence: questionConfidence, reason })
  const findAs = (role: 'earning' | 'deduction') =>
    findFormula(
      grid,
      people,
      drafts.map((draft) => (matches.includes(draft) ? { ...draft, isAmount: true, role } : draft)),
    )
  const formula = (['earning', 'deduction'] as const).map(findAs).find(isProvenFormula)
  const gross = drafts.find(({ role }) => isGross(role))
  for (const draft of matches) {
    if (formula?.plus.includes(draft.key)) settle(draft, 'earning', '没有表头，加上它每一行才等于实发')
    else if (formula?.minus.includes(draft.key)) settle(draft, 'deduction', '没有表头，减去它每一行才等于实发')
    else if (!target || draft.index < target.index)
      settle(draft, gross && draft.index > gross.index ? 'deduction' : 'earning', '没有表头，金额在工资项之间')
  }
}
/** The value is below the threshold of certainty, so that a question is asked. */
const questionConfidence = 0.4

/** 电话 with 21, 35 and 12 is a bill that is paid or deducted, not a phone number. */
export function resolvePhoneBillColumns(drafts: readonly ColumnDraft[]): void {
  const money = drafts.filter((draft) => draft.isAmount)
  const gross = drafts.find(({ role }) => isGross(role))
  for (const draft of drafts) {
    const { filled, amounts, mobiles, largest, bank_cards, id_cards, padded } = draft.profile
    const isAmount = amounts > 0 && amounts === filled && mobiles + bank_cards + id_cards + padded === 0 && largest < 10_000
    const isAmong = money.some(({ index }) => index < draft.index) && money.some(({ index }) => index > draft.index)
    if (!isMobile(draft.role) || !isAmount || !isAmong || largest === 0) continue
    const before = money.filter(({ index }) => index < draft.index).at(-1)
    const isAccepted = (gross && draft.index > gross.index) || isDeductionOrTax(before?.role)
    const role = isAccepted ? 'deduction' : 'earning'
    Object.assign(draft, {
      role,
      isAmount: true,
      confidence: questionConfidence,
      reason: `${draft.reason}，但内容是金额，不是号码`,
    })
  }
}

/** Card numbers under 部门 would otherwise be displayed as the employee's department. */
export function flagDoubtfulDepartments(drafts: readonly ColumnDraft[]): void {
  for (const draft of drafts) {
    const { filled, bank_cards, id_cards, mobiles } = draft.profile
    if (isDepartment(draft.role) && filled > 0 && (bank_cards + id_cards + mobiles) * 2 > filled)
      Object.assign(draft, { confidence: 0.3, reason: '内容是长号码，不像部门。' })
  }
}

/** 图例 behind an empty column, with texts beside some members only, describes the table and no member. */
export function excludeLegends(grid: Grid, people: readonly number[], drafts: readonly ColumnDraft[]): void {
  const last = drafts.findLast(({ isAmount, profile }) => isAmount && profile.amounts > 0)
  if (!last) return
  const isBlank = (column: number) => people.every((row) => isEmptyCell(grid, row, column))
  const gap = drafts.reduce(
    (match, { index }) => {
      const before = index - 1
      const isBehindBlank = before > last.index && isBlank(before) && !drafts.some((draft) => draft.index === before)
      return match === undefined && isBehindBlank ? before : match
    },
    undefined as number | undefined,
  )
  if (gap === undefined) return
  for (const draft of drafts) {
    const { filled, rows, texts } = draft.profile
    if (draft.index < gap || draft.isAmount || !isInfo(draft.role)) continue
    const isLegend = legendPattern.test(draft.label)
    const isOfFew = filled < rows && (draft.meaning.nature === 'unknown' || draft.meaning.confidence < 0.9)
    if (!isLegend && !(isOfFew && texts * 2 >= filled)) continue
    Object.assign(draft, { role: 'ignore', isAside: true, confidence: 0.9, reason: '在表格旁边（隔着空白列），不是每个人都有' })
  }
}
const legendPattern = /图例|颜色|标注|说明|注意|提示|legend/i

/** 加班 with hours next to 加班费 with the amount: the shorter label is the count. */
export function resolveCountColumns(drafts: readonly ColumnDraft[]): void {
  const labels = new Set(drafts.flatMap(({ path }) => path.slice(-1).map(normalizeHeader)))
  for (const draft of drafts) {
    const label = normalizeHeader(draft.path.at(-1) ?? '')
    const { filled, largest, negatives } = draft.profile
    if (!draft.isAmount || !attendancePattern.test(label) || filled === 0 || negatives > 0 || largest > maxHours) continue
    if (['费', '工资', '金额', '扣款', '补贴', '薪资'].some((ending) => labels.has(label + ending)))
      Object.assign(draft, {
        role: 'info',
        isAmount: false,
        confidence: 0.8,
        reason: `${draft.reason}，旁边另有金额，这一列是时间或次数`,
      })
  }
}
const attendancePattern = /(?:加班|值班|夜班|请假|事假|病假|迟到|早退|旷工|缺勤|缺卡)$/
/** Hours in a month. */
const maxHours = 31 * 24
