/**
 * Codes in invite links: sixteen bytes identify the company, so that the code is looked up under its row-level
 * security, and sixteen cannot be guessed: random bytes whose hash is stored, or, for the join code, bytes derived from
 * the company's key.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secrets, Vault } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { hashSecret } from '../../http/sessions.ts'
import { getCompanyName, getJoinCodeSource } from '../company/index.ts'
import { memberView } from '../directory/read-model.ts'

const hourMs = 3_600_000
export const inviteLifetimeMs = 72 * hourMs
/**
 * A join code is shown for at most thirty days and accepted for another thirty, so that nobody prints a code that
 * expires tomorrow.
 */
const joinCodePeriodMs = 30 * 24 * hourMs

const toUuidBytes = (company_id: string): Buffer => Buffer.from(company_id.replaceAll('-', ''), 'hex')
export const generateInviteCode = (company_id: string): string =>
  Buffer.concat([toUuidBytes(company_id), randomBytes(16)]).toString('base64url')

const getJoinCodePeriod = (at: Date): number => Math.floor(at.getTime() / joinCodePeriodMs)
const computeJoinCode = (vault: Vault, company_id: string, generation: number, period: number): Buffer =>
  Buffer.concat([toUuidBytes(company_id), vault.blindIndex('join_code', `${generation}|${period}`).subarray(0, 16)])

/** Returns the join code to show now and its expiry. Reading it changes nothing. */
export async function getJoinCode(ctx: { db: Tx; company_id: string; vault: Vault; now: Date }) {
  const { company_id, vault, now } = ctx
  const company = await getJoinCodeSource(ctx)
  if (!company) throw new Error('a join code of no company')
  const period = getJoinCodePeriod(now)
  const code = computeJoinCode(vault, company_id, company.join_generation, period).toString('base64url')
  return { code, expires_at: new Date((period + 2) * joinCodePeriodMs) }
}

/** Returns the company id contained in the code; null for text that was never one of our codes. */
export function getInviteCompanyId(code: string): string | null {
  const bytes = Buffer.from(code, 'base64url')
  if (bytes.length !== 32 || bytes.toString('base64url') !== code) return null
  const hex = bytes.subarray(0, 16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const getInviteLink = (origin: string, code: string): string => `${origin}/m/invite?code=${code}`

/** A valid invite. If `member_id` is null, it is the company's join code, which every roster member can use. */
export type ValidInvite = {
  readonly company_id: string
  readonly corp_name: string
  readonly invite_id: string | null
  readonly member_id: string | null
  readonly mobile: string | null
}

/**
 * Finds the invite for a code; null for one that never existed, is expired, used or replaced, or whose member was
 * terminated or has changed phones.
 */
export async function findValidInvite(
  database: Database,
  secrets: Secrets,
  code: string,
  now: Date,
): Promise<ValidInvite | null> {
  const company_id = getInviteCompanyId(code)
  if (!company_id) return null
  return database.inCompany(company_id, async (tx) => {
    const invite =
      (await findPersonalInvite(tx, company_id, code, now)) ?? (await matchJoinCode(tx, secrets, company_id, code, now))
    return invite ? { company_id, ...invite } : null
  })
}

const findPersonalInvite = async (tx: Tx, company_id: string, code: string, now: Date) => {
  const row = await tx
    .selectFrom('invite')
    .innerJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'invite.company_id').onRef('member.id', '=', 'invite.member_id'),
    )
    .select(['invite.id as invite_id', 'member_id', 'invite.mobile'])
    .where('invite.company_id', '=', company_id)
    .where('code_hash', '=', hashSecret(code))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where('member.status', '<>', 'left')
    .whereRef('member.mobile', '=', 'invite.mobile')
    .executeTakeFirst()
  return row ? { ...row, corp_name: await getCompanyName({ db: tx, company_id }) } : null
}

const matchJoinCode = async (tx: Tx, secrets: Secrets, company_id: string, code: string, now: Date) => {
  const company = await getJoinCodeSource({ db: tx, company_id })
  if (!company) return null
  const vault = await secrets.vault(tx, company_id)
  const input = Buffer.from(code, 'base64url')
  const period = getJoinCodePeriod(now)
  const isValid = [period, period - 1].some((one) =>
    timingSafeEqual(input, computeJoinCode(vault, company_id, company.join_generation, one)),
  )
  return isValid ? { corp_name: company.corp_name, invite_id: null, member_id: null, mobile: null } : null
}
