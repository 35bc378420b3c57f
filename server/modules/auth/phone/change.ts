/**
 * Changes the sign-in phone: first the password is required, then a code sent to the new phone. All consequences run in
 * a job.
 */

import * as contract from '../../../contract/auth/profile.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database } from '../../../database/database.ts'
import { defineHandler, fail, invalidInput } from '../../../http/handler.ts'
import { systemCompanyId } from '../../../jobs/companies.ts'
import type { JobQueue } from '../../../jobs/queue.ts'
import { createSystemTx } from '../../../outbox/index.ts'
import type { Clock } from '../../../shared/clock.ts'
import { getConstraintName } from '../../../shared/error-code.ts'
import { deriveId, newId } from '../../../shared/ids.ts'
import { listSystemAdminIds } from '../../access/index.ts'
import { updateAccountPhone } from '../../directory/index.ts'
import { notify, sendDirectMessage } from '../../notifications/index.ts'
import { consumeCode } from '../codes.ts'
import { consumeGrant, findGrant, issueGrant } from '../grants.ts'
import { assertPasswordCorrect } from '../password/change.ts'
import { getBrowserHash } from '../sign-in/browser.ts'
import { listAvailableCompanies } from '../sign-in/complete-sign-in.ts'
import { endOtherSessions } from '../sign-in/epoch.ts'

type PhoneChange = { readonly id: string; readonly account_id: string; readonly from: string }

export const changePhone = defineHandler(
  contract.changePhone,
  { kind: 'external' },
  async (ctx, { password, phone, code, sms, token }) => {
    const { database, currentAccount, now, jobs, secrets } = ctx
    if (!currentAccount) throw fail('signed_out')
    const { account_id, mobile: from } = currentAccount
    if (token === undefined) {
      if (!password) throw invalidInput('password', '请输入登录密码')
      await assertPasswordCorrect(ctx, account_id, password, { field: 'password', message: '登录密码不正确' })
      return { token: await issueGrant(ctx, { mobile: from, purpose: 'new_phone', account_id, lives_s: 600 }) }
    }
    if (!phone) throw invalidInput('phone', '手机号不能为空')
    if (!code || !sms) throw invalidInput('code', '验证码不能为空')
    if (phone === from) throw invalidInput('phone', '新手机号与现在的相同')
    const grant = { token, purpose: 'new_phone', account_id } as const
    if (!(await findGrant(ctx, grant))) throw fail('wrong_code', '验证已过期，请重新输入登录密码', { field: 'token' })
    await consumeCode(database, secrets, { sms, phone, code, purposes: ['changephone'], browser: getBrowserHash(ctx), now })
    await database
      .withoutCompany(async (tx) => {
        await consumeGrant(tx, ctx, grant)
        await tx.updateTable('account').set({ mobile: phone }).where('id', '=', account_id).where('mobile', '=', from).execute()
        await endOtherSessions(tx, account_id, 'phone')
        const changed: PhoneChange = { id: newId(), account_id, from }
        await jobs.send(tx, 'phone_changed', { ...changed }, { id: changed.id })
      })
      .catch(throwPhoneAlreadyUsed)
    return { token: null }
  },
)

/** This is reported only after the requester has proven to own the number. */
function throwPhoneAlreadyUsed(error: unknown): never {
  if (getConstraintName(error) === 'account_mobile_key')
    throw fail('wrong_state', '这个手机号已有薪函账号，请换一个号码', { status: 'taken', field: 'phone' })
  throw error
}

type PhoneChangeDeps = { readonly database: Database; readonly jobs: JobQueue; readonly clock: Clock; readonly secrets: Secrets }

/**
 * Updates the rosters to the new phone, notifies system administrators where the user is an administrator, and notifies
 * the old phone. Idempotent: it uses the account's current phone, and the ids of notifications and the message derive
 * from the change.
 */
export function registerPhoneChangeJob({ database, jobs, clock, secrets }: PhoneChangeDeps): void {
  jobs.register<PhoneChange>('phone_changed', async ({ id, account_id, from }) => {
    const account = await database.withoutCompany((tx) =>
      tx.selectFrom('account').select('mobile').where('id', '=', account_id).executeTakeFirst(),
    )
    if (!account?.mobile) return
    const { mobile } = account
    const tail = mobile.slice(-4)
    for (const corp of await listAvailableCompanies(database, account_id, clock.now())) {
      await database.inCompany(corp.corp_id, async (tx) => {
        const vault = await secrets.vault(tx, corp.corp_id)
        const companyTx = { db: tx, company_id: corp.corp_id, now: clock.now(), vault }
        const person = await updateAccountPhone(companyTx, { account_id, mobile })
        const isAdmin = corp.as.includes('admin')
        if (!isAdmin && person?.followed !== false) return
        const name = person?.name ?? '一位管理员'
        const text =
          person?.followed === false
            ? `${name} 的登录手机号已改为 尾号${tail}，但花名册里另有一位员工登记了这个号码，登记的号码没有一起更改，请核实`
            : `${name} 把自己的登录手机号改为 尾号${tail}；如非本人操作，请尽快核实`
        for (const adminId of await listSystemAdminIds(companyTx))
          await notify(companyTx, adminId, { id: deriveId('phone_changed', id, adminId), kind: 'phone', text, batch_id: null })
      })
    }
    await database.inCompany(systemCompanyId, (tx) =>
      sendDirectMessage(createSystemTx({ secrets, jobs }, tx, clock.now()), {
        id: deriveId('phone_changed', id),
        channel: 'sms',
        to: from,
        kind: 'own_phone_changed',
        params: { tail },
      }),
    )
  })
}
