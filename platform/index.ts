/** The three adapters behind the port. Nothing is asked, and no SDK loaded, before somebody comes. */
import { dingtalkPlatform } from './dingtalk.ts'
import { type Hosts, vendorHosts } from './hosts.ts'
import { larkPlatform } from './lark.ts'
import { Tokens } from './tokens.ts'
import type { Platforms } from './types.ts'
import { wecomPlatform } from './wecom.ts'

export { simulatorHosts } from './hosts.ts'

export function openPlatforms({ hosts = vendorHosts, now = Date.now }: { hosts?: Hosts; now?: () => number } = {}): Platforms {
  const tokens = new Tokens(now)
  return {
    lark: larkPlatform(hosts.lark, tokens),
    wecom: wecomPlatform(hosts.wecom, tokens),
    dingtalk: dingtalkPlatform(hosts.dingtalk, tokens),
  }
}
