/** The notice to employees about the processing of their data, with a record of its display. Writes privacy_notice. */
import * as contract from '../../contract/retention/privacy-notice.ts'
import { defineHandler, type HandlerContext } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { loadRetention } from './settings.ts'

const findRecord = ({ db, company_id, currentUser }: HandlerContext) =>
  db
    .selectFrom('privacy_notice')
    .select(['displayed_at', 'read_at'])
    .where('company_id', '=', company_id)
    .where('account_id', '=', currentUser.account_id)
    .executeTakeFirst()

/** Records the first display; a disk that is full does not keep anybody from reading the notice. */
async function recordDisplay({ db, company_id, currentUser, now, isReadOnly }: HandlerContext): Promise<void> {
  if (isReadOnly) return
  await db
    .insertInto('privacy_notice')
    .values({ company_id, account_id: currentUser.account_id, displayed_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const getPrivacyNotice = defineHandler(contract.getPrivacyNotice, async (ctx) => {
  await recordDisplay(ctx)
  const record = await findRecord(ctx)
  const { rules } = await loadRetention(ctx)
  return {
    corp_name: ctx.currentUser.company_name,
    rules,
    displayed_at: record ? toIsoTimestamp(record.displayed_at) : null,
    read_at: record?.read_at ? toIsoTimestamp(record.read_at) : null,
  }
})

export const confirmPrivacyNotice = defineHandler(contract.confirmPrivacyNotice, async (ctx) => {
  const { db, company_id, currentUser, now } = ctx
  await recordDisplay(ctx)
  await db
    .updateTable('privacy_notice')
    .set({ read_at: now })
    .where('company_id', '=', company_id)
    .where('account_id', '=', currentUser.account_id)
    .where('read_at', 'is', null)
    .execute()
  const record = await findRecord(ctx)
  return { read_at: toIsoTimestamp(record?.read_at ?? now) }
})
