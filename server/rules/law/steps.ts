/**
 * Calculation steps of a result: each step is one operation with its operands, so that it can be explained in Chinese
 * on a page, on a payslip or in an export, and verified independently.
 */
import { formatFen } from '../../contract/shared/money.ts'
import { type Quantity, type RoundingMode, roundToFen } from './fraction.ts'
import { getRuleSource, type LawRuleName } from './rules.ts'

/** An operand that is added (1) or subtracted (-1). */
export type Term = { readonly sign: 1 | -1; readonly name: string; readonly value: Quantity }
export type StepFormula =
  /** An input value, or a value of a table. */
  | { readonly kind: 'given'; readonly note?: string | undefined }
  /** Sum of terms; with `floor`, negative results become zero. */
  | { readonly kind: 'sum'; readonly terms: readonly Term[]; readonly floor: boolean }
  | { readonly kind: 'least' | 'most'; readonly terms: readonly Term[] }
  /** Multiplied or divided by a count: months, parts, days, shares. */
  | { readonly kind: 'times'; readonly base: Term; readonly by: Quantity; readonly over: Quantity }
  /** A percentage; rounded if `unit_fen` says so. */
  | {
      readonly kind: 'part'
      readonly base: Term
      readonly rate_ppm: number
      readonly unit_fen: number | null
      readonly mode: RoundingMode
    }
  /** (base × rate − quick) × times, rounded half up to the fen. */
  | {
      readonly kind: 'tax'
      readonly base: Term
      readonly rate_ppm: number
      readonly quick_fen: number
      readonly times: number
    }
export type Step = { readonly rule: LawRuleName; readonly name: string; readonly result: Quantity; readonly formula: StepFormula }

export const plusTerm = (name: string, value: Quantity): Term => ({ sign: 1, name, value })
export const minusTerm = (name: string, value: Quantity): Term => ({ sign: -1, name, value })

const formatQuantity = (value: Quantity): string => formatFen(roundToFen(value))
/** Formats parts per million as a percentage without floating point: 100000 → `10%`. */
export function formatPercent(rate_ppm: number): string {
  const digits = String(rate_ppm).padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/\.?0+$/, '').concat('%')
}
/** Formats a count, not an amount: 20, 20.5, 3333.3333. */
function formatNumber(value: Quantity): string {
  if (typeof value === 'number') return String(value)
  const digits = formatFen(value.times(10_000).rounded()).replaceAll(',', '').replace('.', '').padStart(5, '0')
  const [integerPart, rest] = [digits.slice(0, -6) || '0', digits.slice(-6)]
  return `${integerPart}.${rest}`.replace(/\.?0+$/, '')
}
const formatTerm = ({ name, value }: Term): string => `${name} ${formatQuantity(value)}`
const formatTerms = (terms: readonly Term[]): string =>
  terms.map((term, at) => `${at > 0 || term.sign < 0 ? (term.sign < 0 ? ' − ' : ' + ') : ''}${formatTerm(term)}`).join('')

function formatFormula({ formula, result }: Step): string {
  switch (formula.kind) {
    case 'given':
      return formula.note === undefined ? '' : `（${formula.note}）`
    case 'sum':
      return ` = ${formatTerms(formula.terms)}${formula.floor && roundToFen(result) === 0 ? '（低于零按零计）' : ''}`
    case 'least':
    case 'most':
      return ` = ${formula.terms.map(formatTerm).join(' 与 ')} 中${formula.kind === 'least' ? '较小' : '较大'}的`
    case 'times':
      return ` = ${formatTerm(formula.base)}${formula.by === 1 ? '' : ` × ${formatNumber(formula.by)}`}${formula.over === 1 ? '' : ` ÷ ${formatNumber(formula.over)}`}`
    case 'part':
      return ` = ${formatTerm(formula.base)} × ${formatPercent(formula.rate_ppm)}${formula.unit_fen === null ? '' : formatRounding(formula.unit_fen, formula.mode)}`
    case 'tax': {
      const quick = formula.quick_fen ? ` − 速算扣除数 ${formatFen(formula.quick_fen)}` : ''
      const inner = `${formatTerm(formula.base)} × ${formatPercent(formula.rate_ppm)}${quick}`
      return formula.times === 1 ? ` = ${inner}` : ` = （${inner}）× ${formula.times}`
    }
  }
}
const roundingLabels: Readonly<Record<RoundingMode, string>> = { half_up: '四舍五入', up: '进位', down: '舍去' }
const formatRounding = (unit_fen: number, mode: RoundingMode): string =>
  unit_fen === 1 && mode === 'half_up' ? '' : `（${roundingLabels[mode]}到 ${formatFen(unit_fen)} 元）`

/** Formats a step in Chinese, with its legal source. */
export const formatStep = (step: Step): string =>
  `${step.name} ${formatQuantity(step.result)}${formatFormula(step)}；依据：${getRuleSource(step.rule)}`
