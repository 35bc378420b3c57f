/** An administrator's notification preferences. Writes notification_channel. */
import * as contract from '../../../contract/auth/profile.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { defineHandler } from '../../../http/handler.ts'
import { getAdminMemberId } from '../../access/index.ts'
import { isMailboxTested } from '../../company/index.ts'
import { getBoundProvider } from '../../company/settings/index.ts'
import { getMemberAddresses } from '../../directory/index.ts'
import { mergeNotificationPreferences, type NotificationPreference } from './notification-plan.ts'

export const loadNotificationPreferences = ({ db, company_id }: CompanyTx, admin_id: string): Promise<NotificationPreference[]> =>
  db
    .selectFrom('notification_channel')
    .select(['kind', 'chat', 'mail'])
    .where('company_id', '=', company_id)
    .where('admin_id', '=', admin_id)
    .execute()

/** Returns where this administrator can be reached; null with the reason where they cannot. */
export async function getNotificationContacts(companyTx: CompanyTx, admin_id: string) {
  const member_id = await getAdminMemberId(companyTx, admin_id)
  const person = member_id ? await getMemberAddresses(companyTx, member_id) : null
  const provider = await getBoundProvider(companyTx)
  const chat = (provider && person?.platform_user_id) || null
  const mail = ((await isMailboxTested(companyTx)) && person?.email) || null
  return {
    chat,
    mail,
    no_chat: chat ? null : provider ? '您还没有和办公平台上的账号关联，请联系系统管理员' : '企业还没有绑定办公平台',
    no_mail: mail ? null : person?.email ? '企业还没有设置发信邮箱（在「工资条设置」里）' : '花名册里还没有您的邮箱',
  }
}

const getNotificationSettings = defineHandler(contract.getNotificationSettings, async (ctx) => {
  const { admin_id, power } = ctx.currentUser
  const { no_chat, no_mail } = await getNotificationContacts(ctx, admin_id ?? '')
  return {
    list: mergeNotificationPreferences(power, admin_id ? await loadNotificationPreferences(ctx, admin_id) : []),
    chat_disabled_reason: no_chat,
    mail_disabled_reason: no_mail,
  }
})

const saveNotificationSettings = defineHandler(
  contract.saveNotificationSettings,
  async ({ db, company_id, currentUser }, { list }) => {
    const { admin_id } = currentUser
    // Users of an agency have no notifications in this company.
    if (!admin_id || list.length === 0) return {}
    const rowByKind = new Map(list.map((one) => [one.kind, { company_id, admin_id, ...one }]))
    await db
      .insertInto('notification_channel')
      .values([...rowByKind.values()])
      .onConflict((conflict) =>
        conflict
          .columns(['company_id', 'admin_id', 'kind'])
          .doUpdateSet(({ ref }) => ({ chat: ref('excluded.chat'), mail: ref('excluded.mail') })),
      )
      .execute()
    return {}
  },
)

export const notificationSettingsHandlers = { getNotificationSettings, saveNotificationSettings }
