/** The three adapters behind the port. Nothing is asked, and no SDK loaded, before somebody comes. */
import { type CarrierLine, lineOf, type ReadOutcome, type SeenMessage } from './carrier.ts'
import { dingtalkPlatform } from './dingtalk/index.ts'
import { larkPlatform } from './lark/index.ts'
import type { App, Platforms, TokenStore } from './types.ts'
import { wecomPlatform } from './wecom/index.ts'
import { type Hosts, vendorHosts } from './wire/hosts.ts'
import { leadingHome } from './wire/links.ts'
import { Tokens } from './wire/tokens.ts'

export { simulatorHosts } from './wire/hosts.ts'

type Opening = {
  readonly hosts?: Hosts
  readonly now?: () => number
  /** Where tokens are kept for all nodes; without it each keeps its own. */
  readonly store?: TokenStore
}
export function openPlatforms({ hosts = vendorHosts, now = Date.now, store }: Opening = {}): Platforms {
  const tokens = new Tokens(now, store)
  return {
    lark: larkPlatform(hosts.lark, tokens, now),
    wecom: wecomPlatform(hosts.wecom, tokens, now),
    dingtalk: dingtalkPlatform(hosts.dingtalk, tokens, now),
  }
}

/** The line of one application, for the ledger; two bindings of the same application share its pace. */
export function openChat(platforms: Platforms, app: App): CarrierLine {
  const { carrier, messages } = platforms[app.provider]
  const told = lineOf(`chat:${app.provider}:${app.corp_id}:${app.app_id}:${app.agent_id}`, carrier, app)
  const line: CarrierLine = {
    ...told,
    send: (all) => told.send(all.map((one) => leadingHome(one, app))),
    amend: (all) => told.amend(all.map((one) => leadingHome(one, app))),
  }
  if (!messages.describe(app).reads) return line
  const readOf = async ({ id, ref, to, at }: SeenMessage): Promise<ReadOutcome> => {
    const [one] = await messages.standing(app, { ref, to: [to], sent_at: at })
    return { id, read: one?.read ?? null }
  }
  return { ...line, reads: (asked) => Promise.all(asked.map(readOf)) }
}
