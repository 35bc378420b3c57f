/**
 * How a figure came about: each step is one operation with what went into it, so that it can be said in Chinese on a page, on a slip or in an
 * export, and worked out again by anybody.
 */
import { formatFen } from '../../contract/words/money.ts'
import { type Quantity, type Rounding, shown } from './exact.ts'
import { type RuleName, sourceOf } from './rules.ts'

/** What is added (1) or taken off (-1). */
export type Term = { readonly sign: 1 | -1; readonly name: string; readonly of: Quantity }
export type How =
  /** Told by somebody, or a figure of a table. */
  | { readonly does: 'given'; readonly note?: string | undefined }
  /** Terms together; `floor`: below zero is zero. */
  | { readonly does: 'sum'; readonly terms: readonly Term[]; readonly floor: boolean }
  | { readonly does: 'least' | 'most'; readonly terms: readonly Term[] }
  /** So many times, or by so many: months, parts, days, shares. */
  | { readonly does: 'times'; readonly base: Term; readonly by: Quantity; readonly over: Quantity }
  /** A share; rounded where `unit_fen` says so. */
  | {
      readonly does: 'part'
      readonly base: Term
      readonly rate_ppm: number
      readonly unit_fen: number | null
      readonly mode: Rounding
    }
  /** (base × rate − quick) × times, rounded half up to the fen. */
  | {
      readonly does: 'tax'
      readonly base: Term
      readonly rate_ppm: number
      readonly quick_fen: number
      readonly times: number
    }
export type Step = { readonly rule: RuleName; readonly name: string; readonly result: Quantity; readonly how: How }

export const plus = (name: string, of: Quantity): Term => ({ sign: 1, name, of })
export const less = (name: string, of: Quantity): Term => ({ sign: -1, name, of })

const amount = (value: Quantity): string => formatFen(shown(value))
/** 100000 → `10%`, digit by digit. */
export function percent(rate_ppm: number): string {
  const digits = String(rate_ppm).padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/\.?0+$/, '').concat('%')
}
/** How many, not how much: 20, 20.5, 3333.3333. */
function plain(value: Quantity): string {
  if (typeof value === 'number') return String(value)
  const digits = formatFen(value.times(10_000).rounded()).replaceAll(',', '').replace('.', '').padStart(5, '0')
  const [whole, rest] = [digits.slice(0, -6) || '0', digits.slice(-6)]
  return `${whole}.${rest}`.replace(/\.?0+$/, '')
}
const written = ({ name, of }: Term): string => `${name} ${amount(of)}`
const joined = (terms: readonly Term[]): string =>
  terms.map((term, at) => `${at > 0 || term.sign < 0 ? (term.sign < 0 ? ' − ' : ' + ') : ''}${written(term)}`).join('')

function saidHow({ how, result }: Step): string {
  switch (how.does) {
    case 'given':
      return how.note === undefined ? '' : `（${how.note}）`
    case 'sum':
      return ` = ${joined(how.terms)}${how.floor && shown(result) === 0 ? '（低于零按零计）' : ''}`
    case 'least':
    case 'most':
      return ` = ${how.terms.map(written).join(' 与 ')} 中${how.does === 'least' ? '较小' : '较大'}的`
    case 'times':
      return ` = ${written(how.base)}${how.by === 1 ? '' : ` × ${plain(how.by)}`}${how.over === 1 ? '' : ` ÷ ${plain(how.over)}`}`
    case 'part':
      return ` = ${written(how.base)} × ${percent(how.rate_ppm)}${how.unit_fen === null ? '' : rounded(how.unit_fen, how.mode)}`
    case 'tax': {
      const quick = how.quick_fen ? ` − 速算扣除数 ${formatFen(how.quick_fen)}` : ''
      const inner = `${written(how.base)} × ${percent(how.rate_ppm)}${quick}`
      return how.times === 1 ? ` = ${inner}` : ` = （${inner}）× ${how.times}`
    }
  }
}
const roundingWords: Readonly<Record<Rounding, string>> = { half_up: '四舍五入', up: '进位', down: '舍去' }
const rounded = (unit_fen: number, mode: Rounding): string =>
  unit_fen === 1 && mode === 'half_up' ? '' : `（${roundingWords[mode]}到 ${formatFen(unit_fen)} 元）`

/** A step in Chinese, with the paragraph it rests on. */
export const said = (step: Step): string => `${step.name} ${amount(step.result)}${saidHow(step)}；依据：${sourceOf(step.rule)}`
