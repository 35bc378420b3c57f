/**
 * A node that only sends, for trials that kill it hundreds of times: the product's own queue, sender and gateway adapter, without its web. Told by
 * `XINHAN_NODE` (JSON) where its database and its gateway are. It stands ready until it is told to begin (a byte on its input), touches nothing before,
 * and says `sending` when it has taken up what the dead left.
 */
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import type { PoolConfig } from 'pg'
import { createSmsSender, type SmsGatewayConfig } from '../../../../platform/sms/index.ts'
import { createSecrets } from '../../../../server/crypto/secrets.ts'
import { connectDatabase } from '../../../../server/database/database.ts'
import { createJobQueue } from '../../../../server/jobs/queue.ts'
import { createPayslipModule } from '../../../../server/modules/slip/calls.ts'
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

// What is killed leaves nothing behind at its end: the next ones compile nothing anew.
flushCompileCache()
/** What it is told at its beginning: whether no other node lives. Then what the dead held is free at once. */
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
