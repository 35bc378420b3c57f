/**
 * Every morning, for each company that wants it: slips confirm themselves after so many days, people who have not looked are reminded,
 * and chosen people are told how it stands.
 *
 * Doing it twice a day, on two nodes or again after a crash is harmless: a slip confirms itself by compare and set; the purpose of an
 * automatic reminder names the day and nothing else, so the ledger takes it once; notices and messages about the standing have ids that
 * follow from company, person and day.
 */
import { type RawBuilder, sql } from 'kysely'
import { mayDisturb } from '../../../rules/hours.ts'
import { type Clock, dayOf } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import { type Ctx, Refusal } from '../../../runtime/handle.ts'
import { idOf } from '../../../runtime/ids.ts'
import type { JobContext, Jobs } from '../../../runtime/jobs.ts'
import { type CarrierLines, pieceCounter } from '../../../runtime/post/index.ts'
import { writeMachineAudit } from '../../../runtime/request/audit.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { allCompanies, autoConfirmation, settingOf } from '../../company/index.ts'
import { isWorkday, notify } from '../../desk/index.ts'
import { given_at, markOverdue } from '../answers.ts'
import { remindAnswers } from '../question/due.ts'
import { confirmsUpTo, givenFor, remindedOn, type Span, weekdayOf } from '../rules/care.ts'
import { type Gate, gate, type Of, piecesFor } from '../send/claims.ts'
import { remind } from '../send/remind.ts'
import { tellStanding } from './standing.ts'

export type CareParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly clock: Clock
  readonly secrets: Secrets
  readonly lines: CarrierLines
  readonly origin: string
}
export type CareData = { readonly company_id: string }
type Here = Of & Pick<Ctx, 'jobs' | 'origin' | 'pieces'>

const long = { timeout_ms: 30_000 }
const a_statement = 500

export function openCare({ database, jobs, clock, secrets, lines, origin }: CareParts) {
  const pieces = pieceCounter(lines.sms, origin)
  /** One job a company: a company with much to do, or in trouble, keeps nobody else waiting. */
  async function everyCompany(): Promise<void> {
    const companies = await allCompanies(database)
    for (let from = 0; from < companies.length; from += a_statement)
      await database.asMachine(async (tx) => {
        for (const company_id of companies.slice(from, from + a_statement)) await jobs.send(tx, 'care', { company_id })
      })
  }

  async function care({ company_id }: CareData, { signal }: JobContext): Promise<void> {
    const now = clock.now()
    const [setting, rule] = await database.inCompany(company_id, async (tx) => [
      await settingOf({ db: tx, company_id }),
      await autoConfirmation({ db: tx, company_id }),
      await remindAnswers({ db: tx, company_id, now, vault: await secrets.vault(tx, company_id) }),
    ])
    const { remind_days } = setting.confirm_rule
    const overdue = confirmsUpTo(now, rule.days)
    const today = mayDisturb(now) ? remindedOn(dayOf(now), (day) => isWorkday(day, weekdayOf(day))) : []
    const spans = today.flatMap((day) => remind_days.map((days) => givenFor(day, days)))
    if (!overdue && spans.length === 0) return
    const due = givenIn([...spans, ...(overdue ? [{ from: rule.since, to: new Date(overdue.getTime() + 1) }] : [])])
    const batches = await database.inCompany(company_id, (tx) => batchesWith(tx, company_id, due), long)
    const inBatch = (batch_id: string, fn: (here: Here, batch: Gate) => Promise<void>) =>
      database.inCompany(
        company_id,
        async (tx) => {
          const here: Here = {
            db: tx,
            company_id,
            batch_id,
            now,
            vault: await secrets.vault(tx, company_id),
            origin,
            pieces,
            jobs: { send: (name, data, options) => jobs.send(tx, name, data, options) },
          }
          // The batch is locked first, as everywhere: withdrawals and corrections come before or after.
          const batch = await gate(here, 'update')
          if (batch) await fn(here, batch)
        },
        long,
      )
    const { weChat, sms, email } = setting.send_rule
    const ways = { platform: weChat === 1, sms, email }
    for (const { id } of batches) {
      signal.throwIfAborted()
      if (overdue) await inBatch(id, (here, batch) => confirm(here, batch, rule.since, overdue))
      if (spans.length === 0) continue
      // What has just confirmed itself is not reminded any more.
      const who = { where: givenIn(spans), by: 'day' } as const
      try {
        await inBatch(id, (here, batch) => remindDue(here, batch, { ...who, ...ways }))
      } catch (error) {
        if (!(error instanceof Refusal && error.refusal === 'sms_used_up')) throw error
        await inBatch(id, async (here, batch) => {
          await remindDue(here, batch, { ...who, ...ways, sms: false })
          await saySmsUsedUp(here, batch, Number(error.data.needed) / (await piecesFor(here, id, 'remind-')))
        })
      }
    }
    signal.throwIfAborted()
    if (spans.length > 0 && setting.send_rule.remind_members.length > 0)
      await tellStanding({ database, jobs, secrets, pieces, company_id, now, setting, due: givenIn(spans) })
  }

  return { everyCompany, care }
}

const isOut = ({ status }: Gate): boolean => status === 'sending' || status === 'paused' || status === 'sent'

/** For queries on `salary`: given within one of these spans. */
const givenIn = (spans: readonly (Span | { from: Date | null; to: Date })[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(
    spans.map(({ from, to }) => sql`(${given_at} < ${to} ${from ? sql`and ${given_at} >= ${from}` : sql``})`),
    sql` or `,
  )})`

/** Batches with slips that wait for an answer and whose time has come. */
async function batchesWith(tx: Tx, company_id: string, due: RawBuilder<boolean>): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select batch.id from batch
    where batch.company_id = ${company_id} and batch.status in ('sending', 'paused', 'sent') and exists (
      select from salary where salary.company_id = ${company_id} and salary.batch_id = batch.id and salary.status in ('sent', 'viewed') and ${due})
    order by batch.created_at, batch.id`.execute(tx)
  return rows
}

async function confirm(here: Here, batch: Gate, since: Date | null, overdue: Date): Promise<void> {
  if (!isOut(batch)) return
  const confirmed = await markOverdue(here, here.batch_id, since, overdue)
  if (confirmed === 0) return
  const about = { batch_id: here.batch_id, confirmed }
  await writeMachineAudit(here.db, here.company_id, { call: 'job care: automatic confirmation', about, at: here.now })
}

async function remindDue(
  here: Here,
  batch: Gate,
  who: { where: RawBuilder<boolean>; by: 'day' } & Record<'platform' | 'sms' | 'email', boolean>,
): Promise<void> {
  // Who has paused the sending wants no messages either.
  if (!isOut(batch) || batch.status === 'paused') return
  const channels = (['platform', 'sms', 'email'] as const).filter((channel) => who[channel])
  if (channels.length === 0) return
  const where = sql<boolean>`${who.where} and salary.channel = any(${channels}::text[]) and exists (
    select from member where member.company_id = ${here.company_id} and member.id = salary.member_id and member.status <> 'left')`
  await remind(here, { id: here.batch_id, status: batch.status }, { where, by: who.by })
}

async function saySmsUsedUp(here: Here, batch: Gate, needed: number): Promise<void> {
  await notify(here, batch.owner_id, {
    id: idOf('no-sms', here.company_id, here.batch_id, dayOf(here.now)),
    kind: 'failed',
    text: `今天是「${batch.title}」的提醒日，短信余额不够，${needed} 人没有收到短信提醒；请充值后在工资条详情里提醒`,
    batch_id: here.batch_id,
  })
}
