/** What the check asks of earlier months, read in one go: a person's usual figures, and his tax year. Only for those of whom it is asked. */
import { setImmediate } from 'node:timers/promises'
import type { KnownTaxYear } from '../../../rules/law/wages/known-year.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { withTurns } from '../../../runtime/load/turns.ts'
import { employedOf } from '../../member/index.ts'
import type { BatchRow } from '../access.ts'
import type { After, Check, Taxed } from '../rules/check/problems.ts'
import { taxProblem } from '../rules/months/tax.ts'
import type { Understood } from '../understood.ts'
import type { AtHand } from './at-hand.ts'
import { decemberBefore, EarlierKnown, monthBack, usual_months } from './earlier-slips.ts'
import { learnEarlier } from './last-run.ts'

/** Slips that are read at most for each question: those with the highest tax, those who stand out. A second of work for ten thousand people. */
const most_slips = 20_000

export async function monthsBefore(
  ctx: Pick<Ctx, 'db' | 'me' | 'company_id' | 'vault'>,
  batch: BatchRow,
  understood: Understood,
  check: Check,
  { last, usual, year }: AtHand,
): Promise<Pick<After, 'earlier' | 'tax'>> {
  const month = batch.title_month
  if (!month) return { earlier: () => [], tax: [] }
  const wanted = new Set([...(await withTurns(check.wanted()))].slice(0, Math.floor(most_slips / usual_months)))
  const taxed = batch.title_kind === 'monthly' ? check.taxed.filter(({ cumulative }) => cumulative === null) : []
  const number = Number(month.slice(5))
  // In January there is nothing before but a December.
  const kept = await keptOf(ctx, { batch, month, taxed })
  const isClosed = ({ member_id }: Taxed) => kept.get(member_id)?.every(({ is_closed }) => is_closed) ?? false
  // Without deductions that are known nobody can have paid too little: who paid nothing is not asked about.
  const slipped = taxed.filter((row) => !isClosed(row) && (row.tax !== 0 || kept.has(row.member_id)))
  // Whose deductions are known may have paid too little too: they are asked about first.
  const first = ({ member_id }: Taxed) => (kept.has(member_id) ? 1 : 0)
  const highest = slipped.toSorted((a, b) => first(b) - first(a) || b.tax - a.tax).slice(0, Math.floor(most_slips / number))
  // Of whom every month is closed only what else is paid in this one is asked.
  const same = new EarlierKnown()
  const closed = taxed.filter(isClosed)
  await learnEarlier(ctx, batch, same, { people: same.fresh(closed.map(memberOf)), since: month })
  await learnEarlier(ctx, batch, usual, { people: usual.fresh([...wanted]), since: monthBack(month, usual_months) })
  const fresh = year.fresh(highest.map(memberOf))
  await learnEarlier(ctx, batch, year, { people: fresh, since: decemberBefore(month) })
  for (const [id, { entry_on }] of await employedOf(ctx, fresh)) year.entered.set(id, entry_on)
  const before = usual.months().filter(({ month: one, kind }) => kind === batch.title_kind && one < (last?.month ?? month))
  const [months, sameMonth] = [year.months(), same.months()]
  await setImmediate()
  const column = understood.columns.find(({ role }) => role === 'tax')?.key ?? ''
  const [inYear, inSame] = [new Set(highest), new Set(closed)]
  const tax = batch.title_kind === 'monthly' ? check.taxed : []
  return {
    // Others may be known from a check before: only those who are asked about now count.
    earlier: (member_id, item) =>
      before
        .flatMap(({ figures }) => (wanted.has(member_id) && figures.has(member_id) ? [figures.of(member_id, item)] : []))
        .slice(0, usual_months - 1),
    tax: tax.flatMap((row) => {
      const { member_id } = row
      const own = kept.get(member_id)
      if (inSame.has(row) && own && !same.partly.has(member_id))
        return taxProblem(row, month, column, { months: sameMonth, entered: null, kept: own }) ?? []
      const isKnown = inYear.has(row) && !year.partly.has(member_id)
      return (
        taxProblem(row, month, column, isKnown ? { months, entered: year.entered.get(member_id) ?? null, kept: own } : null) ?? []
      )
    }),
  }
}

type Asked = { readonly batch: BatchRow; readonly month: string; readonly taxed: readonly Taxed[] }
/** What is kept of these people's tax: of whoever earns most, where they are more than can be asked about. */
async function keptOf(
  ctx: Pick<Ctx, 'db' | 'me' | 'company_id' | 'vault'>,
  { batch, month, taxed }: Asked,
): Promise<ReadonlyMap<string, readonly KnownTaxYear[]>> {
  if (taxed.length === 0) return new Map()
  const most = taxed.toSorted((a, b) => (b.gross ?? 0) - (a.gross ?? 0)).slice(0, most_slips / 2)
  const insured = taxed.every(({ wages }) => wages?.special === null)
  return keeper.of(ctx, { id: batch.id, month }, { people: [...new Set(most.map(memberOf))], insured })
}

const memberOf = ({ member_id }: Taxed): string => member_id

type TaxHere = Pick<Ctx, 'db' | 'company_id' | 'vault'>
/** `insured`: of whom the sheet has no insurance, so that his scheme has to say it. */
export type TaxAsked = { readonly people: readonly string[]; readonly insured: boolean }
/**
 * What the company keeps of people's tax beside its slips: months that are closed, deductions, what was said of a year. Tax knows sheets, and sheets do
 * not know tax: it is told to them when the server starts.
 */
export type TaxKeeper = {
  /** Of all that `of` can say; another one when something of it changed. */
  digest(ctx: TaxHere): Promise<string>
  /** By person, a line for each month in which the run may be paid. Of whom nothing certain is known there is none. */
  of(
    ctx: TaxHere,
    run: Pick<BatchRow, 'id'> & { readonly month: string },
    asked: TaxAsked,
  ): Promise<Map<string, readonly KnownTaxYear[]>>
}
let keeper: TaxKeeper = { digest: async () => '', of: async () => new Map() }
export const tellKeptTax = (told: TaxKeeper): void => void (keeper = told)

export const keptTaxDigest = (ctx: TaxHere): Promise<string> => keeper.digest(ctx)
