/** The mailbox that announces payslips: set by the enterprise administrators, used once a test message was accepted. */
import { canAccess } from '../../../contract/access.ts'
import * as contract from '../../../contract/payslips/mailbox.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database } from '../../../database/database.ts'
import type { NoTransaction } from '../../../database/no-transaction.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { sendRawMessage } from '../../../outbox/index.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { listSystemAdminIds } from '../../access/index.ts'
import {
  loadMailbox,
  type MailConnections,
  openMailSender,
  removeMailbox,
  saveMailboxSettings,
  setMailboxTested,
} from '../../company/index.ts'
import { notify } from '../../notifications/index.ts'
import { getInboxErrorMessage } from './bounces.ts'

type MailboxDeps = { readonly database: Database; readonly secrets: Secrets; readonly mail: MailConnections }

/** Why the current user may not change the mailbox: it is a credential of the company, which its own heads answer for. */
function getDisabledReason({ currentUser }: HandlerContext): string | null {
  if (currentUser.agency) return '发件邮箱由企业自己设置，代理企业不能修改；需要修改时，请联系这家企业的企业管理员或系统管理员'
  if (!canAccess(currentUser, contract.saveMailbox.access))
    return '发件邮箱是全公司的账号，只有企业管理员或系统管理员可以设置；需要修改时，请联系他们'
  return null
}

/** Notifies the other heads that mail leaves from another account, or no longer. */
async function notifyHeads(ctx: HandlerContext, change: string): Promise<void> {
  const text = `${ctx.currentUser.name} ${change}；如不是企业安排的，请尽快核实`
  for (const admin_id of await listSystemAdminIds(ctx, '1'))
    if (admin_id !== ctx.currentUser.admin_id) await notify(ctx, admin_id, { kind: 'security', text, batch_id: null })
}

const unclearMessage = '邮件服务器没有答复，不能确认测试邮件是否发出；请看看收件箱，没有收到就检查服务器地址和端口后再试'
const unreachableMessage = '现在连不上邮件服务器，或它要求稍后再试；请检查服务器地址、端口和加密方式'

/** Creates the handlers of the mailbox calls. */
export const createMailboxHandlers = (
  { database, secrets, mail: { openMail, allowPrivateHosts } }: MailboxDeps,
  pollInbox: (noTransaction: NoTransaction, company_id: string) => Promise<string | null>,
) => ({
  getMailbox: defineHandler(contract.getMailbox, async (ctx) => {
    const mailbox = await loadMailbox(ctx)
    const rest = { allows_private_hosts: allowPrivateHosts, disabled_reason: getDisabledReason(ctx) }
    if (!mailbox) return { mail: null, ...rest }
    const { tested_at, inbox, inbox_at, inbox_error, ...settings } = mailbox
    const inboxStatus = { read_at: inbox_at && toIsoTimestamp(inbox_at), fault: inbox_error && getInboxErrorMessage(inbox_error) }
    return {
      mail: { ...settings, tested_at: tested_at && toIsoTimestamp(tested_at), inbox: inbox && { ...inbox, ...inboxStatus } },
      ...rest,
    }
  }),

  saveMailbox: defineHandler(contract.saveMailbox, async (ctx, input) => {
    if ((input.security === 'none' || input.inbox?.security === 'none') && !allowPrivateHosts)
      throw invalidInput('security', '账号和内容会明文传输，不能使用；请选择 SSL/TLS 或 STARTTLS')
    const isOtherAccount = await saveMailboxSettings(ctx, input)
    if (isOtherAccount) await notifyHeads(ctx, `设置了发件邮箱：${input.user}，服务器 ${input.host}`)
    return {}
  }),

  deleteMailbox: defineHandler(contract.deleteMailbox, async (ctx) => {
    await removeMailbox(ctx)
    await notifyHeads(ctx, '删除了发件邮箱，不再发送邮件')
    return {}
  }),

  testMailbox: defineHandler(contract.testMailbox, { kind: 'external' }, async (ctx, { to }) => {
    const company_id = await ctx.inTransaction(async (handlerTx) => handlerTx.company_id)
    const sender = await openMailSender({ database, secrets, openMail }, company_id, { tested: false })
    if (!sender) throw fail('not_found', '还没有填写发件邮箱')
    const text = '【薪函】这是一封测试邮件，收到说明发件邮箱可以使用'
    const sendResult = await sendRawMessage(ctx.noTransaction, sender.line, {
      id: newId(),
      to,
      kind: 'test',
      text,
      variables: [],
      link: null,
      name: '',
    })
    if (sendResult.result !== 'accepted')
      return {
        is_accepted: false,
        message: sendResult.result === 'unclear' ? unclearMessage : (sendResult.message ?? unreachableMessage),
        inbox: null,
      }
    await ctx.mutate((handlerTx) => setMailboxTested(handlerTx, sender.as_of))
    const inboxError = await pollInbox(ctx.noTransaction, company_id)
    return { is_accepted: true, message: '', inbox: inboxError && getInboxErrorMessage(inboxError) }
  }),
})
