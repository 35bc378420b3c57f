/** Inviting people, and coming by an invite. Writes invite. Nothing here touches the outside world but the job in `messenger.ts`. */
import type { Handler } from '../../runtime/handle.ts'
import { acceptInvite, getInvite } from './accept.ts'
import { sendInviteCode } from './invite.ts'
import { qr_code, resetQrCode } from './join-code.ts'
import { type MessengerParts, openMessenger } from './messenger.ts'

export { qrSvg } from './qr.ts'

/** Binds the calls and declares the job. */
export function openInvites(parts: MessengerParts): { handlers: Handler[] } {
  openMessenger(parts)
  return { handlers: [sendInviteCode(parts), qr_code, resetQrCode, getInvite(parts.secrets), acceptInvite(parts.secrets)] }
}
