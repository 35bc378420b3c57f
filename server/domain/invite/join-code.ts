/** The company's join code: shown as an address and a picture, until somebody makes a new one. */
import * as contract from '../../contract/invite.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import { renewJoinCode } from '../company/index.ts'
import { joinCodeOf, linkOf } from './codes.ts'
import { qrSvg } from './rules/qr.ts'

async function shown(ctx: Ctx) {
  const { code, expires_at } = await joinCodeOf(ctx)
  const url = linkOf(ctx.origin, code)
  return { url, svg: qrSvg(url), expires_at: isoOf(expires_at) }
}

export const qr_code = handle(contract.qr_code, shown)

export const resetQrCode = handle(contract.resetQrCode, async (ctx) => {
  await renewJoinCode(ctx)
  return shown(ctx)
})
