/** The server: config → database → http and jobs; stops in reverse order, draining both. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PoolConfig } from 'pg'
import { createPlatforms, getSimulatorHosts } from '../platform/index.ts'
import { createInboxReader, createMailSender } from '../platform/mail/index.ts'
import { createAlipayProvider, createWechatPayProvider } from '../platform/pay/index.ts'
import { createSmsSender } from '../platform/sms/index.ts'
import { createTimeStampClient } from '../platform/wire/time-stamp.ts'
import { checkSealedValues } from './boot-check.ts'
import type { Config } from './config.ts'
import { getKeyFingerprint, readMasterKey, readPreviousMasterKey } from './crypto/master-key.ts'
import { createSecrets } from './crypto/secrets.ts'
import { connectDatabase } from './database/database.ts'
import { deriveAppPasswords } from './database/postgres/app-role.ts'
import { startPostgres } from './database/postgres/start.ts'
import { waitForDatabase } from './database/wait.ts'
import type { Demo } from './demo/start.ts'
import type { SupportContact } from './http/handler.ts'
import { DiskGuard } from './http/limits/disk-guard.ts'
import type { MailConnections } from './modules/company/index.ts'
import { renderQrCodeSvg } from './modules/invites/index.ts'
import { createLogger } from './observability/log.ts'
import { createProduct } from './product.ts'
import { systemClock } from './shared/clock.ts'
import { createTokenStore } from './shared/platform-token-store.ts'
import { shutDownInStages } from './shared/shutdown.ts'
import { version } from './shared/version.ts'
import { prepareReader } from './spreadsheets/index.ts'

const clientDir = fileURLToPath(new URL('../dist', import.meta.url))

/**
 * V8 may still be compiling in the background; Node 24 waits forever if it must exit while V8 needs the main thread
 * once more.
 */
const exitSoon = (code: 0 | 1): void => void setTimeout(() => process.exit(code), 200)

const printLine = (text: string): void => void process.stdout.write(`${text}\n`)

async function openOwnerConnection(config: Config): Promise<{ owner: PoolConfig; close(): Promise<void>; sole: boolean }> {
  if (config.database_url) return { owner: { connectionString: config.database_url }, close: async () => undefined, sole: false }
  // The lock on the data directory proves that no other server is running: interrupted work may be resumed at once.
  const embedded = await startPostgres({ dir: join(config.data_dir, 'postgres'), log: printLine })
  return { owner: embedded.owner, close: () => embedded.close(), sole: true }
}

/** The picture is read at the start: a wrong path is found now, not by the first user who needs help. */
const toSvgDataUrl = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
function getSupportContact({ demo, supportContact: { phone, hours, qr_file } }: Config): SupportContact {
  // The demo shows a placeholder; when scanned, it says so.
  if (!qr_file)
    return { phone, hours, qr: demo ? toSvgDataUrl(renderQrCodeSvg('薪函演示：正式使用时，这里是贵公司的客服二维码')) : null }
  const bytes = readFileSync(qr_file)
  const type = bytes[0] === 0x89 ? 'png' : bytes[0] === 0xff ? 'jpeg' : null
  if (!type || bytes.length > 100 * 1024)
    throw new Error('environment variable XINHAN_SERVICE_QR: a PNG or JPEG of at most 100 kB')
  return { phone, hours, qr: `data:image/${type};base64,${bytes.toString('base64')}` }
}

export async function startServer(config: Config): Promise<void> {
  if (config.production && !existsSync(clientDir)) throw new Error('the client is not built: run "npm run build" first')
  const masterKey = loadMasterKey(config)
  const previousKey = readPreviousMasterKey(config.previous_master_key)
  const masters = [masterKey, ...(previousKey ? [previousKey] : [])] as const
  const postgres = await openOwnerConnection(config)
  if (config.database_url) await waitForDatabase(postgres.owner, { log: printLine })
  const database = await connectDatabase({
    owner: postgres.owner,
    ...(config.database_app_url ? { app: { connectionString: config.database_app_url } } : {}),
    app_password: deriveAppPasswords(masters),
    key_fingerprints: masters.map(getKeyFingerprint),
    max: config.pool,
    billing: config.billing.billing,
    log: printLine,
  })
  const secrets = createSecrets(masterKey, previousKey)
  await database.withoutCompany((tx) => secrets.verifyMasterKey(tx))
  await checkSealedValues({ database, secrets })
  const demo = config.demo ? await (await import('./demo/start.ts')).startDemo(config, { database, secrets }) : null

  const product = await createProduct({
    database,
    secrets,
    clock: systemClock,
    sms_reports: demo
      ? { secret: demo.gateway.secret, provider: 'aliyun' }
      : { secret: config.sms_reports, provider: config.sms?.provider ?? null },
    diskGuard: new DiskGuard(config.database_url ? null : config.data_dir),
    senders: {
      sms: config.sms ? createSmsSender(config.sms, () => systemClock.now()) : (demo?.gateway.line ?? null),
      getPlatformSender: demo?.platformSender ?? null,
    },
    mail: createMailConnections(config, demo),
    platforms: createPlatforms({
      store: createTokenStore(database, secrets),
      ...(demo ? { hosts: getSimulatorHosts(demo.platformHost, `${config.origin}/dev/platform`) } : {}),
    }),
    stores: config.stores,
    simulator: demo?.simulator ?? null,
    role: config.role,
    registration: config.registration,
    billing: createBilling(config, demo),
    paySimulator: demo?.paySimulator ?? null,
    server_ips: config.server_ips,
    timeStamps: config.tsa_url === null ? null : createTimeStampClient(config.tsa_url),
    supportContact: getSupportContact(config),
    log: createLogger(config.log_level),
    loadShedding: { loop_ms: 3000 },
    origin: config.origin,
    https: config.https,
    demo: config.demo,
    production: config.production,
    public_api_docs: config.public_api_docs,
    trust_proxy: config.trust_proxy,
    client_dir: clientDir,
    rateLimitScale: 1,
  })
  await product.app.listen({ host: config.host, port: config.port })
  await product.start({ sole: postgres.sole })
  let stopping = false
  const unfinishedStages: string[] = []
  const stop = (): void => {
    if (stopping) return
    stopping = true
    // A last resort: each stage has its own deadline, and the database has every commit.
    setTimeout(() => process.exit(1), 40_000).unref()
    void shutDownInStages(
      [
        { name: 'product', within_ms: 18_000, run: async () => void unfinishedStages.push(...(await product.stop())) },
        { name: 'simulators', within_ms: 2_000, run: async () => demo?.close() },
        { name: 'database connections', within_ms: 8_000, run: () => database.close() },
        { name: 'database', within_ms: 30_000, run: () => postgres.close() },
      ],
      printLine,
    ).then((unfinished) => exitSoon(unfinishedStages.length + unfinished.length > 0 ? 1 : 0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // Saves the first upload from waiting for a process to start.
  prepareReader()
  // Last: a process that reads that the server is ready may stop it at once.
  printWelcome(config, demo?.signIns ?? [])
}

/** Connects to the companies' own mailboxes; in the demo mail goes to the outbox. */
function createMailConnections({ private_mail_hosts: allowPrivateHosts }: Config, demo: Demo | null): MailConnections {
  if (demo) return { openMail: demo.openMail, allowPrivateHosts }
  return {
    openMail: (app) => createMailSender(app, { allowPrivateHosts }),
    readInbox: createInboxReader({ allowPrivateHosts }),
    allowPrivateHosts,
  }
}

const loadMasterKey = ({ master_key, data_dir, production }: Config): Buffer =>
  readMasterKey({ provided: master_key, file: join(data_dir, 'master.key'), mayCreate: !production })

/** Creates billing with its payment providers: simulators in the demo. */
function createBilling(config: Config, demo: Demo | null) {
  const { alipay, wechat, ops_token, ...options } = { ...config.billing, ...demo?.payment }
  const providers = [...(alipay ? [createAlipayProvider(alipay)] : []), ...(wechat ? [createWechatPayProvider(wechat)] : [])]
  return { options, providers, ops_token }
}

function printWelcome(
  config: Config,
  signIns: readonly { who: string; phone: string; password: string; company: string }[],
): void {
  const lines = ['', `薪函 Xinhan ${version} is ready: ${config.origin}/pc/page/login/login.html`]
  if (config.demo) {
    lines.push(
      `Messages "sent": ${config.origin}/dev/outbox   Chat (a simulated Lark): ${config.origin}/dev/platform/lark/_/inbox`,
      `Employees: ${config.origin}/m/login   API: ${config.origin}/api   Operations: ${config.origin}/ops (key: ${config.billing.ops_token})`,
      '',
    )
    for (const signIn of signIns) lines.push(`  ${signIn.phone}  ${signIn.password}  ${signIn.company} · ${signIn.who}`)
  }
  printLine(`${lines.join('\n')}\n`)
}
