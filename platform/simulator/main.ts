/**
 * `npm run simulators`: runs the platforms as processes, each on its own port with its own paths and an initial
 * world.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { chatProviders } from '../chat/providers.ts'
import { loadWorld, runControl } from './control.ts'
import { Simulator } from './index.ts'
import { getProfile, type SimulatedProvider, simulatedProviders } from './profiles.ts'
import { parseObjectOrEmpty } from './state.ts'
import { populateWorld } from './world.ts'

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

const portOptions = Object.fromEntries(
  simulatedProviders.map((provider) => [provider, { type: 'string' as const, default: String(getProfile(provider).port) }]),
) as Record<SimulatedProvider, { type: 'string'; default: string }>
const { values } = parseArgs({
  options: {
    ...portOptions,
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

async function run(): Promise<void> {
  if (values.help) return printLine(helpText)
  const selected = simulatedProviders.filter((provider) => !values.only || provider === values.only)
  if (selected.length === 0) throw new Error(`--only ${values.only}: one of ${simulatedProviders.join(', ')}`)
  const simulator = new Simulator()
  simulator.state.limits.isEnabled = !values['no-limits']
  simulator.callbackSender.delayScale = Number(values.retries)
  const size = { people: Number(values.people), departments: Number(values.departments), origin: values.origin }
  const usages: string[] = []
  for (const only of selected) {
    const { app, suite } = populateWorld(simulator, only, size)
    await simulator.issueTicket(suite)
    const address = await simulator.listen({ port: Number(values[only]), host: values.host, only, control: runControl })
    const { formatApp, formatUsage } = getProfile(only)
    usages.push(formatUsage(app, address))
    printLine(
      `${chatProviders[only].label} ${address} corp=${app.corp_id} ${formatApp(app)} secret=${app.secret} suite=${suite.id} suite_secret=${suite.secret} ticket=${suite.ticket} inbox=${address}/_/inbox`,
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
