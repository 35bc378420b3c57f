/**
 * Every minute, sends notifications that stayed unread in the app for more than a minute through the channels their
 * reader chose, combined into one message. Idempotent: the message id derives from the first notification, and sent
 * notifications are marked in the same transaction.
 */

import { notificationKinds, notificationLabels } from '../../../contract/notifications/kinds.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database, Tx } from '../../../database/database.ts'
import type { JobQueue } from '../../../jobs/queue.ts'
import { isContactHour } from '../../../rules/contact-hours.ts'
import type { Clock } from '../../../shared/clock.ts'
import { deriveId } from '../../../shared/ids.ts'
import { getAdminPowers } from '../../access/index.ts'
import { getCompanyName } from '../../company/index.ts'
import { listCompaniesWithPending, listPendingNotifications, markNotified, sendDirectMessage } from '../../notifications/index.ts'
import { mergeNotificationPreferences, type NotificationDigest, notifyDelayMs, planNotifications } from './notification-plan.ts'
import { getNotificationContacts, loadNotificationPreferences } from './preferences.ts'

type NotifierDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly secrets: Secrets
  readonly clock: Clock
  readonly origin: string
}

export function registerNotificationJobs(deps: NotifierDeps): void {
  const { database, jobs, clock } = deps
  jobs.register<{ company_id: string }>('notices', ({ company_id }) =>
    database.inCompany(company_id, (tx) => sendCompanyNotifications(deps, tx, company_id)),
  )
  jobs.schedule('notices-due', '* * * * *', async () => {
    const now = clock.now()
    const due = {
      before: new Date(now.getTime() - notifyDelayMs),
      kinds: isContactHour(now) ? notificationKinds : (['security'] as const),
    }
    await database.asSystem(async (tx) => {
      for (const company_id of await listCompaniesWithPending(tx, due)) await jobs.send(tx, 'notices', { company_id })
    })
  })
}

async function sendCompanyNotifications(
  { jobs, secrets, clock, origin }: NotifierDeps,
  db: Tx,
  company_id: string,
): Promise<void> {
  const now = clock.now()
  const companyTx = { db, company_id }
  const vault = await secrets.vault(db, company_id)
  const messageTx = {
    ...companyTx,
    now,
    vault,
    jobs: { send: (name: string, data: Record<string, unknown>, options?: object) => jobs.send(db, name, data, options) },
  }
  const companyName = await getCompanyName(companyTx)
  for (const [admin_id, pending] of await listPendingNotifications(companyTx)) {
    const contacts = await getNotificationContacts(companyTx, admin_id)
    const preferences = mergeNotificationPreferences(
      await getAdminPowers(companyTx, admin_id),
      await loadNotificationPreferences(companyTx, admin_id),
    )
    const { handledIds, chat, mail } = planNotifications(pending, preferences, {
      now,
      has: { chat: contacts.chat !== null, mail: contacts.mail !== null },
    })
    const digests: [NotificationDigest | null, string | null, 'platform' | 'email'][] = [
      [chat, contacts.chat, 'platform'],
      [mail, contacts.mail, 'email'],
    ]
    for (const [digest, to, channel] of digests) {
      if (!digest || !to) continue
      const id = deriveId('notice', channel, company_id, digest.firstId)
      // The platform drops duplicate messages, so the URL differs each time.
      const link = `${origin}/entry?page=${encodeURIComponent(`/agency?view=notice&n=${id.slice(0, 8)}`).replaceAll('%2F', '/')}`
      const kinds = digest.kinds.map((kind) => notificationLabels[kind]).join('、')
      await sendDirectMessage(messageTx, {
        id,
        channel,
        to,
        kind: 'notice',
        params: { corp: companyName, count: String(digest.count), news: kinds, link },
      })
    }
    await markNotified(companyTx, handledIds, now)
  }
}
