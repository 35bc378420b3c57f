/** Inviting people, and coming by an invite. Writes invite and join_request. Nothing here touches the outside world but the job in `messenger.ts`. */
export { qrSvg } from './qr.ts'
export { joinsWaiting } from './requests.ts'
export { invitesTo } from './states.ts'
