/**
 * A tab inside WeCom's own client: it tells whether a signature is the application's, the names of users, and which
 * user was picked.
 */
import type { Browser } from 'playwright-core'
import { getClientScript, namesScript } from '../../../platform/simulator/client.ts'
import type { SimulatedUser, Simulator } from '../../../platform/simulator/index.ts'
import { toOpenUserId } from '../../../platform/simulator/wecom/ids.ts'
import { computeJsSignature } from '../../../platform/wire/js-signature.ts'
import { newPage, type Tab, type View } from '../journey/browser.ts'
import type { ChatCompany } from './chat-company.ts'

export const wecomAgent =
  'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0 Mobile Safari/537.36 wxwork/4.1.30 MicroMessenger/7.0.1 Language/zh'

type Signed = { corpid: string; agentid: string; timestamp: string; nonceStr: string; signature: string }
export type WecomTab = { readonly page: Tab; chooses(...people: SimulatedUser[]): void }
export async function wecomTab(
  browser: Browser,
  address: string,
  simulator: Simulator,
  { app, both, corp_id }: ChatCompany,
  view: View = {},
): Promise<WecomTab> {
  const page = await newPage(browser, address, view, { agent: wecomAgent })
  let selected: SimulatedUser[] = []
  const company = simulator.company('wecom', corp_id)
  await page.exposeFunction('simulatedSigned', ({ corpid, agentid, timestamp, nonceStr, signature }: Signed, url: string) => {
    const { token } = simulator.state.getToken(app, 'agent_ticket', 0)
    const own = computeJsSignature({ ticket: token, nonce: nonceStr, timestamp, url })
    return corpid === corp_id && agentid === app.agent_id && signature === own
  })
  await page.exposeFunction('simulatedNames', (type: string, id: string) =>
    type === 'departmentName'
      ? company.departments.get(id)?.name
      : [...company.users.values()].find(({ user_id }) => toOpenUserId(corp_id, user_id) === id)?.name,
  )
  await page.exposeFunction('simulatedPick', () => (selected.length > 0 ? simulator.pickUsers(app, both, selected) : null))
  await page.addInitScript(getClientScript('wecom').body)
  await page.route(namesScript.host, (route) => route.fulfill({ contentType: 'text/javascript', body: namesScript.body }))
  return {
    page,
    chooses: (...people) => {
      selected = people
    },
  }
}
