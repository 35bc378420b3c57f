/** The company's join code, shown as a URL and a QR code until it is reset. */
import * as contract from '../../contract/invites/invite.ts'
import { defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { renewJoinCode } from '../company/index.ts'
import { canManageAllMembers } from '../directory/index.ts'
import { getInviteLink, getJoinCode } from './codes.ts'
import { renderQrCodeSvg } from './qr-code.ts'

async function getJoinQrCodeView(ctx: HandlerContext) {
  const { code, expires_at } = await getJoinCode(ctx)
  const url = getInviteLink(ctx.origin, code)
  return { url, svg: renderQrCodeSvg(url), expires_at: toIsoTimestamp(expires_at), can_reset: canManageAllMembers(ctx) }
}

export const getJoinQrCode = defineHandler(contract.getJoinQrCode, getJoinQrCodeView)

/** The code concerns the whole company, so only an administrator of all members may reset it. */
export const resetQrCode = defineHandler(contract.resetQrCode, async (ctx) => {
  if (!canManageAllMembers(ctx))
    throw fail('not_permitted', '二维码对全公司有效，您只管理部分部门，不能重新生成；请联系管理全公司的员工管理员或系统管理员')
  await renewJoinCode(ctx)
  return getJoinQrCodeView(ctx)
})
