/**
 * Cards in people's chats say what became of their slips: read, confirmed, withdrawn. What is wanted is written down with the deed itself, and told to
 * the platform by a job. Doing that twice is harmless: the same word on the same card. Writes delivery.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { StaleMessage } from '../../../../platform/carrier.ts'
import type { Tx } from '../../../runtime/db.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { idOf } from '../../../runtime/ids.ts'
import type { JobContext } from '../../../runtime/jobs.ts'
import { composed, type Marked, type OutsideLine } from '../../../runtime/post/index.ts'
import { afterAmend, afterRecall, type CardState, type CardStep, cardStates, firstStep } from '../rules/cards.ts'
import { linkOf, sayingOf } from '../rules/message.ts'
import { gate } from '../send/claims.ts'
import { startIn } from '../send/ledger.ts'
import type { CareData, CareParts } from './care.ts'

const cards_job = 'cards'
const gathered_ms = 30_000
/** Whoever took a card and died holds it so long. */
const lease_ms = 120_000
const turn_ms = 20_000
const a_group = 20

type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }
type Asking = Here & { readonly jobs: Pick<Ctx['jobs'], 'send'> }

/** From now on the cards of these slips want to say so. What people do is told some time later, together with what others did meanwhile. */
export async function wantOnCards({ db, company_id, now, jobs }: Asking, state: CardState, salary_ids: readonly string[]) {
  if (salary_ids.length === 0) return
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set({ card_wanted: state, card_due: now, card_tries: 0 })
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .where('channel', '=', 'platform')
    .where('status', '=', 'accepted')
    .where('provider_ref', 'is not', null)
    .$if(state !== 'withdrawn', (query) => query.where(isAhead(state)))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  if (state === 'withdrawn') return jobs.send(cards_job, { company_id })
  const window = Math.floor(Date.now() / gathered_ms)
  const start_after = new Date((window + 2) * gathered_ms)
  await jobs.send(cards_job, { company_id }, { id: idOf(cards_job, company_id, String(window)), start_after })
}
/** A first look does not take back a confirmation, and nothing takes back a withdrawal. */
const isAhead = (state: CardState): RawBuilder<boolean> =>
  sql<boolean>`coalesce(card_wanted, card_shows, '') <> all(${state === 'viewed' ? ['confirmed', 'withdrawn', 'recalled'] : ['withdrawn', 'recalled']}::text[])`

/** Those that arrived although their slip was withdrawn while they were under way. */
export async function markLateCards(
  here: Asking,
  marked: readonly Pick<Marked, 'about' | 'channel' | 'status'>[],
): Promise<void> {
  const arrived = marked
    .filter(({ channel, status }) => channel === 'platform' && status === 'accepted')
    .map(({ about }) => about)
  if (arrived.length === 0) return
  const late = await here.db
    .selectFrom('salary')
    .select('id')
    .where('company_id', '=', here.company_id)
    .where('id', '=', sql<string>`any(${arrived}::uuid[])`)
    .where('status', '=', 'withdrawn')
    .execute()
  await wantOnCards(
    here,
    'withdrawn',
    late.map(({ id }) => id),
  )
}

type Card = {
  readonly id: string
  readonly batch_id: string
  readonly salary_id: string
  readonly version: number
  readonly purpose: string
  readonly ref: string
  readonly at: Date
  readonly wanted: CardState
  readonly tries: number
}
async function take({ db, company_id, now }: Here): Promise<Card[]> {
  const { rows } = await sql<Card>`
    update delivery set card_tries = card_tries + 1, card_due = ${new Date(now.getTime() + lease_ms)}
    where company_id = ${company_id} and id = any(array(
      select id from delivery where company_id = ${company_id} and card_wanted is not null and card_due <= ${now}
      order by card_due, id limit ${a_group} for update skip locked))
    returning id, batch_id, salary_id, version, purpose, provider_ref as ref, coalesce(done_at, created_at) as at, card_wanted as wanted,
      card_tries as tries`.execute(db)
  return rows
}

/** Those that somebody else writes at this moment (a batch is withdrawn, a slip is looked at) are left to him; they are taken again when they are due. */
async function write({ db, company_id, now }: Here, steps: readonly { readonly card: Card; readonly step: CardStep }[]) {
  const rows = await db
    .selectFrom('delivery')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${steps.map(({ card }) => card.id)}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .skipLocked()
    .execute()
  const free = new Set(rows.map(({ id }) => id))
  for (const { card, step } of steps) {
    if (!free.has(card.id)) continue
    const next =
      step.step === 'done'
        ? { card_wanted: null, card_due: null, card_missed: step.missed, ...(step.shows ? { card_shows: step.shows } : {}) }
        : { card_due: new Date(now.getTime() + (step.step === 'again' ? step.wait_ms : 0)) }
    await db
      .updateTable('delivery')
      .set(next)
      .where('company_id', '=', company_id)
      .where('id', '=', card.id)
      // More became known meanwhile: that is still to be told.
      .where('card_wanted', '=', card.wanted)
      .execute()
  }
}

type Told = { readonly card: Card; readonly message: StaleMessage }

/** Asks the platform for some of them, and says what follows for each. */
async function tell(line: OutsideLine | null, outdoors: JobContext['outdoors'], told: readonly Told[]) {
  const description = line?.description ?? null
  const steps = new Map<string, CardStep>(told.map(({ card }) => [card.id, firstStep(card.wanted, description)]))
  const those = (step: CardStep['step']) => told.filter(({ card }) => steps.get(card.id)?.step === step)
  const unclear = (some: readonly Told[]) => some.map(({ card: { id } }) => ({ id, result: 'unclear' as const }))
  const amended = those('amend')
  if (line && amended.length > 0) {
    const messages = amended.map(({ message }) => message)
    const outcomes = new Map(
      (await line.amend(outdoors, messages).catch(() => unclear(amended))).map((one) => [one.id, one.result]),
    )
    for (const { card } of amended)
      steps.set(card.id, afterAmend(card.wanted, outcomes.get(card.id) ?? 'unclear', card.tries, description))
  }
  const recalled = those('recall')
  if (line && recalled.length > 0) {
    const messages = recalled.map(({ message }) => message)
    const outcomes = new Map(
      (await line.recall(outdoors, messages).catch(() => unclear(recalled))).map((one) => [one.id, one.result]),
    )
    for (const { card } of recalled) steps.set(card.id, afterRecall(outcomes.get(card.id) ?? 'unclear', card.tries))
  }
  return told.map(({ card }) => ({ card, step: steps.get(card.id) ?? ({ step: 'again', wait_ms: 60_000 } as const) }))
}

/** Declares the job. */
export function openCards({ database, jobs, clock, secrets, lines, origin }: CareParts) {
  const inCompany = <T>(company_id: string, work: (here: Here) => Promise<T>): Promise<T> =>
    database.inCompany(company_id, (db) => work({ db, company_id, now: clock.now() }))

  /** As they were sent, so that a platform that wants the whole card anew gets it. */
  const some = (company_id: string): Promise<Told[]> =>
    inCompany(company_id, async (here) => {
      const cards = await take(here)
      const batches = new Map<string, Awaited<ReturnType<typeof gate>>>()
      const vault = await secrets.vault(here.db, company_id)
      for (const { batch_id } of cards)
        if (!batches.has(batch_id)) batches.set(batch_id, await gate({ ...here, batch_id, vault }, 'none'))
      return cards.map((card) => {
        const { corp_name = '', title = '' } = batches.get(card.batch_id) ?? {}
        const link = linkOf(origin, card)
        const words = composed(sayingOf({ corp_name, title, purpose: card.purpose, link }), { texts: 'whole', signature: '' })
        const { id, ref, at, wanted } = card
        const leads = wanted !== 'withdrawn'
        return { card, message: { id, to: '', ref, at, text: words?.text ?? '', link, state: cardStates[wanted], leads } }
      })
    })
  const again = (company_id: string, rest_ms: number) =>
    inCompany(company_id, ({ db }) => jobs.send(db, cards_job, { company_id }, startIn(rest_ms)))

  async function cards({ company_id }: CareData, { signal, outdoors }: Pick<JobContext, 'signal' | 'outdoors'>): Promise<void> {
    const ends = performance.now() + turn_ms
    const line = await lines.platform(company_id)
    const { count = 1, per_ms = 0 } = line?.description.pace ?? {}
    for (;;) {
      const told = await some(company_id)
      if (told.length === 0) break
      const steps = await tell(line, outdoors, told)
      await inCompany(company_id, (here) => write(here, steps))
      if (signal.aborted || performance.now() > ends) return again(company_id, 0)
      await sleep((told.length * per_ms) / count, undefined, { signal }).catch(() => undefined)
    }
    const next = await inCompany(company_id, ({ db }) =>
      db
        .selectFrom('delivery')
        .select(({ fn }) => fn.min('card_due').as('due'))
        .where('company_id', '=', company_id)
        .where('card_wanted', 'is not', null)
        .executeTakeFirst(),
    )
    if (next?.due) await again(company_id, Math.max(1_000, next.due.getTime() - clock.now().getTime()))
  }
  jobs.on<CareData>(cards_job, cards, { expire_s: 300 })
  return { cards }
}
