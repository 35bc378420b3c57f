/** The three adapters behind the port. Nothing is asked, and no SDK loaded, before somebody comes. */
import { dingtalkPlatform } from './dingtalk/index.ts'
import { larkPlatform } from './lark/index.ts'
import type { Platforms } from './types.ts'
import { wecomPlatform } from './wecom/index.ts'
import { type Hosts, vendorHosts } from './wire/hosts.ts'
import { Tokens } from './wire/tokens.ts'

export { simulatorHosts } from './wire/hosts.ts'

export function openPlatforms({ hosts = vendorHosts, now = Date.now }: { hosts?: Hosts; now?: () => number } = {}): Platforms {
  const tokens = new Tokens(now)
  return {
    lark: larkPlatform(hosts.lark, tokens),
    wecom: wecomPlatform(hosts.wecom, tokens),
    dingtalk: dingtalkPlatform(hosts.dingtalk, tokens),
  }
}
