/**
 * Notifies the owner of a session whose token arrived without its cookie: somebody has extracted it from a browser. The
 * token gives no access.
 */

import { sql } from 'kysely'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database } from '../../../database/database.ts'
import { writeAuditEntry } from '../../../http/audit-log.ts'
import { isFirstInWindow } from '../../../http/limits/attempts.ts'
import { notificationIntervals } from '../../../http/limits/config.ts'
import type { RequestDeps } from '../../../http/pipeline.ts'
import type { Log } from '../../../observability/log.ts'
import { adminView } from '../../access/read-model.ts'
import { notify } from '../../notifications/index.ts'

export const createStolenTokenAlert =
  ({ database, secrets, log }: { database: Database; secrets: Secrets; log: Log }): RequestDeps['onStolenToken'] =>
  async ({ id, account_id, company_id }, { call, address, request_id, now }) => {
    if (!(await isFirstInWindow(database, `token-alone|${id}`, notificationIntervals.stolenToken, now))) return
    log.warn({ request_id, account_id }, 'a session token came without its cookie')
    if (!company_id) return
    await database.inCompany(company_id, async (tx) => {
      const entry = { call, outcome: 'signed_out', details: { token_without_cookie: 1 }, at: now, address, request_id }
      await writeAuditEntry(tx, { company_id, account_id, name: '', agency: null }, entry)
      const admin = await tx
        .selectFrom(adminView)
        .select('id')
        .where('company_id', '=', company_id)
        .where('account_id', '=', account_id)
        .where(sql<boolean>`cardinality(power) > 0`)
        .executeTakeFirst()
      if (!admin) return
      const text = `有人在 ${address} 试图使用您的登录凭证，已被拦截；如非本人操作，请修改密码，并在「我的设备」里让其他设备下线`
      await notify({ db: tx, company_id, now, vault: await secrets.vault(tx, company_id) }, admin.id, {
        kind: 'security',
        text,
        batch_id: null,
      })
    })
  }
