/** The mailbox that slips are announced from: said by whoever pays everybody, and used once a test message was taken. */
import * as contract from '../../../contract/wage/mail.ts'
import { isoOf } from '../../../runtime/clock.ts'
import type { Outdoors } from '../../../runtime/data/outdoors.ts'
import type { Database } from '../../../runtime/db.ts'
import { type Ctx, handle, handleOutside, invalid, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { handOverWords } from '../../../runtime/post/index.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { forgetMail, type MailDesk, mailLine, mailOf, markMailTested, saveMail } from '../../company/index.ts'
import { keepsAll } from '../../member/index.ts'
import { inboxWords } from './bounces.ts'

type MailParts = { readonly database: Database; readonly secrets: Secrets; readonly mail: MailDesk }

function mustKeepAll(ctx: Ctx): void {
  if (!keepsAll(ctx))
    throw refuse('not_permitted', '发件邮箱对全公司生效，您只管理部分部门，不能修改；请联系管理全公司的薪酬管理员或系统管理员')
}

const unclear = '邮件服务器没有答复，不能确认测试邮件是否发出；请看看收件箱，没有收到就检查服务器地址和端口后再试'
const later = '现在连不上邮件服务器，或它要求稍后再试；请检查服务器地址、端口和加密方式'

/** The calls about the mailbox. */
export const mailCalls = (
  { database, secrets, mail: { openMail, private_hosts } }: MailParts,
  tryInbox: (outdoors: Outdoors, company_id: string) => Promise<string | null>,
) => ({
  getMail: handle(contract.getMail, async (ctx) => {
    const kept = await mailOf(ctx)
    if (!kept) return { mail: null, may_be_inside: private_hosts }
    const { tested_at, inbox, inbox_at, inbox_fault, ...rest } = kept
    const read = { read_at: inbox_at && isoOf(inbox_at), fault: inbox_fault && inboxWords(inbox_fault) }
    return {
      mail: { ...rest, tested_at: tested_at && isoOf(tested_at), inbox: inbox && { ...inbox, ...read } },
      may_be_inside: private_hosts,
    }
  }),

  setMail: handle(contract.setMail, async (ctx, given) => {
    mustKeepAll(ctx)
    if ((given.security === 'none' || given.inbox?.security === 'none') && !private_hosts)
      throw invalid('security', '账号和内容会明文传输，不能使用；请选择 SSL/TLS 或 STARTTLS')
    await saveMail(ctx, given)
    return {}
  }),

  clearMail: handle(contract.clearMail, async (ctx) => {
    mustKeepAll(ctx)
    await forgetMail(ctx)
    return {}
  }),

  testMail: handleOutside(contract.testMail, async (ctx, { to }) => {
    const company_id = await ctx.inTransaction(async (inside) => {
      mustKeepAll(inside)
      return inside.company_id
    })
    const found = await mailLine({ database, secrets, openMail }, company_id, { tested: false })
    if (!found) throw refuse('not_found', '还没有填写发件邮箱')
    const text = '【薪函】这是一封测试邮件，收到说明发件邮箱可以使用'
    const said = await handOverWords(ctx.outdoors, found.line, {
      id: newId(),
      to,
      kind: 'test',
      text,
      variables: [],
      link: null,
      name: '',
    })
    if (said.result !== 'accepted')
      return {
        taken: false,
        message: said.result === 'unclear' ? unclear : (said.message ?? later),
        inbox: null,
      }
    await ctx.deed((inside) => markMailTested(inside, found.as_of))
    const fault = await tryInbox(ctx.outdoors, company_id)
    return { taken: true, message: '', inbox: fault && inboxWords(fault) }
  }),
})
