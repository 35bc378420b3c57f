/**
 * Explains the difference between two months' net pay, one sentence per item. The effects always add up to the
 * difference to the fen; a remainder that no item explains is stated as such. Amounts in integer fen.
 */

import { getColumnKey, type Payslip } from '../../../../contract/payslips/payslip.ts'
import { formatFen } from '../../../../contract/shared/money.ts'
import type { ColumnRole } from '../../../../contract/shared/schemas.ts'
import { isDeductionOrTax, isEarning, isGross, isNetItem, isTax } from '../../../../contract/sheets/column-roles.ts'
import { currentLaw, getAnnualBrackets } from '../../../../rules/law/tables/law.ts'

/** An item that contributes to net pay; `fen` has the sign of its effect, so deductions are negative. */
type PayItem = { readonly label: string; readonly fen: number; readonly role: ColumnRole | undefined }
export type MonthItems = {
  /** `2026-10`. */
  readonly month: string
  readonly net_fen: number
  readonly items: readonly PayItem[]
  /** 累计应纳税所得额, if the payslip shows it or the company has closed that tax period here. */
  readonly taxable_fen: number | null
  /** The month of taxation, i.e. of payment, if known. */
  readonly taxedMonth?: string
}

type PayChangeLine = {
  readonly kind: 'new' | 'gone' | 'more' | 'less' | 'rest'
  readonly label: string
  /** The effect on net pay. */
  readonly effect_fen: number
  readonly text: string
}

const normalizeLabel = (text: string): string => text.normalize('NFKC').replace(/\s+/g, '')

/**
 * Extracts a month's items from a payslip by column role. Without individual earnings, gross pay is used instead.
 * Returns null without net pay.
 */
export function getMonthItems({ net, month, groups }: Payslip, roles: ReadonlyMap<string, ColumnRole>): MonthItems | null {
  if (!net || !month) return null
  const cells = groups.flatMap((group) => group.cells).filter((cell) => cell.fen !== null)
  const getRole = ({ key }: { key: string }) => roles.get(getColumnKey(key))
  const grossCells = cells.some((cell) => isEarning(getRole(cell)))
    ? []
    : cells.filter((cell) => isGross(getRole(cell))).slice(0, 1)
  const items = [...grossCells, ...cells.filter((cell) => isNetItem(getRole(cell)))].map((cell): PayItem => {
    const role = getRole(cell)
    return {
      label: normalizeLabel(cell.label),
      fen: cell.is_deduction ? -(cell.fen ?? 0) : (cell.fen ?? 0),
      role,
    }
  })
  const taxable = cells.find(({ label }) => normalizeLabel(label).startsWith('累计应纳税所得额'))
  return { month, net_fen: net.fen, items, taxable_fen: taxable?.fen ?? null }
}

/** Merges items with the same label. */
function mergeByLabel(items: readonly PayItem[]): Map<string, PayItem> {
  const all = new Map<string, PayItem>()
  for (const item of items) {
    const existing = all.get(item.label)
    all.set(item.label, existing ? { ...existing, fen: existing.fen + item.fen } : item)
  }
  return all
}

const formatYuan = (fen: number): string => `${formatFen(fen)} 元`
const getMagnitude = (fen: number): number => Math.abs(fen)

/** Returns the tax bracket of a cumulative income (tax-rules §3), with its rate as displayed: 3%. */
function getTaxBracket(taxable_fen: number, month: string): { rate: string; over_fen: number } {
  const brackets = getAnnualBrackets(currentLaw, month)
  const at = brackets.findIndex(({ up_to }) => up_to === null || taxable_fen <= up_to)
  return { rate: `${(brackets[at]?.rate_ppm ?? 0) / 10_000}%`, over_fen: brackets[at - 1]?.up_to ?? 0 }
}

/** This applies only within one year: in January the cumulative sums restart. */
function describeBracketChange(now: MonthItems, before: MonthItems): string {
  if (now.taxable_fen === null || before.taxable_fen === null) return ''
  const getTaxYear = ({ taxedMonth, month }: MonthItems): string => (taxedMonth ?? month).slice(0, 4)
  if (getTaxYear(now) !== getTaxYear(before))
    return `：新的一年从头累计，累计应纳税所得额 ${formatYuan(now.taxable_fen)}，税率 ${getTaxBracket(now.taxable_fen, now.month).rate}`
  const [from, to] = [getTaxBracket(before.taxable_fen, before.month), getTaxBracket(now.taxable_fen, now.month)]
  if (from.rate === to.rate) return ''
  if (to.over_fen < from.over_fen)
    return `：累计应纳税所得额降到 ${formatYuan(now.taxable_fen)}，税率由 ${from.rate} 降为 ${to.rate}`
  return `：累计应纳税所得额 ${formatYuan(now.taxable_fen)}，超过了 ${formatYuan(to.over_fen)}，税率由 ${from.rate} 升为 ${to.rate}`
}

type ItemPair = { readonly label: string; readonly from: PayItem | undefined; readonly to: PayItem | undefined }

/** For deductions, the text states the amount; its sign adds nothing to the wording. */
function explainItem({ label, from, to }: ItemPair, comparedMonth: string, explanation: string): PayChangeLine | null {
  const effect_fen = (to?.fen ?? 0) - (from?.fen ?? 0)
  if (effect_fen === 0) return null
  const isOff = isDeductionOrTax((to ?? from)?.role)
  const kind = !from || from.fen === 0 ? 'new' : !to || to.fen === 0 ? 'gone' : effect_fen > 0 ? 'more' : 'less'
  const createLine = (text: string): PayChangeLine => ({ kind, label, effect_fen, text: `${text}。` })
  if (kind === 'new') {
    if (!isOff) return createLine(`新增「${label}」${formatYuan(effect_fen)}`)
    return createLine(
      effect_fen < 0
        ? `新增扣款「${label}」${formatYuan(getMagnitude(effect_fen))}${explanation}`
        : `「${label}」退回 ${formatYuan(effect_fen)}${explanation}`,
    )
  }
  if (kind === 'gone') {
    const was =
      isOff && effect_fen > 0
        ? `${comparedMonth}扣的「${label}」${formatYuan(effect_fen)}`
        : `${comparedMonth}的「${label}」${formatYuan(from?.fen ?? 0)}`
    return createLine(`${was}，这个月没有${explanation}`)
  }
  const [was, is] = isOff ? [-(from?.fen ?? 0), -(to?.fen ?? 0)] : [from?.fen ?? 0, to?.fen ?? 0]
  const verb = isOff ? (effect_fen < 0 ? '多扣' : '少扣') : effect_fen > 0 ? '多' : '少'
  return createLine(
    `「${label}」比${comparedMonth}${verb} ${formatYuan(getMagnitude(effect_fen))}（${formatFen(was)} → ${formatFen(is)}）${explanation}`,
  )
}

/** The remainder that no item explains: hidden columns, rounded amounts, corrections of net pay itself. */
function explainRemainder(remainderFen: number, comparedMonth: string): PayChangeLine[] {
  if (remainderFen === 0) return []
  const text = `没有在工资条上逐项列出的部分，合计比${comparedMonth}${remainderFen > 0 ? '多' : '少'} ${formatYuan(getMagnitude(remainderFen))}。`
  return [{ kind: 'rest', label: '其他', effect_fen: remainderFen, text }]
}

/** Formats the compared month: 2026-10 compared with 2026-09 is 上月; otherwise the month is named. */
export function formatComparedMonth(month: string, comparedMonth: string): string {
  const [year = 0, monthNumber = 0] = month.split('-').map(Number)
  const last = monthNumber === 1 ? `${year - 1}-12` : `${year}-${String(monthNumber - 1).padStart(2, '0')}`
  return comparedMonth === last ? '上月' : `${comparedMonth.slice(0, 4)}年${Number(comparedMonth.slice(5))}月`
}

/** Sorts the largest effect first and the unexplained remainder last. */
export function explainChanges(now: MonthItems, before: MonthItems): PayChangeLine[] {
  const comparedMonth = formatComparedMonth(now.month, before.month)
  const [to, from] = [mergeByLabel(now.items), mergeByLabel(before.items)]
  const labels = [...new Set([...to.keys(), ...from.keys()])]
  const lines = labels.flatMap((label) => {
    const pair = { label, from: from.get(label), to: to.get(label) }
    const isOfTax = isTax((pair.to ?? pair.from)?.role)
    return explainItem(pair, comparedMonth, isOfTax ? describeBracketChange(now, before) : '') ?? []
  })
  const explainedFen = lines.reduce((sum, { effect_fen }) => sum + effect_fen, 0)
  return [
    ...lines.toSorted((a, b) => getMagnitude(b.effect_fen) - getMagnitude(a.effect_fen)),
    ...explainRemainder(now.net_fen - before.net_fen - explainedFen, comparedMonth),
  ]
}
