/** How an administrator wants to hear of what happened. Writes notice_way. */
import * as contract from '../../../contract/account/profile.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { mailboxTested, providerOf } from '../../company/index.ts'
import { addressesOf } from '../../member/index.ts'
import { personOf } from '../../role/index.ts'
import { type NoticeWay, waysOf } from './telling.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>

export const chosenWays = ({ db, company_id }: Here, admin_id: string): Promise<NoticeWay[]> =>
  db
    .selectFrom('notice_way')
    .select(['kind', 'chat', 'mail'])
    .where('company_id', '=', company_id)
    .where('admin_id', '=', admin_id)
    .execute()

/** Where this administrator can be told; null with the reason where he cannot. */
export async function reachOf(here: Here, admin_id: string) {
  const member_id = await personOf(here, admin_id)
  const person = member_id ? await addressesOf(here, member_id) : null
  const provider = await providerOf(here)
  const chat = (provider && person?.platform_user_id) || null
  const mail = ((await mailboxTested(here)) && person?.email) || null
  return {
    chat,
    mail,
    no_chat: chat ? null : provider ? '您还没有和办公平台上的账号关联，请联系系统管理员' : '企业还没有绑定办公平台',
    no_mail: mail ? null : person?.email ? '企业还没有设置发信邮箱（在「工资条设置」里）' : '花名册里还没有您的邮箱',
  }
}

const getNoticeSetting = handle(contract.getNoticeSetting, async (ctx) => {
  const { admin_id, power } = ctx.me
  const { no_chat, no_mail } = await reachOf(ctx, admin_id ?? '')
  return { list: waysOf(power, admin_id ? await chosenWays(ctx, admin_id) : []), no_chat, no_mail }
})

const saveNoticeSetting = handle(contract.saveNoticeSetting, async ({ db, company_id, me }, { list }) => {
  const { admin_id } = me
  // Somebody of an agency has no desk here.
  if (!admin_id || list.length === 0) return {}
  const own = new Map(list.map((one) => [one.kind, { company_id, admin_id, ...one }]))
  await db
    .insertInto('notice_way')
    .values([...own.values()])
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'admin_id', 'kind'])
        .doUpdateSet(({ ref }) => ({ chat: ref('excluded.chat'), mail: ref('excluded.mail') })),
    )
    .execute()
  return {}
})

export const noticeWayCalls = { getNoticeSetting, saveNoticeSetting }
