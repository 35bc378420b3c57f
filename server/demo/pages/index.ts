/** The pages of the demo: the outbox, the payment page, and the simulated chat platform. app.ts loads them in demo mode only. */
import type { FastifyInstance } from 'fastify'
import type { PaymentSimulator } from '../../../platform/pay/simulator.ts'
import type { Database } from '../../database/database.ts'
import { registerDemoOutboxPages } from './outbox.ts'
import { registerDemoPayPages } from './payment.ts'
import { type PlatformSimulatorPages, registerDemoChatApps, registerSimulatorPages } from './platform.ts'

type DemoPageDeps = {
  readonly database: Database
  readonly paySimulator?: PaymentSimulator | null
  readonly simulator: PlatformSimulatorPages | null
}

export function registerDemoPages(app: FastifyInstance, { database, paySimulator, simulator }: DemoPageDeps): void {
  registerDemoOutboxPages(app, database)
  if (paySimulator) registerDemoPayPages(app, paySimulator)
  registerDemoChatApps(app, simulator)
  if (simulator) registerSimulatorPages(app, simulator)
}
