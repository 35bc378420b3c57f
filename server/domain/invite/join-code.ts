/** The company's join code: shown as an address and a picture, until somebody makes a new one. */
import * as contract from '../../contract/people/invite.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { renewJoinCode } from '../company/index.ts'
import { keepsAll } from '../member/index.ts'
import { joinCodeOf, linkOf } from './codes.ts'
import { qrSvg } from './qr.ts'

async function shown(ctx: Ctx) {
  const { code, expires_at } = await joinCodeOf(ctx)
  const url = linkOf(ctx.origin, code)
  return { url, svg: qrSvg(url), expires_at: isoOf(expires_at), renewable: keepsAll(ctx) }
}

export const qr_code = handle(contract.qr_code, shown)

/** It is everybody's: made anew by whoever keeps everybody. */
export const resetQrCode = handle(contract.resetQrCode, async (ctx) => {
  if (!keepsAll(ctx))
    throw refuse('not_permitted', '二维码对全公司有效，您只管理部分部门，不能重新生成；请联系管理全公司的员工管理员或系统管理员')
  await renewJoinCode(ctx)
  return shown(ctx)
})
