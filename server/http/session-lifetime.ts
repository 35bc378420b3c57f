/** Lifetimes of sessions, and the reasons for their end. */
import { errorCodes } from '../contract/errors.ts'

/** Maximum idle time and maximum lifetime of a session; shorter for administrators. */
export type SessionLifetime = { readonly idle_s: number; readonly absolute_s: number }
export const sessionLifetimes = {
  admin: { idle_s: 1800, absolute_s: 8 * 3600 },
  employee: { idle_s: 1800, absolute_s: 12 * 3600 },
} as const satisfies Record<string, SessionLifetime>

/** Why a session ended early, with the message for its user. `signed_out` was the user's own action. */
const sessionEndMessages = {
  signed_out: errorCodes.signed_out.message,
  chosen: '您已在这个浏览器里重新登录或切换了企业，请刷新页面',
  password: '登录密码已被修改，请用新密码重新登录',
  phone: '登录手机号已更换，请用新手机号登录',
  passed_on: '这个手机号已换人使用，请联系公司登记您现在的手机号，再用新手机号登录',
  factor: '账号的两步验证有变动，请重新登录',
  device: '已在另一台设备上将此处下线，请重新登录',
  kicked: '管理员已将您的登录下线，请重新登录',
  role: '您的权限有变动，请重新登录',
  left: '您已不在这家企业，请重新登录',
  unbound: '企业已解除与办公平台的绑定，请用手机号登录',
  served: '对方企业已结束代理服务，请重新登录回到自己的企业',
  transferred: errorCodes.transferred.message,
} as const
export type SessionEndReason = keyof typeof sessionEndMessages
const sessionEndMessageMap: ReadonlyMap<string, string> = new Map(Object.entries(sessionEndMessages))
export const getSessionEndMessage = (ended: string): string => sessionEndMessageMap.get(ended) ?? sessionEndMessages.signed_out
export const idleTimeoutMessage = '长时间没有操作，已自动退出，请重新登录'
export const sessionExpiredMessage = '登录已到期，请重新登录'
