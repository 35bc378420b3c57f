/**
 * The job `invite`: sends invites, one message each, through the outbox.
 *
 * The job is idempotent, including after a crash at any point, for the reasons given in outbox/sender.ts. The code of
 * an invite is stored only until its message has been sent. A message with unknown outcome stays valid and paid; one
 * that was certainly not sent is void and refunded.
 */

import { type RawBuilder, sql } from 'kysely'
import type { Vault } from '../../crypto/secrets.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import {
  type AttemptedRow,
  type ClaimedRow,
  createMessageTable,
  type DispatchDecision,
  type LockedBatch,
  type MessageDeps,
  type MessageSource,
  registerMessageKind,
  type SettledRow,
} from '../../outbox/index.ts'
import { refundSms } from '../billing/index.ts'
import { companyView } from '../company/read-model.ts'
import { memberView } from '../directory/read-model.ts'
import { getInviteLink } from './codes.ts'

export type InviteMessageDeps = MessageDeps & { readonly origin: string }

export const getInviteCodePosition = (invite_id: string) => ({ table: 'invite', row: invite_id, column: 'code' })
/** The maximum duration of a delivery; carriers remember its id longer. Then it is not retried: the member is invited anew. */
export const maxInviteDeliveryMs = 30 * 60_000

/** SQL condition: the phone has not been reassigned; a message to it would tell a stranger about the company. */
export const isPhoneCurrent = sql<boolean>`not (member.unconfirmed_at is not null and coalesce(member.former_mobile, '') = member.mobile)`

type InviteTx = CompanyTimeTx & { readonly vault: Vault }
type LockedInviteBatch = LockedBatch & { readonly vault: Vault }
type InviteRow = AttemptedRow & {
  readonly code: Buffer | null
  readonly to: string | null
  readonly corp_name: string
  readonly wanted: boolean
}

export function registerInviteMessages({ origin, ...deps }: InviteMessageDeps): void {
  const { database, clock, secrets } = deps
  registerMessageKind(
    deps,
    'invite',
    (company_id): MessageSource<InviteTx, LockedInviteBatch, InviteRow> => ({
      company_id,
      table: createMessageTable('invite'),
      withdrawnMessage: '邀请已取消',
      inBatchTx: (fn) =>
        database.inCompany(company_id, async (tx) =>
          fn({ db: tx, company_id, now: clock.now(), vault: await secrets.vault(tx, company_id) }),
        ),
      lockBatch: async ({ vault }) => ({ state: 'active', vault }),
      getAddresses: addresses,
      selectAttempted,
      decideDispatch: (row, { vault }) => decideDispatch(row, vault, origin),
      onSettled,
      onFinished: async () => undefined,
    }),
  )
}

const selectAddress = sql<string | null>`case when invite.channel = 'sms' then invite.mobile else member.platform_user_id end`

async function addresses({ db, company_id }: InviteTx, claimed: readonly ClaimedRow[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; to: string | null }>`
    select invite.id, ${selectAddress} as to
    from invite
    join ${memberView} on member.company_id = ${company_id} and member.id = invite.member_id
    where invite.company_id = ${company_id} and invite.id = any(${claimed.map((row) => row.subject_id)}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, to }) => [id, to ?? '']))
}

/** An invite and its message have the same id. */
const selectAttempted = ({ company_id, now }: InviteTx): RawBuilder<InviteRow> => sql<InviteRow>`
  select tried.id, tried.channel, tried.attempts, invite.code, company.name as corp_name, ${selectAddress} as to,
    used_at is null and invite.expires_at > ${now} and account_id is null and member.status = 'invited'
      and member.mobile = invite.mobile and invite.created_at > ${new Date(now.getTime() - maxInviteDeliveryMs)} and ${isPhoneCurrent} as wanted
  from tried
  join invite on invite.company_id = ${company_id} and invite.id = tried.subject_id
  join ${companyView} on company.id = ${company_id}
  join ${memberView} on member.company_id = ${company_id} and member.id = invite.member_id`

function decideDispatch({ id, code, to, corp_name, wanted: isValid }: InviteRow, vault: Vault, origin: string): DispatchDecision {
  if (!code || !to || !isValid) return { send: false, status: 'cancelled', code: 'unwanted', message: '邀请已失效，没有发送' }
  const link = getInviteLink(origin, vault.open<string>(getInviteCodePosition(id), code))
  return { send: true, to, message: { kind: 'invite', params: { corp: corp_name, link } }, maskedPhone: to }
}

async function onSettled(inviteTx: InviteTx, settledRows: readonly SettledRow[]): Promise<void> {
  const { db, company_id, now } = inviteTx
  const unsent = settledRows.filter(({ status }) => status === 'failed' || status === 'cancelled')
  const done = settledRows.filter(({ status }) => status !== 'queued')
  const close = (rows: readonly SettledRow[], values: { code: null; expires_at?: Date }) =>
    db
      .updateTable('invite')
      .set(values)
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${rows.map(({ subject_id }) => subject_id)}::uuid[])`)
      .execute()
  if (done.length > 0) await close(done, { code: null })
  if (unsent.length > 0) await close(unsent, { code: null, expires_at: now })
  for (const { subject_id, channel, segments } of unsent)
    if (channel === 'sms') await refundSms(inviteTx, segments, 'invite-unsent', subject_id)
}
