/**
 * A node that only sends, for trials that kill it hundreds of times: the product's own queue, sender and gateway
 * adapter without its web server.
 * `XINHAN_NODE` (JSON) contains its database and gateway. It waits for a byte on its input before it touches anything,
 * and prints `sending` when it has taken over the work of dead nodes.
 */
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import type { PoolConfig } from 'pg'
import type { SmsGatewayConfig } from '../../../../platform/sms/config.ts'
import { createSmsSender } from '../../../../platform/sms/index.ts'
import { createSecrets } from '../../../../server/crypto/secrets.ts'
import { connectDatabase } from '../../../../server/database/database.ts'
import { createJobQueue } from '../../../../server/jobs/queue.ts'
import { createPayslipModule } from '../../../../server/modules/payslips/calls.ts'
import { createLogger } from '../../../../server/observability/log.ts'
import { createChannelSender } from '../../../../server/outbox/index.ts'
import { systemClock } from '../../../../server/shared/clock.ts'

export type NodeOptions = {
  readonly owner: PoolConfig
  readonly app_password: string
  /** Hex. */
  readonly master: string
  readonly sms: SmsGatewayConfig
}

// A killed process stores nothing at its end, so the cache is written now and later nodes need not compile again.
flushCompileCache()
/** The byte tells whether no other node is alive. In that case the leases of dead nodes are released at once. */
const [notified] = (await once(process.stdin, 'data')) as [Buffer]
process.stdin.destroy()
const sole = notified.toString() === 'sole'
const { owner, app_password, master, sms } = JSON.parse(process.env.XINHAN_NODE ?? '{}') as NodeOptions
const database = await connectDatabase({ owner, app_password, max: 4 })
const secrets = createSecrets(Buffer.from(master, 'hex'))
const log = createLogger('silent')
const jobs = createJobQueue(database, secrets, log)
const slips = createPayslipModule({
  database,
  jobs,
  secrets,
  clock: systemClock,
  senders: {
    sms: createChannelSender(createSmsSender(sms, () => systemClock.now())),
    getPlatformSender: async () => null,
    getMailSender: async () => null,
  },
  mail: {
    openMail: () => {
      throw new Error('no mail here')
    },
    allowPrivateHosts: false,
  },
  origin: 'http://127.0.0.1:8080',
  log,
})
await jobs.initialize()
await jobs.start()
await slips.resumeAll({ sole })
process.stdout.write('sending\n')
