/** Another phone to sign in with: the password first, then a code sent to the new one. Everything that follows from it is a job. */
import * as contract from '../../../contract/account/profile.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { constraintOf } from '../../../runtime/data/failure.ts'
import type { Database } from '../../../runtime/db.ts'
import { handleOutside, invalid, refuse } from '../../../runtime/handle.ts'
import { idOf, newId } from '../../../runtime/ids.ts'
import type { Jobs } from '../../../runtime/jobs.ts'
import { houseTx, nobody } from '../../../runtime/post/index.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { notify, tell } from '../../desk/index.ts'
import { followPhone } from '../../member/index.ts'
import { headsOf } from '../../role/index.ts'
import { spendCode } from '../codes.ts'
import { issueGrant, seeGrant, spendGrant } from '../grants.ts'
import { provePassword } from '../password/change.ts'
import { browserOf } from '../sign-in/browser.ts'
import { companiesOf } from '../sign-in/enter.ts'
import { endOthers } from '../sign-in/epoch.ts'

type Changed = { readonly id: string; readonly account_id: string; readonly from: string }

export const changePhone = handleOutside(contract.changePhone, async (ctx, { password, phone, code, sms, token }) => {
  const { database, half, now, jobs, secrets } = ctx
  if (!half) throw refuse('signed_out')
  const { account_id, mobile: from } = half
  if (token === undefined) {
    if (!password) throw invalid('password', '请输入登录密码')
    await provePassword(ctx, account_id, password, { field: 'password', say: '登录密码不正确' })
    return { token: await issueGrant(ctx, { mobile: from, purpose: 'new_phone', account_id, lives_s: 600 }) }
  }
  if (!phone) throw invalid('phone', '手机号不能为空')
  if (!code || !sms) throw invalid('code', '验证码不能为空')
  if (phone === from) throw invalid('phone', '新手机号与现在的相同')
  const grant = { token, purpose: 'new_phone', account_id } as const
  if (!(await seeGrant(ctx, grant))) throw refuse('wrong_code', '验证已过期，请重新输入登录密码', { field: 'token' })
  await spendCode(database, secrets, { sms, phone, code, purposes: ['changephone'], browser: browserOf(ctx), now })
  await database
    .outside(async (tx) => {
      await spendGrant(tx, ctx, grant)
      await tx.updateTable('account').set({ mobile: phone }).where('id', '=', account_id).where('mobile', '=', from).execute()
      await endOthers(tx, account_id, 'phone')
      const changed: Changed = { id: newId(), account_id, from }
      await jobs.send(tx, 'phone_changed', { ...changed }, { id: changed.id })
    })
    .catch(taken)
  return { token: null }
})

/** Told only to whoever has proven that the number is his. */
function taken(error: unknown): never {
  if (constraintOf(error) === 'account_mobile_key')
    throw refuse('wrong_state', '这个手机号已有薪函账号，请换一个号码', { status: 'taken', field: 'phone' })
  throw error
}

type Parts = { readonly database: Database; readonly jobs: Jobs; readonly clock: Clock; readonly secrets: Secrets }

/**
 * Rosters follow the phone, heads read of it where he is an administrator, and the old phone hears of it. Doing it twice is harmless: it
 * goes by the phone that the account has now, and notices and the message have ids that follow from the change.
 */
export function openPhoneChanges({ database, jobs, clock, secrets }: Parts): void {
  jobs.on<Changed>('phone_changed', async ({ id, account_id, from }) => {
    const account = await database.outside((tx) =>
      tx.selectFrom('account').select('mobile').where('id', '=', account_id).executeTakeFirst(),
    )
    if (!account?.mobile) return
    const { mobile } = account
    const tail = mobile.slice(-4)
    for (const corp of await companiesOf(database, account_id, clock.now())) {
      await database.inCompany(corp.corp_id, async (tx) => {
        const vault = await secrets.vault(tx, corp.corp_id)
        const here = { db: tx, company_id: corp.corp_id, now: clock.now(), vault }
        const person = await followPhone(here, { account_id, mobile })
        const isAdmin = corp.as.includes('admin')
        if (!isAdmin && person?.followed !== false) return
        const name = person?.name ?? '一位管理员'
        const text =
          person?.followed === false
            ? `${name} 的登录手机号已改为 尾号${tail}，但花名册里另有一位员工登记了这个号码，登记的号码没有一起更改，请核实`
            : `${name} 把自己的登录手机号改为 尾号${tail}；如非本人操作，请尽快核实`
        for (const head of await headsOf(here))
          await notify(here, head, { id: idOf('phone_changed', id, head), kind: 'phone', text, batch_id: null })
      })
    }
    await database.inCompany(nobody, (tx) =>
      tell(houseTx({ secrets, jobs }, tx, clock.now()), {
        id: idOf('phone_changed', id),
        channel: 'sms',
        to: from,
        kind: 'own_phone_changed',
        params: { tail },
      }),
    )
  })
}
