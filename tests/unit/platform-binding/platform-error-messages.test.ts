/** What administrators read when a platform refuses: in the words of that platform's console, with what has to be entered. */
import { describe, expect, it } from 'vitest'
import { PlatformError } from '../../../platform/types.ts'
import { getPlatformErrorMessage } from '../../../server/modules/platform-binding/external-platforms.ts'

describe('messages for refused platform calls', () => {
  it.each([
    [
      'wecom',
      '60020',
      'not allow to access from your ip, hint: [17_1_ab], from ip: 203.0.113.7, more info',
      '请在企业微信后台的「企业可信 IP」加入薪函服务器的 IP：203.0.113.7',
    ],
    [
      'dingtalk',
      '60020',
      '访问ip不在白名单之中,request ip=203.0.113.7',
      '请在钉钉后台的「服务器出口 IP」加入薪函服务器的 IP：203.0.113.7',
    ],
    ['lark', '99991401', 'ip denied by app setting', '请在飞书后台的「IP 白名单」加入薪函服务器的 IP'],
  ] as const)('%s %s names its own list and the address', (provider, code, message, text) => {
    const error = new PlatformError(provider, 'ip_not_trusted', code, message)
    expect(getPlatformErrorMessage(error)).toBe(text)
    expect(error.message).not.toContain('203.0.113.7')
  })

  it('names the missing permission', () => {
    const error = new PlatformError('wecom', 'not_permitted', 48002, { message: 'api forbidden', permission: '通讯录' })
    expect(getPlatformErrorMessage(error)).toBe('应用没有「通讯录」接口权限，请在企业微信后台的应用详情里开通')
  })
})
