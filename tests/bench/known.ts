/**
 * Measures whether response times reveal to a stranger that a phone is known (trust.md A4, G7): the probability that a
 * known phone takes longer than an unknown one. 0.5 reveals nothing; 0.55 is the goal.
 */
import * as account from '../../server/contract/auth/sign-in.ts'
import type { Call } from '../../server/contract/call.ts'
import { hashPassword } from '../../server/modules/auth/index.ts'
import { newId } from '../../server/shared/ids.ts'
import { createClient } from '../support/callers/visitor.ts'
import { startWorld } from '../support/world.ts'

/** Returns the area under the ROC curve of the rule "slower means known", by ranks. */
export function auc(existing: readonly number[], unknown: readonly number[]): number {
  const all = [...existing.map((ms) => ({ ms, known: true })), ...unknown.map((ms) => ({ ms, known: false }))].toSorted(
    (a, b) => a.ms - b.ms,
  )
  const ranks = all.reduce((sum, one, at) => sum + (one.known ? at + 1 : 0), 0)
  return (ranks - (existing.length * (existing.length + 1)) / 2) / (existing.length * unknown.length)
}

const someone = '00000000-0000-7000-8000-000000000000'
const flows: [string, Call, (phone: string) => Record<string, unknown>][] = [
  ['password', account.login, (phone) => ({ phone, password: 'not the password' })],
  ['code to sign in', account.getVerifyCode, (phone) => ({ phone, type: 'login' })],
  ['code to reset', account.getVerifyCode, (phone) => ({ phone, type: 'resetpwd' })],
  ['wrong code', account.loginByCode, (phone) => ({ phone, code: '000000', sms: someone })],
  [
    'reset, no token',
    account.updatePassword,
    (phone) => ({ type: 'resetpwd', phone, token: 'none', newpass: 'eine lange Nacht', confirm_password: 'eine lange Nacht' }),
  ],
]

/** Runs each flow with `samples` known and as many unknown phones alternately. Each phone and address is used once. */
export async function tellsWhoIsExisting(samples: number): Promise<{ flow: string; auc: number }[]> {
  const world = await startWorld()
  const password_hash = await hashPassword('correct horse battery')
  const results: { flow: string; auc: number }[] = []
  for (const [at, [flow, call, input]] of flows.entries()) {
    const phone = (exists: boolean, n: number): string => `1${exists ? 5 : 6}${at}${String(n).padStart(8, '0')}`
    const rows = Array.from({ length: samples }, (_, n) => ({
      id: newId(),
      mobile: phone(true, n),
      password_hash,
      created_at: world.clock.now(),
    }))
    await world.database.withoutCompany(async (tx) => {
      for (let from = 0; from < rows.length; from += 500)
        await tx
          .insertInto('account')
          .values(rows.slice(from, from + 500))
          .execute()
    })
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    for (let n = 0; n < samples; n += 1) {
      world.clock.advance(1000)
      // The order alternates, so that a warm cache helps both equally.
      for (const exists of n % 2 ? [true, false] : [false, true]) {
        const { ms } = await createClient(world).call(call, input(phone(exists, n)))
        if (n >= 20) times[exists ? 'known' : 'unknown'].push(ms)
      }
    }
    results.push({ flow, auc: auc(times.known, times.unknown) })
  }
  await world.close()
  return results
}
