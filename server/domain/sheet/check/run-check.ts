/** Runs the rules over a batch: reads its rows, the roster and the run before; keeps what follows (status, totals). */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod/mini'
import type { counts, Problem } from '../../../contract/sheet.ts'
import { isWages, lacks, openOf } from '../../../contract/states.ts'
import type { ProblemKind } from '../../../contract/words.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { withTurns } from '../../../runtime/load/turns.ts'
import { roster } from '../../member/index.ts'
import { type BatchRow, setBatchStatus } from '../access.ts'
import { speaksFor } from '../rules/check/beside-last.ts'
import { platformAccount } from '../rules/check/beside-owned.ts'
import { type Person, Roster } from '../rules/check/matching.ts'
import { Check, type Checked } from '../rules/check/problems.ts'
import type { CheckOutcome } from '../rules/outcome.ts'
import { rowsOf } from '../stored-rows.ts'
import { understoodOf } from '../understood.ts'
import { alreadyPaid, type CompanyRun, companyRun, type LastRun, lastRun } from './last-run.ts'
import { monthsBefore } from './months-before.ts'
import { Content, type KeptTotals, sameFile, sealTotals, totalsOf } from './same-file.ts'
import { factsOf } from './sheet-facts.ts'

/** Names of people who are new or missing. */
const most_names = 500

export type Counts = z.infer<typeof counts>

/** The roster of the company in the form that the rules ask for. */
export async function peopleOf(ctx: Pick<Ctx, 'db' | 'me' | 'company_id'>): Promise<Person[]> {
  const all = await roster(ctx)
  return all.map(({ id_card_index, bank_account_index, platform_accounts, ...person }) => ({
    ...person,
    platform_accounts: platform_accounts.map(({ provider, user_id }) => platformAccount(provider, user_id)),
    id_card_index: id_card_index?.toString('hex') ?? null,
    bank_account_index: bank_account_index?.toString('hex') ?? null,
  }))
}

/** Checks every row. */
export async function workOut(ctx: Ctx, batch: BatchRow): Promise<CheckOutcome> {
  const { vault } = ctx
  const understood = understoodOf(ctx, batch)
  const people = await peopleOf(ctx)
  const last = await lastRun(ctx, batch)
  const cards = new Map<string, string>()
  const check = new Check(factsOf(ctx, batch, understood), {
    roster: new Roster(people),
    last: last?.figures ?? null,
    already: await alreadyPaid(ctx, batch),
    idCardIndex(id_card) {
      const known = cards.get(id_card)
      if (known !== undefined) return known
      const index = vault.index('id_card', id_card).toString('hex')
      cards.set(id_card, index)
      return index
    },
    cardIndex: (card) => vault.index('bank_account', card).toString('hex'),
  })
  const summed = new Content()
  for await (const page of rowsOf(ctx, batch.id)) {
    for (const row of page) {
      check.add(row)
      summed.add(row.cells)
    }
  }
  await setImmediate()
  const company = await besideCompany(ctx, batch, check, last)
  const content = `${summed}`
  const same_file = await sameFile(ctx, batch, content)
  const before = await monthsBefore(ctx, batch, understood, check, last)
  const checked = await withTurns(check.finishing({ same_file, ...before }))
  return { checked, ...besideLast(checked, people, last), beside_others: seenBy(company), same_file, content }
}

/** Runs of others are counted where whoever checks may not see them. */
const seenBy = (company: CompanyRun | null): number | null => (company?.isUnseen ? company.figures.people().size : null)

/** Where the administrator's own last run does not speak for the sheet, what the company knows of these people does. */
async function besideCompany(ctx: Ctx, batch: BatchRow, check: Check, last: LastRun | null): Promise<CompanyRun | null> {
  const people = check.people()
  if (last && speaksFor(people, last.figures.has)) return null
  const company = await companyRun(ctx, batch, people)
  if (company) check.turnTo(company.figures, company.isUnseen)
  return company
}

/** The last run in figures; who is known to it, who is new beside it, and who is missing. */
function besideLast(
  { rows }: Checked,
  people: readonly Person[],
  last: LastRun | null,
): Pick<CheckOutcome, 'last' | 'known' | 'joined' | 'missing'> {
  if (!last) return { last: null, known: new Set(), joined: [], missing: [] }
  const { figures, ...told } = last
  const found = rows.filter(({ member_id }) => member_id !== null)
  const known = found.filter(({ member_id }) => figures.has(member_id ?? ''))
  const here = new Set(found.flatMap(({ skipped, member_id }) => (skipped ? [] : [member_id])))
  const joined = found.filter(({ skipped, member_id }) => !skipped && !figures.has(member_id ?? ''))
  const missing = people.filter((person) => person.in_scope && figures.has(person.id) && !here.has(person.id))
  return {
    last: told,
    known: new Set(known.map(({ row }) => row)),
    joined: joined.slice(0, most_names).map(({ name }) => ({ name })),
    missing: missing.slice(0, most_names).map(({ id, name }) => ({ member_id: id, name })),
  }
}

/**
 * Keeps the outcome with the batch: `checked` when no error is left, nothing that must be answered is open, it was not said to be no wage
 * sheet, and it has a title, a column that says who, and a net column or the word that there is none; else `draft`.
 * `updated_at` moves only with the status: looking at a batch is no change of it. Answers the status.
 */
export async function keepOutcome(ctx: Ctx, batch: BatchRow, { checked, content }: CheckOutcome): Promise<BatchRow['status']> {
  const { db, company_id, vault } = ctx
  const understood = understoodOf(ctx, batch)
  if (batch.status !== 'draft' && batch.status !== 'checked') return batch.status
  const ready =
    batch.title_id !== null &&
    openOf(understood) === 0 &&
    isWages(understood) === true &&
    lacks(understood).length === 0 &&
    checked.totals.people > 0 &&
    !checked.problems.some((problem) => problem.level === 'error')
  const status = ready ? 'checked' : 'draft'
  const totals: KeptTotals = { ...checked.totals, content }
  // Whoever only looks writes nothing.
  const kept = totalsOf(ctx, batch)
  if (status === batch.status && batch.people === totals.people && isDeepStrictEqual(kept, totals)) return status
  const fields = { people: totals.people, totals: sealTotals(vault, batch.id, totals) }
  if (status !== batch.status)
    return (await setBatchStatus(ctx, batch.id, [batch.status], status, fields)) ? status : batch.status
  await db.updateTable('batch').set(fields).where('company_id', '=', company_id).where('id', '=', batch.id).execute()
  return status
}

export function countsOf(status: BatchRow['status'], { checked, last }: CheckOutcome): Counts {
  const { problems, rows, totals, skipped } = checked
  const kinds = new Map<string, { kind: ProblemKind; level: Problem['level']; count: number }>()
  for (const { kind, level } of problems) {
    const line = kinds.get(`${level}:${kind}`)
    if (line) line.count += 1
    else kinds.set(`${level}:${kind}`, { kind, level, count: 1 })
  }
  const errors = problems.filter((problem) => problem.level === 'error').length
  return {
    status,
    rows: rows.length,
    skipped,
    errors,
    warnings: problems.length - errors,
    totals,
    last,
    kinds: [...kinds.values()].sort((a, b) => (a.level === b.level ? b.count - a.count : a.level === 'error' ? -1 : 1)),
  }
}
