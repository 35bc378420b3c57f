/** What answers the calls of invitations, and the job that sends them. */
import * as contract from '../../contract/directory/invite.ts'
import * as reach from '../../contract/directory/unreachable-members.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import { acceptInvite, getInvite } from './accept.ts'
import { sendInviteCode } from './invite.ts'
import { type InviteMessageDeps, registerInviteMessages } from './invite-messages.ts'
import { getInviteList, getInviteStatuses } from './invite-status.ts'
import { getJoinQrCode, resetQrCode } from './join-code.ts'
import { decideJoinRequest, getJoinRequestList } from './join-requests.ts'
import { getUnreachableMemberList } from './unreachable-members.ts'

/** Binds the calls and declares the job. */
export function createInviteModule(deps: InviteMessageDeps): { handlers: Handler[] } {
  registerInviteMessages(deps)
  const sendHandlers = { sendInviteCode: sendInviteCode(deps) }
  return {
    handlers: [
      ...bindHandlers(reach, { getUnreachableMemberList }),
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
