/** The server: config → database → http and jobs; stops in the opposite order, draining both. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PoolConfig } from 'pg'
import { openPlatforms, simulatorHosts } from '../platform/index.ts'
import { openInbox, openMail } from '../platform/mail/index.ts'
import { openAlipay, openWechatPay } from '../platform/pay/index.ts'
import { PaySimulator } from '../platform/pay/simulator.ts'
import { Simulator } from '../platform/simulator/index.ts'
import { openSms } from '../platform/sms/index.ts'
import { timeStampsOf } from '../platform/wire/time-stamp.ts'
import { assemble } from './assemble.ts'
import { type Config, readConfig } from './config.ts'
import type { MailDesk } from './domain/company/index.ts'
import { qrSvg } from './domain/invite/index.ts'
import { systemClock } from './runtime/clock.ts'
import { openSharedTokens } from './runtime/data/shared-tokens.ts'
import { type Database, openDatabase } from './runtime/db.ts'
import type { Service } from './runtime/handle.ts'
import { Room } from './runtime/load/room.ts'
import { openLog } from './runtime/log.ts'
import { outboxLine } from './runtime/post/index.ts'
import { appPasswordOf } from './runtime/postgres/app-role.ts'
import { startPostgres } from './runtime/postgres/start.ts'
import { endInStages } from './runtime/process/stages.ts'
import { openSecrets, readMasterKey } from './runtime/secrets.ts'
import { demoGateway } from './seed/gateway.ts'
import { demoPlatform, seed } from './seed/index.ts'
import { prepareReader } from './tables/index.ts'

const client_dir = fileURLToPath(new URL('../dist', import.meta.url))

/** V8 may still be compiling beside us; Node 24, told to exit while it wants the main thread once more, waits for it for ever. */
const exitSoon = (code: 0 | 1): void => void setTimeout(() => process.exit(code), 200)

const say = (text: string): void => void process.stdout.write(`${text}\n`)

async function ownerOf(config: Config): Promise<{ owner: PoolConfig; close(): Promise<void>; sole: boolean }> {
  if (config.database_url) return { owner: { connectionString: config.database_url }, close: async () => undefined, sole: false }
  // Our lock on the data directory proves that no other server of ours is alive: what it was doing may be taken up at once.
  const embedded = await startPostgres({ dir: join(config.data_dir, 'postgres'), log: say })
  return { owner: embedded.owner, close: () => embedded.close(), sole: true }
}

/** The picture is read at the start: a wrong path is found out now, not by the first person who needs help. */
const svgAddress = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
function serviceOf({ demo, service: { phone, hours, qr_file } }: Config): Service {
  // The demo shows where it will stand; scanned, it says so.
  if (!qr_file) return { phone, hours, qr: demo ? svgAddress(qrSvg('薪函演示：正式使用时，这里是贵公司的客服二维码')) : null }
  const bytes = readFileSync(qr_file)
  const type = bytes[0] === 0x89 ? 'png' : bytes[0] === 0xff ? 'jpeg' : null
  if (!type || bytes.length > 100 * 1024)
    throw new Error('environment variable XINHAN_SERVICE_QR: a PNG or JPEG of at most 100 kB')
  return { phone, hours, qr: `data:image/${type};base64,${bytes.toString('base64')}` }
}

async function run(): Promise<void> {
  const config = readConfig()
  if (config.production && !existsSync(client_dir)) throw new Error('the client is not built: run "npm run build" first')
  const master = masterOf(config)
  const postgres = await ownerOf(config)
  const database = await openDatabase({
    owner: postgres.owner,
    ...(config.database_app_url ? { app: { connectionString: config.database_app_url } } : {}),
    app_password: appPasswordOf(master),
    max: 16,
    log: say,
  })
  const secrets = openSecrets(master)
  await database.outside((tx) => secrets.check(tx))
  const signIns = config.demo ? await seed({ database, secrets, now: systemClock.now() }) : []

  const gateway = config.demo ? demoGateway(database, config) : null
  const simulator = config.demo ? simulated(config.origin) : null
  const { paySimulator, shop } = await shopOf(config)

  const product = await assemble({
    database,
    secrets,
    clock: systemClock,
    sms_reports: gateway
      ? { secret: gateway.secret, provider: 'aliyun' }
      : { secret: config.sms_reports, provider: config.sms?.provider ?? null },
    room: new Room(config.database_url ? null : config.data_dir),
    lines: {
      sms: config.sms ? openSms(config.sms, () => systemClock.now()) : (gateway?.line ?? null),
      platform: config.demo ? outboxLine(database, 'platform') : null,
    },
    mail: mailOf(config, database),
    platforms: openPlatforms({
      store: openSharedTokens(database, secrets),
      ...(simulator ? { hosts: simulatorHosts(await simulator.listen(), `${config.origin}/dev/platform`) } : {}),
    }),
    stores: config.stores,
    simulator,
    shop,
    paySimulator,
    stamps: config.tsa_url === null ? null : timeStampsOf(config.tsa_url),
    service: serviceOf(config),
    log: openLog(config.log_level),
    shed: { loop_ms: 3000 },
    origin: config.origin,
    https: config.https,
    demo: config.demo,
    production: config.production,
    trust_proxy: config.trust_proxy,
    client_dir,
    limit_scale: 1,
  })
  await product.app.listen({ host: config.host, port: config.port })
  await product.start({ sole: postgres.sole })
  let stopping = false
  const unclean: string[] = []
  const stop = (): void => {
    if (stopping) return
    stopping = true
    // Only what no stage foresees: each of them has its own deadline, and the database has every commit.
    setTimeout(() => process.exit(1), 40_000).unref()
    void endInStages(
      [
        { name: 'product', within_ms: 18_000, run: async () => void unclean.push(...(await product.stop())) },
        { name: 'simulators', within_ms: 2_000, run: () => Promise.all([simulator?.close(), paySimulator?.close()]) },
        { name: 'database connections', within_ms: 8_000, run: () => database.close() },
        { name: 'database', within_ms: 30_000, run: () => postgres.close() },
      ],
      say,
    ).then((late) => exitSoon(unclean.length + late.length > 0 ? 1 : 0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // The first upload need not wait for a process to start.
  prepareReader()
  // Last: whoever reads that it is ready may stop it at once.
  greet(config, signIns)
}

/** Companies' own mailboxes; in the demo what they send lies in the outbox. */
function mailOf({ demo, private_mail_hosts: private_hosts }: Config, database: Database): MailDesk {
  if (demo) return { openMail: () => outboxLine(database, 'email'), private_hosts }
  return { openMail: (app) => openMail(app, { private_hosts }), readInbox: openInbox({ private_hosts }), private_hosts }
}

const masterOf = ({ master_key, data_dir, production }: Config): Buffer =>
  readMasterKey({ given: master_key, file: join(data_dir, 'master.key'), mayCreate: !production })

/** What is sold here, and by whom it may be paid: in the demo by simulators. */
async function shopOf(config: Config) {
  const paySimulator = config.demo ? new PaySimulator() : null
  const { alipay, wechat, ops_token, ...offer } = { ...config.shop, ...(await paySimulator?.listen()) }
  const providers = [...(alipay ? [openAlipay(alipay)] : []), ...(wechat ? [openWechatPay(wechat)] : [])]
  return { paySimulator, shop: { offer, providers, ops_token } }
}

/** The demo's chat platform: one company's application, its departments and people. */
function simulated(origin: string): Simulator {
  const simulator = new Simulator()
  const { app, departments, people } = demoPlatform()
  simulator.addApp({ ...app, origin })
  for (const department of departments) simulator.setDepartment(department)
  for (const person of people) simulator.addPerson(person)
  return simulator
}

function greet(config: Config, signIns: readonly { who: string; phone: string; password: string; company: string }[]): void {
  const lines = ['', `薪函 Xinhan is ready: ${config.origin}/pc/page/login/login.html`]
  if (config.demo) {
    lines.push(
      `Messages "sent": ${config.origin}/dev/outbox   Chat (a simulated Lark): ${config.origin}/dev/platform/lark/_/inbox`,
      `Employees: ${config.origin}/m/login   API: ${config.origin}/api   Operations: ${config.origin}/ops (key: ${config.shop.ops_token})`,
      '',
    )
    for (const line of signIns) lines.push(`  ${line.phone}  ${line.password}  ${line.company} · ${line.who}`)
  }
  say(`${lines.join('\n')}\n`)
}

process.on('unhandledRejection', (error) => {
  process.stderr.write(`unhandled rejection: ${error instanceof Error ? error.name : typeof error}\n`)
})

run().catch((error: unknown) => {
  process.stderr.write(`薪函 cannot start: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
