/** Inviting members, and joining by invite. Writes invite and join_request. Only the job of `invite-messages.ts` sends. */

export { listInvitesForExport, selectInviteFailure } from './invite-status.ts'
export { countPendingJoinRequests } from './join-requests.ts'
export { renderQrCodeSvg } from './qr-code.ts'
