/**
 * The job `invite`: takes invites out into the world, one message each, by the post office.
 *
 * Doing it twice, or again after a crash at any point, is harmless for the reasons of runtime/post/sender.ts; the code of an invite is there
 * only until its message has left. What nobody can tell of stays good and paid for; what surely never left is dead, and paid back.
 */
import { type RawBuilder, sql } from 'kysely'
import {
  type Claimed,
  type Departure,
  type LedgerTx,
  type LotGate,
  type Marked,
  type MessageParts,
  messageBook,
  openKind,
  type Subject,
  type TriedRow,
} from '../../runtime/post/index.ts'
import type { Vault } from '../../runtime/secrets.ts'
import { giveBackSms } from '../company/index.ts'
import { linkOf } from './codes.ts'

export type MessengerParts = MessageParts & { readonly origin: string }

export const codePlace = (invite_id: string) => ({ table: 'invite', row: invite_id, column: 'code' })
/** So long a message may be under way; carriers know its id for longer. Afterwards it is not tried again, and the person may be invited anew. */
export const on_its_way_ms = 30 * 60_000

/** His phone has gone to somebody else: a message to it would tell a stranger of the company. */
export const notLeftBehind = sql<boolean>`not (member.unconfirmed_at is not null and coalesce(member.former_mobile, '') = member.mobile)`

type InviteTx = LedgerTx & { readonly vault: Vault }
type InviteGate = LotGate & { readonly vault: Vault }
type InviteRow = TriedRow & {
  readonly code: Buffer | null
  readonly to: string | null
  readonly corp_name: string
  readonly wanted: boolean
}

export function openMessenger({ origin, ...parts }: MessengerParts): void {
  const { database, clock, secrets } = parts
  openKind(
    parts,
    'invite',
    (company_id): Subject<InviteTx, InviteGate, InviteRow> => ({
      company_id,
      book: messageBook('invite'),
      withdrawn: '邀请已取消',
      inLot: (fn) =>
        database.inCompany(company_id, async (tx) =>
          fn({ db: tx, company_id, now: clock.now(), vault: await secrets.vault(tx, company_id) }),
        ),
      gate: async ({ vault }) => ({ state: 'active', vault }),
      addresses,
      read,
      departure: (row, { vault }) => departureOf(row, vault, origin),
      settled,
      finished: async () => undefined,
    }),
  )
}

const addressOf = sql<string | null>`case when invite.channel = 'sms' then invite.mobile else member.platform_user_id end`

async function addresses({ db, company_id }: InviteTx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; to: string | null }>`
    select invite.id, ${addressOf} as to
    from invite
    join member on member.company_id = ${company_id} and member.id = invite.member_id
    where invite.company_id = ${company_id} and invite.id = any(${claimed.map((row) => row.about)}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, to }) => [id, to ?? '']))
}

/** An invite and its message have one id. */
const read = ({ company_id, now }: InviteTx): RawBuilder<InviteRow> => sql<InviteRow>`
  select tried.id, tried.channel, tried.attempts, invite.code, company.name as corp_name, ${addressOf} as to,
    used_at is null and invite.expires_at > ${now} and account_id is null and member.status = 'invited'
      and member.mobile = invite.mobile and invite.created_at > ${new Date(now.getTime() - on_its_way_ms)} and ${notLeftBehind} as wanted
  from tried
  join invite on invite.company_id = ${company_id} and invite.id = tried.about
  join company on company.id = ${company_id}
  join member on member.company_id = ${company_id} and member.id = invite.member_id`

function departureOf({ id, code, to, corp_name, wanted }: InviteRow, vault: Vault, origin: string): Departure {
  if (!code || !to || !wanted) return { send: false, status: 'cancelled', code: 'unwanted', message: '邀请已失效，没有发送' }
  const link = linkOf(origin, vault.open<string>(codePlace(id), code))
  return { send: true, to, saying: { kind: 'invite', params: { corp: corp_name, link } }, hide: to }
}

async function settled(of: InviteTx, marked: readonly Marked[]): Promise<void> {
  const { db, company_id, now } = of
  const unsent = marked.filter(({ status }) => status === 'failed' || status === 'cancelled')
  const done = marked.filter(({ status }) => status !== 'queued')
  const close = (rows: readonly Marked[], what: { code: null; expires_at?: Date }) =>
    db
      .updateTable('invite')
      .set(what)
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${rows.map(({ about }) => about)}::uuid[])`)
      .execute()
  if (done.length > 0) await close(done, { code: null })
  if (unsent.length > 0) await close(unsent, { code: null, expires_at: now })
  for (const { about, channel, pieces } of unsent) if (channel === 'sms') await giveBackSms(of, pieces, 'invite-unsent', about)
}
