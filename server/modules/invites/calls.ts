/** Handlers of the invite calls, and the job that sends invites. */
import * as contract from '../../contract/invites/invite.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import { acceptInvite, getInvite } from './accept.ts'
import { sendInviteCode } from './invite.ts'
import { type InviteMessageDeps, registerInviteMessages } from './invite-messages.ts'
import { getInviteList, getInviteStatuses } from './invite-status.ts'
import { getJoinQrCode, resetQrCode } from './join-code.ts'
import { decideJoinRequest, getJoinRequestList } from './join-requests.ts'

export function createInviteModule(deps: InviteMessageDeps): { handlers: Handler[] } {
  registerInviteMessages(deps)
  const sendHandlers = { sendInviteCode: sendInviteCode(deps) }
  return {
    handlers: [
      ...bindHandlers(contract, {
        ...sendHandlers,
        getInviteStatuses,
        getInviteList,
        getJoinQrCode,
        resetQrCode,
        getJoinRequestList,
        decideJoinRequest,
        getInvite,
        acceptInvite,
      }),
    ],
  }
}
