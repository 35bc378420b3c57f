/** What answers the calls of invitations, and the job that sends them. */
import * as contract from '../../contract/people/invite.ts'
import * as reach from '../../contract/people/reach.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import { acceptInvite, getInvite } from './accept.ts'
import { sendInviteCode } from './invite.ts'
import { qr_code, resetQrCode } from './join-code.ts'
import { type MessengerParts, openMessenger } from './messenger.ts'
import { getReachList } from './reach.ts'
import { decideJoin, getJoinList } from './requests.ts'
import { getInviteList, getInviteStates } from './states.ts'

/** Binds the calls and declares the job. */
export function openInvites(parts: MessengerParts): { handlers: Handler[] } {
  openMessenger(parts)
  const sends = { sendInviteCode: sendInviteCode(parts) }
  return {
    handlers: [
      ...implement(reach, { getReachList }),
      ...implement(contract, {
        ...sends,
        getInviteStates,
        getInviteList,
        qr_code,
        resetQrCode,
        getJoinList,
        decideJoin,
        getInvite,
        acceptInvite,
      }),
    ],
  }
}
