/** The mailbox that announces payslips: set by an administrator who pays all members, used once a test message was accepted. */
import * as contract from '../../../contract/payslips/mailbox.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database } from '../../../database/database.ts'
import type { NoTransaction } from '../../../database/no-transaction.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { sendRawMessage } from '../../../outbox/index.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import {
  loadMailbox,
  type MailConnections,
  openMailSender,
  removeMailbox,
  saveMailboxSettings,
  setMailboxTested,
} from '../../company/index.ts'
import { canManageAllMembers } from '../../directory/index.ts'
import { getInboxErrorMessage } from './bounces.ts'

type MailboxDeps = { readonly database: Database; readonly secrets: Secrets; readonly mail: MailConnections }

function assertFullScope(ctx: HandlerContext): void {
  if (!canManageAllMembers(ctx))
    throw fail('not_permitted', '发件邮箱对全公司生效，您只管理部分部门，不能修改；请联系管理全公司的薪酬管理员或系统管理员')
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
    if (!mailbox) return { mail: null, allows_private_hosts: allowPrivateHosts }
    const { tested_at, inbox, inbox_at, inbox_error, ...rest } = mailbox
    const inboxStatus = { read_at: inbox_at && toIsoTimestamp(inbox_at), fault: inbox_error && getInboxErrorMessage(inbox_error) }
    return {
      mail: { ...rest, tested_at: tested_at && toIsoTimestamp(tested_at), inbox: inbox && { ...inbox, ...inboxStatus } },
      allows_private_hosts: allowPrivateHosts,
    }
  }),

  saveMailbox: defineHandler(contract.saveMailbox, async (ctx, input) => {
    assertFullScope(ctx)
    if ((input.security === 'none' || input.inbox?.security === 'none') && !allowPrivateHosts)
      throw invalidInput('security', '账号和内容会明文传输，不能使用；请选择 SSL/TLS 或 STARTTLS')
    await saveMailboxSettings(ctx, input)
    return {}
  }),

  deleteMailbox: defineHandler(contract.deleteMailbox, async (ctx) => {
    assertFullScope(ctx)
    await removeMailbox(ctx)
    return {}
  }),

  testMailbox: defineHandler(contract.testMailbox, { kind: 'external' }, async (ctx, { to }) => {
    const company_id = await ctx.inTransaction(async (handlerTx) => {
      assertFullScope(handlerTx)
      return handlerTx.company_id
    })
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
