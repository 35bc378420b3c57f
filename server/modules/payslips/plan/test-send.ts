/**
 * Test send (试发): a batch is tried out before it is sent. Its content is stored in a separate table; it creates no
 * payslip, no charge and no statistics.
 */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { CallInput, CallOutput } from '../../../contract/call.ts'
import { type MessageContent, messageKinds } from '../../../contract/messages/sms-templates.ts'
import { type Payslip, payslip } from '../../../contract/payslips/payslip.ts'
import * as contract from '../../../contract/payslips/test-send.ts'
import { type Channel, channel } from '../../../contract/shared/schemas.ts'
import { can } from '../../../contract/shared/statuses.ts'
import { columnRoles, isName } from '../../../contract/sheets/column-roles.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import {
  createMessageSource,
  enqueueMessages,
  getMessages,
  type MessageDeps,
  registerMessageKind,
} from '../../../outbox/index.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { toIsoTimestamp, toShanghaiDate } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { adminView } from '../../access/read-model.ts'
import { getBoundProvider, loadWageSettings } from '../../company/settings/index.ts'
import { openPayslipLayout, openRecognition, renderPayslip } from '../../sheets/display/index.ts'
import { type BatchRow, countUnsent, requireBatch } from '../../sheets/index.ts'
import { createCellLoader } from '../../sheets/ready/index.ts'
import { type EnabledChannels, type RecipientContact, selectChannel } from '../rules/channel.ts'
import { createSampleCells, getTestBlockReason, maxTestSendsPerDay } from '../rules/test-send.ts'
import { loadRecipients } from '../send/identity.ts'

const testSendLifetimeMs = 86_400_000
const testSendMessageKind = 'rehearse'
const testSendDocument = defineDocument<Payslip>({
  kind: 'test send',
  version: 1,
  schema: payslip,
})
const channelListSchema = z.array(channel)
const getPayslipPosition = (id: string) => ({ table: 'test_send', row: id, column: 'payslip' })

/** A recipient of a test send. */
type Tester = { readonly account_id: string; readonly member_id: string | null; readonly contact: RecipientContact }

export const sendTest = defineHandler(contract.sendTest, async (ctx, request) => {
  await sendTestOfBatch(ctx, request)
  return { list: await listTestSends(ctx, request.batch_id) }
})

/** Sends a test with invented amounts to nobody but the administrator in whose seat an API key acts. */
export async function sendTestByKey(ctx: HandlerContext, request: Pick<TestRequest, 'batch_id' | 'channels'>) {
  const administrator = await loadAdministratorOfKey(ctx)
  const { mobile, member_id } = administrator
  const [id] = await sendTestOfBatch(
    { ...ctx, currentUser: { ...ctx.currentUser, mobile, member_id } },
    { ...request, member_ids: [] },
  )
  const sent = (await listTestSends(ctx, request.batch_id)).find(({ test_send_id }) => test_send_id === id)
  if (!sent) throw fail('not_found')
  return { ...sent, member_id }
}

/** A key has no roster row and no phone of its own. */
async function loadAdministratorOfKey(ctx: HandlerContext): Promise<{ readonly mobile: string; readonly member_id: string }> {
  const { member_id } = await ctx.db
    .selectFrom(adminView)
    .select('member_id')
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', ctx.currentUser.admin_id)
    .executeTakeFirstOrThrow()
  const member = (await loadRecipients(ctx, [member_id])).get(member_id)
  const blockReason = member && getTestBlockReason({ ...member, unconfirmed: member.unconfirmed_at !== null })
  if (!member?.account_mobile || blockReason) throw fail('wrong_state', blockReason ?? '接口密钥的创建人不在花名册里，不能试发')
  return { mobile: member.account_mobile, member_id }
}

type TestRequest = CallInput<typeof contract.sendTest>
/** Returns the ids of the test sends: first the current user's. */
async function sendTestOfBatch(ctx: HandlerContext, { batch_id, channels, member_ids, row }: TestRequest): Promise<string[]> {
  const { currentUser } = ctx
  const batch = await requireBatch(ctx, batch_id, 'manage')
  assertAllowed(can.send(batch.status, await countUnsent(ctx, batch_id)), { status: batch.status })
  if (!batch.title_id) throw fail('wrong_state', '请先填写这一批的标题和月份', { status: batch.status, field: 'title' })
  const testers = await loadTesters(ctx, member_ids)
  await assertDailyLimit(ctx, testers.length)
  const { send_rule } = await loadWageSettings(ctx)
  const sample = renderTestPayslip(ctx, batch, null)
  const ownPayslip = row === undefined ? null : renderTestPayslip(ctx, batch, await getRowCells(ctx, batch, row))
  const ids: string[] = []
  for (const tester of testers) {
    // Real amounts are shown only to the current user, who may view them anyway.
    const realPayslip = tester.account_id === currentUser.account_id ? ownPayslip : null
    const id = await sendToTester(ctx, batch, {
      tester,
      payslip: realPayslip ?? sample,
      row_no: realPayslip && row !== undefined ? row : null,
      channels: getReachableChannels(tester.contact, channels, send_rule),
    })
    ids.push(id)
  }
  ctx.addAuditDetails({ batch_id, people: testers.length })
  return ids
}

/**
 * Renders a payslip with these cells, or with null with sample values for every item of the layout, including those
 * hidden when empty or zero.
 */
function renderTestPayslip(ctx: HandlerContext, batch: BatchRow, cells: RowCells | null): Payslip {
  const recognition = openRecognition(ctx, batch)
  const { columns, formula } = recognition
  const layout = openPayslipLayout(ctx, batch, recognition)
  const nameKey = columns.find(({ role }) => isName(role))?.key
  return renderPayslip({
    layout: cells ? layout : { ...layout, hide_empty: false, hide_zero: false },
    columns,
    formula,
    cells: cells ?? createSampleCells(columns, formula),
    title: batch.title_name ?? '',
    month: batch.title_month,
    corp_name: ctx.currentUser.company_name,
    name: cells ? (cells[nameKey ?? '']?.value ?? '') : columnRoles.name.sample,
  })
}

async function getRowCells(ctx: HandlerContext, batch: BatchRow, row: number): Promise<RowCells> {
  const cells = (await createCellLoader(ctx, batch)([row])).get(row)
  if (!cells) throw fail('not_found', '表里没有这一行，请刷新后重选')
  return cells
}

/** Lists the current user first, then the others; each member once. */
async function loadTesters(ctx: HandlerContext, member_ids: readonly string[]): Promise<Tester[]> {
  const { currentUser } = ctx
  const others = [...new Set(member_ids)].filter((id) => id !== currentUser.member_id)
  const provider = await getBoundProvider(ctx)
  const memberById = await loadRecipients(ctx, currentUser.member_id ? [currentUser.member_id, ...others] : others)
  const getContact = (id: string | null): RecipientContact | null => {
    const member = id === null ? undefined : memberById.get(id)
    if (!member) return null
    const { mobile, email, status, platform_user_id } = member
    return { mobile, email, isTerminated: status === 'left', platform_user_id: provider ? platform_user_id : null }
  }
  const fallbackContact = { isTerminated: false, mobile: currentUser.mobile, email: '', platform_user_id: null }
  // The current user's phone is the one of the account, even if the roster has another one.
  const senderContact = {
    ...(getContact(currentUser.member_id) ?? fallbackContact),
    isTerminated: false,
    mobile: currentUser.mobile,
  }
  return [
    { account_id: currentUser.account_id, member_id: currentUser.member_id, contact: senderContact },
    ...others.map((id) => {
      const member = memberById.get(id)
      const contact = getContact(id)
      const blockReason = member
        ? getTestBlockReason({ ...member, unconfirmed: member.unconfirmed_at !== null })
        : '没有找到这个人，请刷新后重选'
      if (blockReason !== null || !member?.account_id || !contact)
        throw invalidInput('member_ids', blockReason ?? '没有找到这个人，请刷新后重选')
      return { account_id: member.account_id, member_id: id, contact }
    }),
  ]
}

/**
 * Returns every selected channel that reaches the tester: a test send shows all of them, not only the first. The link
 * channel has no message.
 */
const getReachableChannels = (
  contact: RecipientContact,
  channels: readonly Channel[],
  enabledChannels: EnabledChannels,
): Exclude<Channel, 'link'>[] =>
  channels.flatMap((channel) =>
    channel !== 'link' && selectChannel(contact, [channel], enabledChannels) !== null ? [channel] : [],
  )

const getStartOfDay = (now: Date): Date => new Date(`${toShanghaiDate(now)}T00:00:00+08:00`)

/** Test sends are free and therefore limited. */
async function assertDailyLimit({ db, company_id, now }: HandlerContext, newCount: number): Promise<void> {
  const { count } = await db
    .selectFrom('test_send')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('created_at', '>=', getStartOfDay(now))
    .executeTakeFirstOrThrow()
  if (Number(count) + newCount > maxTestSendsPerDay)
    throw fail('too_often', `试发不收费，所以一个企业一天最多 ${maxTestSendsPerDay} 人次，请明天再试`, { retry_after: 3600 })
  await db.deleteFrom('test_send').where('company_id', '=', company_id).where('expires_at', '<', getStartOfDay(now)).execute()
}

type TestMessage = {
  readonly tester: Tester
  readonly payslip: Payslip
  readonly row_no: number | null
  readonly channels: readonly Exclude<Channel, 'link'>[]
}
async function sendToTester(
  ctx: HandlerContext,
  batch: BatchRow,
  { tester, payslip: testPayslip, row_no, channels }: TestMessage,
): Promise<string> {
  const { db, company_id, currentUser, now, vault, origin } = ctx
  const id = newId()
  const message_ids = channels.map(() => newId())
  const expires_at = new Date(now.getTime() + testSendLifetimeMs)
  await db
    .insertInto('test_send')
    .values({
      company_id,
      id,
      batch_id: batch.id,
      requested_by: currentUser.account_id,
      by_name: currentUser.name,
      account_id: tester.account_id,
      member_id: tester.member_id,
      row_no,
      payslip: testSendDocument.seal(vault, getPayslipPosition(id), testPayslip),
      message_ids,
      channels: [...channels],
      created_at: now,
      expires_at,
    })
    .execute()
  const addresses = { platform: tester.contact.platform_user_id ?? '', sms: tester.contact.mobile, email: tester.contact.email }
  const createContent = (link: string): MessageContent => ({
    kind: 'rehearsal',
    params: { corp: currentUser.company_name, title: batch.title_name ?? '', link },
  })
  const messages = channels.map((channel, at) => ({
    id: message_ids[at] ?? newId(),
    channel,
    subject_id: id,
    content: {
      to: addresses[channel],
      message: createContent(channel === 'platform' ? getEntryLink(origin, id) : getTestShortLink(origin, id)),
    },
    expires_at,
  }))
  await enqueueMessages(ctx, testSendMessageKind, messages)
  return id
}

const getEntryLink = (origin: string, id: string): string => `${origin}/entry?page=/m/rehearsal/${id}`
const getTestShortLink = (origin: string, id: string): string =>
  `${origin}${messageKinds.rehearsal.linkPath}${id.replaceAll('-', '')}`

export const getTestSendList = defineHandler(contract.getTestSendList, async (ctx, { batch_id }) => {
  await requireBatch(ctx, batch_id, 'view')
  return { list: await listTestSends(ctx, batch_id) }
})

/** Lists the user's own test sends that have not expired. */
async function listTestSends(
  ctx: HandlerContext,
  batch_id: string,
): Promise<CallOutput<typeof contract.getTestSendList>['list']> {
  const { db, company_id, currentUser, now, origin } = ctx
  const rows = await db
    .selectFrom('test_send')
    .select(['id', 'account_id', 'member_id', 'row_no', 'message_ids', 'channels', 'created_at', 'expires_at', 'opened_at'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('requested_by', '=', currentUser.account_id)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy(sql`account_id = ${currentUser.account_id} desc`)
    .orderBy('id')
    .limit(maxTestSendsPerDay)
    .execute()
  const memberById = await loadRecipients(
    ctx,
    rows.flatMap(({ member_id }) => member_id ?? []),
  )
  const messages = await getMessages(
    ctx,
    rows.flatMap(({ message_ids }) => message_ids),
  )
  return rows.map((row) => ({
    test_send_id: row.id,
    name: row.account_id === currentUser.account_id ? currentUser.name : (memberById.get(row.member_id ?? '')?.name ?? ''),
    is_own: row.account_id === currentUser.account_id,
    is_sample: row.row_no === null,
    at: toIsoTimestamp(row.created_at),
    expires_at: toIsoTimestamp(row.expires_at),
    opened_at: row.opened_at && toIsoTimestamp(row.opened_at),
    deliveries: channelListSchema.parse(row.channels).map((channelName, at) => {
      const { status = 'queued' as const, message = null } = messages.get(row.message_ids[at] ?? '') ?? {}
      return { channel: channelName, status, message: message ?? '' }
    }),
    link: getTestShortLink(origin, row.id),
  }))
}

export const getTestSend = defineHandler(contract.getTestSend, async (ctx, { test_send_id }) => {
  const { db, company_id, currentUser, now, vault } = ctx
  const row = await db
    .selectFrom('test_send')
    .select(['id', 'batch_id', 'requested_by', 'by_name', 'row_no', 'payslip', 'created_at', 'expires_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', test_send_id)
    .where('account_id', '=', currentUser.account_id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!row) throw fail('not_found', '没有找到这次试发：它只有收到的人能打开，并且一天后失效')
  // Real amounts are shown only to users who may still view them.
  if (row.row_no !== null) await assertCanViewRow(ctx, row)
  await db
    .updateTable('test_send')
    .set({ opened_at: sql`coalesce(opened_at, ${now}::timestamptz)` })
    .where('company_id', '=', company_id)
    .where('id', '=', row.id)
    .execute()
  ctx.addAuditDetails({ batch_id: row.batch_id, test_send_id: row.id })
  return {
    payslip: testSendDocument.open(vault, getPayslipPosition(row.id), row.payslip),
    sample: row.row_no === null,
    by: row.by_name,
    at: toIsoTimestamp(row.created_at),
    expires_at: toIsoTimestamp(row.expires_at),
  }
})

async function assertCanViewRow(
  ctx: HandlerContext,
  { batch_id, requested_by }: { batch_id: string; requested_by: string },
): Promise<void> {
  const { power, account_id } = ctx.currentUser
  if (requested_by !== account_id || !(power.includes('2') || power.includes('4'))) throw fail('not_found')
  await requireBatch(ctx, batch_id, 'view')
}

/** A carrier's rejection is shown in the sender's list; nothing else follows from it. */
export function registerTestSends(deps: MessageDeps & { readonly log: { error(about: object, message: string): void } }): void {
  registerMessageKind(deps, testSendMessageKind, (company_id) =>
    createMessageSource(deps, testSendMessageKind, company_id, ({ id, code }) =>
      deps.log.error({ message_id: id, code }, 'a message of a rehearsal was refused'),
    ),
  )
}
