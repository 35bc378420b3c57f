/**
 * The job `invite`: takes invites out into the world, one message each.
 *
 * Doing it twice, or again after a crash at any point, is harmless: the code of an invite is there only until its message has left, and
 * from the second try on the gateway is first asked for the invite's own id. What the gateway cannot tell of is not repeated.
 */
import { sql } from 'kysely'
import type { Clock } from '../../runtime/clock.ts'
import type { Database } from '../../runtime/db.ts'
import { type Jobs, leastRest_ms } from '../../runtime/jobs.ts'
import { type CarrierLines, handOver, lookUp as lookUpAt, pieceCounter } from '../../runtime/post/index.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { giveBackSms } from '../company/index.ts'
import { linkOf } from './codes.ts'

export type MessengerData = { readonly company_id: string; readonly invite_ids: readonly string[] }
export type MessengerParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly clock: Clock
  readonly lines: CarrierLines
  readonly origin: string
  readonly log: { error(about: object, message: string): void }
}

export const codePlace = (invite_id: string) => ({ table: 'invite', row: invite_id, column: 'code' })
/** So long a message may be under way; gateways know its id for longer. Afterwards it is not tried again, and the person may be invited anew. */
export const on_its_way_ms = 30 * 60_000

/** His phone has gone to somebody else: a message to it would tell a stranger of the company. */
export const notLeftBehind = sql<boolean>`not (member.unconfirmed_at is not null and coalesce(member.former_mobile, '') = member.mobile)`

type Waiting = {
  readonly id: string
  readonly channel: 'sms' | 'platform'
  readonly code: string
  readonly to: string | null
  readonly corp_name: string
  readonly created_at: Date
  readonly wanted: boolean
}
/** `unsent`: surely not taken, now or ever; what it cost goes back. */
type End = 'left' | 'unsent'

const sayingOf = (origin: string, { corp_name, code }: Waiting) => ({
  kind: 'invite' as const,
  params: { corp: corp_name, link: linkOf(origin, code) },
})

const piecesOf = ({ sms }: CarrierLines, origin: string, one: Waiting): number => pieceCounter(sms, origin)(sayingOf(origin, one))

export function openMessenger({ database, jobs, secrets, clock, lines, origin, log }: MessengerParts): void {
  const waiting = ({ company_id, invite_ids }: MessengerData): Promise<Waiting[]> =>
    database.inCompany(company_id, async (tx) => {
      const vault = await secrets.vault(tx, company_id)
      const rows = await tx
        .selectFrom('invite')
        .innerJoin('company', 'company.id', 'invite.company_id')
        .innerJoin('member', (join) =>
          join.onRef('member.company_id', '=', 'invite.company_id').onRef('member.id', '=', 'invite.member_id'),
        )
        .select(['invite.id', 'channel', 'code', 'invite.created_at', 'company.name as corp_name'])
        .select(sql<string | null>`case when channel = 'sms' then invite.mobile else platform_user_id end`.as('to'))
        .select(
          sql<boolean>`used_at is null and expires_at > ${clock.now()} and account_id is null and member.status = 'invited'
            and member.mobile = invite.mobile and ${notLeftBehind}`.as('wanted'),
        )
        .where('invite.company_id', '=', company_id)
        .where('invite.id', 'in', invite_ids)
        .orderBy('invite.id')
        .execute()
      return rows.flatMap(({ code, channel, ...row }) =>
        code ? [{ ...row, channel: channel, code: vault.open<string>(codePlace(row.id), code) }] : [],
      )
    })

  const settle = (company_id: string, one: Waiting, end: End) =>
    database.inCompany(company_id, async (tx) => {
      await tx
        .updateTable('invite')
        .set(end === 'unsent' ? { code: null, expires_at: clock.now() } : { code: null })
        .where('company_id', '=', company_id)
        .where('id', '=', one.id)
        .execute()
      if (end === 'unsent' && one.channel === 'sms')
        await giveBackSms({ db: tx, company_id, now: clock.now() }, piecesOf(lines, origin, one), 'invite-unsent', one.id)
    })

  /** How it ends, or null: it is tried again later. */
  async function carry(one: Waiting): Promise<End | null> {
    const { id, to, channel } = one
    const line = lines[channel]
    if (!line || !to || !one.wanted || clock.now().getTime() - one.created_at.getTime() > on_its_way_ms) return 'unsent'
    const [outcome] = await handOver(line, [{ id, to, saying: sayingOf(origin, one) }])
    if (outcome?.result === 'accepted') return 'left'
    // It would say the same of all the others: the queue comes back later.
    if (outcome?.result === 'put_off') throw new Error('the gateway asks for patience')
    // Silence is tried again by the queue, later and later.
    if (outcome?.result !== 'refused') return null
    log.error({ message_id: id, code: outcome.code }, 'an invite was refused')
    return 'unsent'
  }

  /** From the second try on: those that have left, and those of which the gateway cannot tell. */
  async function lookUp(rows: readonly Waiting[], tried: number): Promise<Map<string, 'left' | 'unsure'>> {
    const found = new Map<string, 'left' | 'unsure'>()
    if (tried === 0) return found
    const at = new Date(clock.now().getTime() - leastRest_ms(tried))
    for (const channel of ['sms', 'platform'] as const) {
      const asked = rows.flatMap(({ id, to, ...row }) => (row.channel === channel && to ? [{ id, to, at }] : []))
      const line = lines[channel]
      if (asked.length === 0 || !line) continue
      const known = await lookUpAt(line, asked)
      if (!known) throw new Error('the gateway cannot be asked')
      for (const [id, { result }] of known)
        if (result !== 'not_accepted') found.set(id, result === 'accepted' ? 'left' : 'unsure')
    }
    return found
  }

  jobs.on<MessengerData>(
    'invite',
    async (data, { tried, signal }) => {
      const rows = await waiting(data)
      const known = await lookUp(rows, tried)
      let open = 0
      for (const one of rows) {
        if (signal.aborted) throw new Error('the process is ending')
        const said = known.get(one.id)
        const late = clock.now().getTime() - one.created_at.getTime() > on_its_way_ms
        // Nobody can tell, and it is too late to ask on: it may have arrived, so it stays good and paid for.
        const end = said === 'left' || (said === 'unsure' && late) ? 'left' : said === 'unsure' ? null : await carry(one)
        if (end) await settle(data.company_id, one, end)
        else open += 1
      }
      if (open > 0) throw new Error(`${open} invites have not left yet`)
    },
    // Twelve tries reach past the time a message may be under way: the last of them only settles.
    { expire_s: 900, retries: 12 },
  )
}
