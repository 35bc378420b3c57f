/** What the check asks of earlier months, read in one go: a person's usual figures, and his tax year. Only for those of whom it is asked. */
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../runtime/handle.ts'
import { withTurns } from '../../../runtime/load/turns.ts'
import type { BatchRow } from '../access.ts'
import type { After, Check, Taxed } from '../rules/check/problems.ts'
import { taxProblem } from '../rules/months/tax.ts'
import type { Understood } from '../understood.ts'
import type { AtHand } from './at-hand.ts'
import { decemberBefore, monthBack, usual_months } from './earlier-slips.ts'
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
  const highest = taxed.toSorted((a, b) => b.tax - a.tax).slice(0, Math.floor(most_slips / number))
  await learnEarlier(ctx, batch, usual, { people: usual.fresh([...wanted]), since: monthBack(month, usual_months) })
  const fresh = year.fresh(highest.map(memberOf))
  await learnEarlier(ctx, batch, year, { people: fresh, since: decemberBefore(month) })
  for (const [id, day] of await enteredOn(ctx, fresh)) year.entered.set(id, day)
  const before = usual.months().filter(({ month: one, kind }) => kind === batch.title_kind && one < (last?.month ?? month))
  const months = year.months()
  await setImmediate()
  const column = understood.columns.find(({ role }) => role === 'tax')?.key ?? ''
  const inYear = new Set(highest)
  const tax = batch.title_kind === 'monthly' ? check.taxed : []
  return {
    // Others may be known from a check before: only those who are asked about now count.
    earlier: (member_id, item) =>
      before
        .flatMap(({ figures }) => (wanted.has(member_id) && figures.has(member_id) ? [figures.of(member_id, item)] : []))
        .slice(0, usual_months - 1),
    tax: tax.flatMap((row) => {
      const isKnown = inYear.has(row) && !year.partly.has(row.member_id)
      const own = isKnown ? { months, entered: year.entered.get(row.member_id) ?? null } : null
      return taxProblem(row, month, column, own) ?? []
    }),
  }
}

const memberOf = ({ member_id }: Taxed): string => member_id

async function enteredOn(
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  people: readonly string[],
): Promise<Map<string, string | null>> {
  if (people.length === 0) return new Map()
  const rows = await db
    .selectFrom('member')
    .select(['id', 'entry_on'])
    .where('company_id', '=', company_id)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(people))))
    .execute()
  return new Map(rows.map(({ id, entry_on }) => [id, entry_on]))
}
