/** The job `send`: what a batch has in the ledger goes out by the post office (runtime/post/sender.ts, where it is said why nothing is sent twice). */
import { sql } from 'kysely'
import type { Clock } from '../../../runtime/clock.ts'
import type { Database, TxOptions } from '../../../runtime/db.ts'
import type { JobContext, Jobs } from '../../../runtime/jobs.ts'
import {
  type CarrierLines,
  openTurns,
  pieceCounter,
  type Report,
  type Subject,
  type TurnLimits,
  takeReports,
} from '../../../runtime/post/index.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { notify } from '../../desk/index.ts'
import { setBatchStatus } from '../../sheet/index.ts'
import { markLateCards } from '../care/cards.ts'
import { fallBack } from '../plan/fall-back.ts'
import { type ToldLater, toldLater } from '../plan/reports.ts'
import { undeliveredText } from '../rules/outcome.ts'
import { expectBounces } from '../setting/bounces.ts'
import { acceptLinks, addresses, type CheckedClaim, departureOf, type Gate, gate, type Of, readTried, settled } from './claims.ts'
import { startIn } from './ledger.ts'
import { resumeAll } from './resume.ts'

export type SenderParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly clock: Clock
  readonly secrets: Secrets
  readonly lines: CarrierLines
  readonly origin: string
  readonly log: { error(about: object, message: string): void }
  readonly pace?: Partial<TurnLimits>
}
const count_every_ms = 20_000

export type SendData = { readonly company_id: string; readonly batch_id: string }

/** What happens in a company, on its own transaction. */
const ownTransactions =
  ({ database, clock, secrets }: Pick<SenderParts, 'database' | 'clock' | 'secrets'>) =>
  <T>(company_id: string, fn: (here: Omit<Of, 'batch_id'>) => Promise<T>, options: TxOptions = {}): Promise<T> =>
    database.inCompany(
      company_id,
      async (db) => fn({ db, company_id, now: clock.now(), vault: await secrets.vault(db, company_id) }),
      options,
    )

export function openSender(parts: SenderParts) {
  const { database, jobs, clock, secrets, lines, origin, pace = {} } = parts
  const { turn, alive } = openTurns({ database, clock, lines, limits: pace })
  const pieces = pieceCounter(lines.sms, origin)
  let counted_at = Number.NEGATIVE_INFINITY

  const inCompany = ownTransactions(parts)

  const subjectOf = ({ company_id, batch_id }: SendData): Subject<Of, Gate, CheckedClaim> => ({
    company_id,
    book: { table: 'delivery', lot: sql<boolean>`batch_id = ${batch_id}`, about: 'salary_id' },
    withdrawn: '工资条已撤回',
    inLot: (fn) => inCompany(company_id, (here) => fn({ ...here, batch_id }), { in_order: true }),
    gate,
    begin,
    direct: acceptLinks,
    addresses,
    read: readTried,
    departure: (row, batch) => departureOf(row, batch, origin),
    settled: async (of, marked) => {
      const sent = await settled(of, marked, (failed) => fallBack({ ...of, origin, pieces }, failed))
      // What was just sent was not taken back meanwhile.
      const others = marked.filter(({ about }) => !sent.has(about))
      await markLateCards({ ...of, jobs: { send: (...job) => jobs.send(of.db, ...job) } }, others)
    },
    async finished(of) {
      await finished(of)
      await expectBounces(of, jobs)
    },
    many: countAgain,
  })

  /** One turn; a turn that leaves something asks for the next one. */
  async function send(data: SendData, context: Pick<JobContext, 'signal' | 'outdoors'>): Promise<void> {
    const rest_ms = await turn(subjectOf(data), context)
    if (rest_ms !== null) await inCompany(data.company_id, ({ db }) => jobs.send(db, 'send', { ...data }, startIn(rest_ms)))
  }

  /** A large batch has just been written: the planner should know, or each message costs a look at all of them. */
  async function countAgain(): Promise<void> {
    if (performance.now() - counted_at < count_every_ms) return
    counted_at = performance.now()
    await database.outside((tx) => sql`select count_again()`.execute(tx), { timeout_ms: 20_000 })
  }

  /** What was told later of messages of a company that were taken; what is lost goes on by another way. */
  async function toldOf(here: Omit<Of, 'batch_id'>, told: readonly ToldLater[]): Promise<void> {
    const { db, company_id } = here
    for (const batch_id of await toldLater({ ...here, origin, pieces }, told))
      await jobs.send(db, 'send', { company_id, batch_id })
  }

  /** What a gateway reports of messages it took, whosever they are. */
  const takeSaid = (reports: readonly Report[]): Promise<void> =>
    takeReports(database, clock.now(), {
      reports,
      settle: async (company_id, db, own) =>
        toldOf(
          { db, company_id, now: clock.now(), vault: await secrets.vault(db, company_id) },
          own.map(({ id, ref, delivered, code }) => ({
            id,
            ref,
            became: delivered ? 'delivered' : 'lost',
            message: delivered ? null : undeliveredText(code),
          })),
        ),
    })

  return {
    send,
    takeReports: takeSaid,
    toldOf,
    inCompany,
    resumeAll: (options: { sole: boolean }) => resumeAll(parts, options, alive),
  }
}

/** A scheduled batch begins when its time has come; answers the wait until then. */
async function begin(of: Of): Promise<number | null> {
  const batch = await gate(of, 'update')
  if (batch?.status !== 'scheduled') return null
  const wait_ms = (batch.scheduled_at?.getTime() ?? 0) - of.now.getTime()
  if (wait_ms > 0) return wait_ms
  await setBatchStatus(of, of.batch_id, ['scheduled'], 'sending')
  return null
}

async function finished(of: Of): Promise<void> {
  const batch = await gate(of, 'update')
  if (!batch) return
  const closed = await setBatchStatus(of, of.batch_id, ['sending'], 'sent', { sent_at: batch.sent_at ?? of.now })
  if (closed) await tellOwner(of, batch)
}

async function tellOwner(of: Of, batch: Gate): Promise<void> {
  const { db, company_id, batch_id } = of
  const rows = await db
    .selectFrom('salary')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .groupBy('status')
    .execute()
  const count = (...statuses: string[]) =>
    rows.filter((row) => statuses.includes(row.status)).reduce((sum, row) => sum + Number(row.count), 0)
  const failed = count('failed')
  const sent = count('sent', 'viewed', 'confirmed')
  const text =
    failed > 0
      ? `「${batch.title}」已发送 ${sent} 人，${failed} 人发送失败，请查看原因后重发`
      : `「${batch.title}」已发送给 ${sent} 人`
  await notify(of, batch.owner_id, { kind: failed > 0 ? 'failed' : 'sent', text, batch_id })
}
