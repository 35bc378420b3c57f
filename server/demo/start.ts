/**
 * The simulated environment of a demo: seed data, the chat platform, payment provider and SMS gateway, and an outbox in
 * place of carriers. main.ts loads this file by `import()` in demo mode only, so that production loads no simulator.
 */
import { PaymentSimulator } from '../../platform/pay/simulator.ts'
import { Simulator } from '../../platform/simulator/index.ts'
import type { Config } from '../config.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import { systemClock } from '../shared/clock.ts'
import { createDemoChatCompanies } from './chat-companies.ts'
import { createDemoGateway } from './gateway.ts'
import { getDemoPlatform, seed } from './index.ts'
import { demoCorpName } from './platform.ts'
import { createDemoSender } from './sender.ts'

/** Creates the simulated chat platforms with the company that the demo has bound: its application, departments and users. */
function createSimulator(origin: string): Simulator {
  const simulator = new Simulator()
  const { app, departments, people } = getDemoPlatform()
  simulator.addApp({ ...app, origin })
  simulator.company(app.provider, app.corp_id).name = demoCorpName
  for (const department of departments) simulator.saveDepartment(department)
  for (const person of people) simulator.addUser(person)
  return simulator
}

export async function startDemo(config: Config, { database, secrets }: { database: Database; secrets: Secrets }) {
  const signIns = await seed({ database, secrets, now: systemClock.now() })
  const simulator = createSimulator(config.origin)
  const chatCompanies = createDemoChatCompanies(simulator, database, config.origin)
  await chatCompanies.reopenBound()
  const paySimulator = new PaymentSimulator()
  return {
    signIns,
    gateway: createDemoGateway(database, config),
    simulator: { handle: simulator.handle.bind(simulator), openApp: chatCompanies.open },
    platformHost: await simulator.listen(),
    paySimulator,
    payment: await paySimulator.listen(),
    platformSender: createDemoSender(database, 'platform'),
    openMail: () => createDemoSender(database, 'email'),
    close: () => Promise.all([simulator.close(), paySimulator.close()]),
  }
}
export type Demo = Awaited<ReturnType<typeof startDemo>>
