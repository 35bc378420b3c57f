/** Runs the rules over a batch: reads its rows, the roster and the run before; keeps what follows (status, totals). */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod/mini'
import type { counts, Problem } from '../../../contract/sheet/sheet.ts'
import { isWages, lacks, openOf } from '../../../contract/words/states.ts'
import type { ProblemKind } from '../../../contract/words/words.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { withTurns } from '../../../runtime/load/turns.ts'
import { roster } from '../../member/index.ts'
import { type BatchRow, setBatchStatus } from '../access.ts'
import { rowSigns, rowsAt, rowsOf, type StoredRow } from '../rows/stored-rows.ts'
import { speaksFor } from '../rules/check/beside-last.ts'
import { platformAccount } from '../rules/check/beside-owned.ts'
import { type Person, Roster } from '../rules/check/matching.ts'
import { type Around, Check, type Checked } from '../rules/check/problems.ts'
import type { CheckOutcome } from '../rules/outcome.ts'
import { type Understood, understoodOf } from '../understood.ts'
import { AtHand, isKeepable, putAtHand, type ReadRow, takeAtHand } from './at-hand.ts'
import type { Ground } from './ground.ts'
import { alreadyPaid, type CompanyRun, companyRun, type LastRun, lastRun } from './last-run.ts'
import { monthsBefore } from './months-before.ts'
import { Content, type KeptTotals, sameFile, sealTotals, totalsOf } from './same-file.ts'
import { factsOf } from './sheet-facts.ts'

/** Names of people who are new or missing. */
const most_names = 500

export type CheckCounts = z.infer<typeof counts>

/** The roster of the company in the form that the rules ask for. */
export async function peopleOf(ctx: Pick<Ctx, 'db' | 'me' | 'company_id' | 'now'>): Promise<Person[]> {
  const all = await roster(ctx)
  return all.map(({ id_card_index, bank_account_index, platform_accounts, ...person }) => ({
    ...person,
    platform_accounts: platform_accounts.map(({ provider, user_id }) => platformAccount(provider, user_id)),
    id_card_index: id_card_index?.toString('hex') ?? null,
    bank_account_index: bank_account_index?.toString('hex') ?? null,
  }))
}

/** Checks every row: those that were read before as they were read, where what they stand on is the same. */
export async function workOut(ctx: Ctx, batch: BatchRow, { around, digest, signs }: Ground): Promise<CheckOutcome> {
  const understood = understoodOf(ctx, batch)
  const isKept = isKeepable(understood.rows, understood.columns.length)
  const hand = takeAtHand(ctx, batch, around) ?? (await begun(ctx, batch, understood, around))
  const { last } = hand
  const check = new Check({ ...hand.sheet, accepted: batch.accepted }, hand.beside, hand.reader, hand.comparison)
  const summed = new Content()
  // Where no row is at hand each comes with what it is known by.
  const known = isKept && hand.rows.size > 0 ? (signs ?? (await rowSigns(ctx, batch.id)).of) : null
  for await (const page of readRows(ctx, batch.id, hand, { known, isKept }))
    for (const { reading, content } of page) {
      check.take(reading)
      summed.add(content)
    }
  await setImmediate()
  const company = await besideCompany(ctx, batch, check, hand)
  const content = `${summed}`
  const same_file = await sameFile(ctx, batch, content)
  const before = await monthsBefore(ctx, batch, understood, check, hand)
  const checked = await withTurns(check.finishing({ same_file, ...before }))
  const people = hand.beside.roster.people
  const outcome = { checked, ...besideLast(checked, people, last), beside_others: seenBy(company), same_file, content }
  hand.done = { ground: digest, outcome }
  if (isKept) putAtHand(ctx, batch, hand)
  return outcome
}

/** All that is asked of every row, before the first of them. */
async function begun(ctx: Ctx, batch: BatchRow, understood: Understood, around: string): Promise<AtHand> {
  const { vault } = ctx
  const people = await peopleOf(ctx)
  const last = await lastRun(ctx, batch)
  const cards = new Map<string, string>()
  const beside: Around = {
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
  }
  return new AtHand(around, factsOf(ctx, batch, understood), beside, last)
}

/** A row for each of this list; the database is asked for those that changed. */
const most_changed = 500
const a_turn = 2_000

/** The rows in their order. They are known by what their sealed cells begin with: what was written meanwhile is read, the others are as they were. */
async function* readRows(
  ctx: Ctx,
  batch_id: string,
  { reader, rows }: AtHand,
  { known, isKept }: { known: ReadonlyMap<number, string> | null; isKept: boolean },
): AsyncGenerator<ReadRow[]> {
  const readOf = (sign: string, row: StoredRow): ReadRow => ({
    sign,
    reading: reader.read(row),
    content: Content.of(row.cells),
  })
  const signs = known ?? new Map<number, string>()
  for (const row of rows.keys()) if (!signs.has(row)) rows.delete(row)
  const changed = [...signs].flatMap(([row, sign]) => (rows.get(row)?.sign === sign ? [] : [row]))
  if (!known || changed.length > most_changed) {
    rows.clear()
    for await (const page of rowsOf(ctx, batch_id)) {
      const read = page.map((row) => readOf(row.sign, row))
      if (isKept) for (const one of read) rows.set(one.reading.present.row, one)
      yield read
    }
    return
  }
  for (const row of await rowsAt(ctx, batch_id, changed)) rows.set(row.row, readOf(signs.get(row.row) ?? '', row))
  const all = [...signs.keys()].flatMap((row) => rows.get(row) ?? [])
  for (let from = 0; from < all.length; from += a_turn) {
    yield all.slice(from, from + a_turn)
    await setImmediate()
  }
}

/** Runs of others are counted where whoever checks may not see them. */
const seenBy = (company: CompanyRun | null): number | null => (company?.isUnseen ? company.figures.people().size : null)

/** Where the administrator's own last run does not speak for the sheet, what the company knows of these people does. */
async function besideCompany(ctx: Ctx, batch: BatchRow, check: Check, hand: AtHand): Promise<CompanyRun | null> {
  const people = check.people()
  if (hand.last && speaksFor(people, hand.last.figures.has)) return null
  if (!hand.company || !isDeepStrictEqual(hand.company.people, people))
    hand.company = { people, run: await companyRun(ctx, batch, people) }
  const { run } = hand.company
  if (run) check.turnTo(run.figures, run.isUnseen)
  return run
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

export function countsOf(status: BatchRow['status'], { checked, last }: CheckOutcome): CheckCounts {
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
