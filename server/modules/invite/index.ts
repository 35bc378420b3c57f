/** Inviting people, and coming by an invite. Writes invite and join_request. Nothing here touches the outside world but the job in `messenger.ts`. */

export { listInvitesForExport } from './invite-status.ts'
export { countPendingJoinRequests } from './join-requests.ts'
export { renderQrCodeSvg } from './qr-code.ts'
