/**
 * Why a net pay is another one than before, item by item: a sentence each. Whatever the two slips show, the effects add up to the difference to the fen;
 * what no item tells is said as such. Amounts in integer fen.
 */

import { columnKeyOf, type Slip } from '../../../contract/slip/payslip.ts'
import { formatFen } from '../../../contract/words/money.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import { annualLevels, statutes } from '../../../rules/law/tables/law.ts'

/** An item that makes the net pay; `fen` as it counts: what is taken off is negative. */
type Item = { readonly label: string; readonly fen: number; readonly role: 'earning' | 'deduction' | 'tax' }
export type MonthItems = {
  /** `2026-10`. */
  readonly month: string
  readonly net_fen: number
  readonly items: readonly Item[]
  /** 累计应纳税所得额, where the slip shows it, or the company has closed that month of tax here. */
  readonly taxable_fen: number | null
  /** In which month it is taxed, where that is known: it was paid then. */
  readonly taxed_in?: string
}

type ChangeLine = {
  readonly kind: 'new' | 'gone' | 'more' | 'less' | 'rest'
  readonly label: string
  /** What it does to the net pay. */
  readonly effect_fen: number
  readonly text: string
}

const counted: ReadonlySet<ColumnRole> = new Set(['earning', 'deduction', 'tax'])
const labelOf = (text: string): string => text.normalize('NFKC').replace(/\s+/g, '')

/** What a slip shows of a month, by what its columns are for. Where no single earning is shown, gross pay stands for them. Null without a net pay. */
export function monthItemsOf({ net, month, groups }: Slip, roles: ReadonlyMap<string, ColumnRole>): MonthItems | null {
  if (!net || !month) return null
  const cells = groups.flatMap((group) => group.cells).filter((cell) => cell.fen !== null)
  const roleOf = ({ key }: { key: string }): ColumnRole => roles.get(columnKeyOf(key)) ?? 'info'
  const taking = (role: ColumnRole) => cells.filter((cell) => roleOf(cell) === role)
  const some = taking('earning').length > 0 ? [] : taking('gross').slice(0, 1)
  const items = [...some, ...cells.filter((cell) => counted.has(roleOf(cell)))].map((cell): Item => {
    const role = roleOf(cell)
    return {
      label: labelOf(cell.label),
      fen: cell.minus ? -(cell.fen ?? 0) : (cell.fen ?? 0),
      role: role === 'deduction' || role === 'tax' ? role : 'earning',
    }
  })
  const taxable = cells.find(({ label }) => labelOf(label).startsWith('累计应纳税所得额'))
  return { month, net_fen: net.fen, items, taxable_fen: taxable?.fen ?? null }
}

/** Items of one name are one. */
function byLabel(items: readonly Item[]): Map<string, Item> {
  const all = new Map<string, Item>()
  for (const item of items) {
    const before = all.get(item.label)
    all.set(item.label, before ? { ...before, fen: before.fen + item.fen } : item)
  }
  return all
}

const yuan = (fen: number): string => `${formatFen(fen)} 元`
const size = (fen: number): number => Math.abs(fen)

/** The level that a cumulative income is taxed at (tax-rules §3), as people say it: 3%. */
function levelOf(taxable_fen: number, month: string): { rate: string; over_fen: number } {
  const levels = annualLevels(statutes, month)
  const at = levels.findIndex(({ up_to }) => up_to === null || taxable_fen <= up_to)
  return { rate: `${(levels[at]?.rate_ppm ?? 0) / 10_000}%`, over_fen: levels[at - 1]?.up_to ?? 0 }
}

/** Within one year only: in January the sums begin anew. */
function crossed(now: MonthItems, before: MonthItems): string {
  if (now.taxable_fen === null || before.taxable_fen === null) return ''
  const yearOf = ({ taxed_in, month }: MonthItems): string => (taxed_in ?? month).slice(0, 4)
  if (yearOf(now) !== yearOf(before))
    return `：新的一年从头累计，累计应纳税所得额 ${yuan(now.taxable_fen)}，税率 ${levelOf(now.taxable_fen, now.month).rate}`
  const [from, to] = [levelOf(before.taxable_fen, before.month), levelOf(now.taxable_fen, now.month)]
  if (from.rate === to.rate) return ''
  if (to.over_fen < from.over_fen) return `：累计应纳税所得额降到 ${yuan(now.taxable_fen)}，税率由 ${from.rate} 降为 ${to.rate}`
  return `：累计应纳税所得额 ${yuan(now.taxable_fen)}，超过了 ${yuan(to.over_fen)}，税率由 ${from.rate} 升为 ${to.rate}`
}

type Pair = { readonly label: string; readonly from: Item | undefined; readonly to: Item | undefined }

/** Of what is taken off people say how much; its sign says nothing that the words do not. */
function lineOf({ label, from, to }: Pair, since: string, why: string): ChangeLine | null {
  const effect_fen = (to?.fen ?? 0) - (from?.fen ?? 0)
  if (effect_fen === 0) return null
  const isOff = (to ?? from)?.role !== 'earning'
  const kind = !from || from.fen === 0 ? 'new' : !to || to.fen === 0 ? 'gone' : effect_fen > 0 ? 'more' : 'less'
  const told = (text: string): ChangeLine => ({ kind, label, effect_fen, text: `${text}。` })
  if (kind === 'new') {
    if (!isOff) return told(`新增「${label}」${yuan(effect_fen)}`)
    return told(
      effect_fen < 0 ? `新增扣款「${label}」${yuan(size(effect_fen))}${why}` : `「${label}」退回 ${yuan(effect_fen)}${why}`,
    )
  }
  if (kind === 'gone') {
    const was =
      isOff && effect_fen > 0 ? `${since}扣的「${label}」${yuan(effect_fen)}` : `${since}的「${label}」${yuan(from?.fen ?? 0)}`
    return told(`${was}，这个月没有${why}`)
  }
  const [was, is] = isOff ? [-(from?.fen ?? 0), -(to?.fen ?? 0)] : [from?.fen ?? 0, to?.fen ?? 0]
  const word = isOff ? (effect_fen < 0 ? '多扣' : '少扣') : effect_fen > 0 ? '多' : '少'
  return told(`「${label}」比${since}${word} ${yuan(size(effect_fen))}（${formatFen(was)} → ${formatFen(is)}）${why}`)
}

/** What the items do not tell: hidden columns, amounts that the sheet rounds, corrections of the net pay itself. */
function restOf(rest: number, since: string): ChangeLine[] {
  if (rest === 0) return []
  const text = `没有在工资条上逐项列出的部分，合计比${since}${rest > 0 ? '多' : '少'} ${yuan(size(rest))}。`
  return [{ kind: 'rest', label: '其他', effect_fen: rest, text }]
}

/** 2026-10 → 2026-09 is 上月; else the month is named. */
export function sinceWord(now: string, before: string): string {
  const [year = 0, month = 0] = now.split('-').map(Number)
  const last = month === 1 ? `${year - 1}-12` : `${year}-${String(month - 1).padStart(2, '0')}`
  return before === last ? '上月' : `${before.slice(0, 4)}年${Number(before.slice(5))}月`
}

/** The largest effect first, what no item tells last. */
export function explain(now: MonthItems, before: MonthItems): ChangeLine[] {
  const since = sinceWord(now.month, before.month)
  const [to, from] = [byLabel(now.items), byLabel(before.items)]
  const labels = [...new Set([...to.keys(), ...from.keys()])]
  const lines = labels.flatMap((label) => {
    const pair = { label, from: from.get(label), to: to.get(label) }
    const isTax = (pair.to ?? pair.from)?.role === 'tax'
    return lineOf(pair, since, isTax ? crossed(now, before) : '') ?? []
  })
  const told = lines.reduce((sum, { effect_fen }) => sum + effect_fen, 0)
  return [
    ...lines.toSorted((a, b) => size(b.effect_fen) - size(a.effect_fen)),
    ...restOf(now.net_fen - before.net_fen - told, since),
  ]
}
