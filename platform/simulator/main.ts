/**
 * `npm run simulators`: runs the three platforms as processes, each on its own port with its own paths and an initial
 * world.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ChatApp, Provider } from '../types.ts'
import { loadWorld, runControl } from './control.ts'
import { Simulator } from './index.ts'
import { providerTitles } from './pages/sign-in.ts'
import { parseObjectOrEmpty } from './state.ts'
import { populateWorld, providers } from './world.ts'

const helpText = `npm run simulators -- [options]

Stand-ins for Lark, WeCom and DingTalk with the platforms' own paths, tokens, limits and refusals. Stop with Ctrl-C.

  --lark PORT       7301      --only NAME        one of lark, wecom, dingtalk alone
  --wecom PORT      7302      --host ADDRESS     127.0.0.1
  --dingtalk PORT   7303      --people N         people a company (200)
  --origin URL      where sign-in pages may lead back to (http://127.0.0.1:8080)
  --departments N   departments a company (20)
  --no-limits       never too often     --world FILE   a world of your own, as JSON: {"apps":[…],"suites":[…],"departments":[…],"people":[…]}
  --retries SCALE   what a second between tries of a callback is worth (1)
  --help            this

Pages:    GET  /_/inbox             whose chat, and what he got; a tap on a card opens where it leads
Control:  POST /_/control/NAME      JSON in, {"done": …} out; a wrong NAME answers all there are. For example
          curl -d '{"provider":"wecom","kind":"too_many","path":"/message/send","times":3}' http://127.0.0.1:7302/_/control/fail
          kind: refuse (code) · slow (ms) · lose · cut · broken · unreadable · too_many
          curl -d '{"provider":"lark"}' http://127.0.0.1:7301/_/control/expire          every token dies
          curl -d '{"forward_ms":7200000}' http://127.0.0.1:7301/_/control/clock       two hours later, on all three
          curl -d '{"provider":"lark","corp_id":"…","user_id":"…"}' …/_/control/code    a code, as the client's sign-in would give it
          curl -d '{"provider":"lark","corp_id":"…","change":{"callback":{"url":"…","token":"…","aes_key":"…"}}}' …/_/control/change
`

const { values } = parseArgs({
  options: {
    lark: { type: 'string', default: '7301' },
    wecom: { type: 'string', default: '7302' },
    dingtalk: { type: 'string', default: '7303' },
    only: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    people: { type: 'string', default: '200' },
    departments: { type: 'string', default: '20' },
    origin: { type: 'string', default: 'http://127.0.0.1:8080' },
    world: { type: 'string' },
    'no-limits': { type: 'boolean', default: false },
    retries: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const printLine = (line: string): void => void process.stdout.write(`${line}\n`)

/** Formats how to point a client at the simulator, with a first call to try. */
function formatUsage(provider: Provider, address: string, app: ChatApp): string {
  switch (provider) {
    case 'lark':
      return `飞书: instead of https://open.feishu.cn and https://accounts.feishu.cn; of the SDK domain and oauthBaseUrl
  curl -d '{"app_id":"${app.app_id}","app_secret":"${app.secret}"}' ${address}/open-apis/auth/v3/tenant_access_token/internal
  curl -H "Authorization: Bearer $TOKEN" '${address}/open-apis/contact/v3/scopes'`
    case 'wecom':
      return `企业微信: instead of https://qyapi.weixin.qq.com (sign-in pages too)
  curl '${address}/cgi-bin/gettoken?corpid=${app.corp_id}&corpsecret=${app.secret}'
  curl "${address}/cgi-bin/department/list?access_token=$TOKEN"`
    case 'dingtalk':
      return `钉钉: instead of https://oapi.dingtalk.com, https://api.dingtalk.com and https://login.dingtalk.com
  curl -H 'content-type: application/json' -d '{"appKey":"${app.app_id}","appSecret":"${app.secret}"}' ${address}/v1.0/oauth2/accessToken
  curl -H 'content-type: application/json' -d '{"dept_id":1}' "${address}/topapi/v2/department/listsub?access_token=$TOKEN"`
  }
}

async function run(): Promise<void> {
  if (values.help) return printLine(helpText)
  const selected = providers.filter((provider) => !values.only || provider === values.only)
  if (selected.length === 0) throw new Error(`--only ${values.only}: lark, wecom or dingtalk`)
  const simulator = new Simulator()
  simulator.state.limits.isEnabled = !values['no-limits']
  simulator.callbackSender.delayScale = Number(values.retries)
  const size = { people: Number(values.people), departments: Number(values.departments), origin: values.origin }
  const usages: string[] = []
  for (const only of selected) {
    const { app, suite } = populateWorld(simulator, only, size)
    await simulator.issueTicket(suite)
    const address = await simulator.listen({ port: Number(values[only]), host: values.host, only, control: runControl })
    const appFields = {
      lark: `app_id=${app.app_id}`,
      wecom: `agentid=${app.agent_id}`,
      dingtalk: `appkey=${app.app_id} agent_id=${app.agent_id}`,
    }[only]
    usages.push(formatUsage(only, address, app))
    printLine(
      `${providerTitles[only]} ${address} corp=${app.corp_id} ${appFields} secret=${app.secret} suite=${suite.id} suite_secret=${suite.secret} ticket=${suite.ticket} inbox=${address}/_/inbox`,
    )
  }
  printLine('')
  for (const one of usages) printLine(one)
  printLine('Chats: open an inbox above. Faults, clock, codes: npm run simulators -- --help')
  if (values.world) loadWorld(simulator, parseObjectOrEmpty(readFileSync(values.world, 'utf8')))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void simulator.close().then(() => process.exit(0)))
}

run().catch((error: unknown) => {
  process.stderr.write(`the simulators cannot start: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
