/** Assembles the product from its parts: the same for the server, the tests and the browser tests. */

import type { FastifyInstance } from 'fastify'
import type { CarrierSender } from '../platform/carrier.ts'
import { createChatSender } from '../platform/index.ts'
import { previewMail } from '../platform/mail/mail-content.ts'
import type { PaymentProvider } from '../platform/pay/index.ts'
import type { PaymentSimulator } from '../platform/pay/simulator.ts'
import type { Platforms } from '../platform/types.ts'
import { postWebhook } from '../platform/webhook.ts'
import { previewChatMessage } from '../platform/wire/chat.ts'
import type { StoreApps } from '../platform/wire/store-apps.ts'
import { withSuiteCredentials } from '../platform/wire/suite-credentials.ts'
import { buildApp } from './app.ts'
import type { ServerRole } from './config.ts'
import type { RegistrationPolicy } from './contract/access.ts'
import type { Call } from './contract/call.ts'
import type { ErrorName } from './contract/errors.ts'
import { defaultSignature } from './contract/messages/rendering.ts'
import type { Secrets } from './crypto/secrets.ts'
import type { Database } from './database/database.ts'
import type { PlatformSimulatorPages } from './demo/pages/platform.ts'
import { registerAuditAnchors } from './http/audit-anchor.ts'
import { type AuditLinker, createAuditLinker } from './http/audit-chain.ts'
import type { Handler, PreviewMessage, SupportContact } from './http/handler.ts'
import type { DiskGuard } from './http/limits/disk-guard.ts'
import { logClockDifference } from './jobs/clock-repair.ts'
import { listAllCompanyIds } from './jobs/companies.ts'
import { registerKeyDestruction } from './jobs/key-destruction.ts'
import { createJobQueue, type JobQueue } from './jobs/queue.ts'
import { startJobsAfterPause } from './jobs/sending-pause.ts'
import { roleHandlers } from './modules/access/calls.ts'
import { agencyHandlers } from './modules/agency/calls.ts'
import { apiKeyHandlers } from './modules/api-keys/calls.ts'
import { createApiV1Handlers } from './modules/api-v1/calls.ts'
import { approvalHandlers } from './modules/approvals/calls.ts'
import { createAuthModule } from './modules/auth/calls.ts'
import {
  assertPasswordStrong,
  createSignInPlatforms,
  hashPassword,
  isPasswordCorrect,
  listPlatformLinks,
} from './modules/auth/index.ts'
import { createBillingModule } from './modules/billing/calls.ts'
import type { BillingOptions } from './modules/billing/options.ts'
import { companyHandlers } from './modules/company/calls.ts'
import { type MailConnections, openChatSender, openMailSender } from './modules/company/index.ts'
import { memberHandlers } from './modules/directory/calls.ts'
import { createSpellingJob } from './modules/directory/index.ts'
import { createFileHandlers, registerDiagnosisJob } from './modules/files/calls.ts'
import { createInviteModule } from './modules/invites/calls.ts'
import { notificationHandlers } from './modules/notifications/calls.ts'
import { registerDirectMessages } from './modules/notifications/index.ts'
import { createOperatorModule } from './modules/operator/calls.ts'
import { requestTimeStamp, type TimeStampClient } from './modules/payslip-records/index.ts'
import { createPayslipModule } from './modules/payslips/calls.ts'
import { employeeHandlers } from './modules/payslips/employee/calls.ts'
import { canViewFile } from './modules/payslips/index.ts'
import { createBindingModule } from './modules/platform-binding/calls.ts'
import { claimPlatformUser, releasePlatformUser } from './modules/platform-binding/combine/claim.ts'
import { createStoreSuites } from './modules/platform-binding/store/suites.ts'
import { canViewYearExport, createChartHandlers } from './modules/reports/calls.ts'
import { createRetentionModule } from './modules/retention/calls.ts'
import { sheetHandlers } from './modules/sheets/calls.ts'
import { canSeeDeclaration, createTaxModule } from './modules/tax/calls.ts'
import { createWebhookModule } from './modules/webhooks/calls.ts'
import type { Log } from './observability/log.ts'
import {
  type ChannelSenders,
  type CountSmsSegments,
  composeMessage,
  createChannelSender,
  createSegmentCounter,
  createSmsRenderer,
} from './outbox/index.ts'
import type { Clock } from './shared/clock.ts'
import { shutDownInStages } from './shared/shutdown.ts'
import { createStoreInstalls } from './shared/store-installs.ts'

type ProductOptions = {
  readonly database: Database
  readonly secrets: Secrets
  readonly clock: Clock
  readonly diskGuard: DiskGuard
  /** The installation's own senders: for SMS; and, in a demo, for companies without a chat platform. */
  readonly senders: { readonly sms: CarrierSender | null; readonly getPlatformSender: CarrierSender | null }
  /** The endpoint for reports of the SMS gateway; none without a secret. */
  readonly sms_reports: { readonly secret: string | null; readonly provider: 'aliyun' | 'tencent' | null }
  /** For mail each company uses its own mailbox. */
  readonly mail: MailConnections
  /** Sign-in through the chat platforms. */
  readonly platforms: Platforms
  /** Our applications in the platforms' stores; default none. */
  readonly stores?: StoreApps
  /** The demo's simulator of the platforms: its pages are served under /dev/platform. */
  readonly simulator: PlatformSimulatorPages | null
  /** Contact and hours of the support. */
  readonly supportContact: SupportContact
  /** The addresses from which the server calls others. */
  readonly server_ips?: readonly string[]
  readonly log: Log
  readonly loadShedding: { readonly loop_ms: number } | null
  /** Fails a test; otherwise writes a log line. */
  readonly onUndeclaredError?: (call: Call, refusal: ErrorName) => void
  readonly origin: string
  readonly https: boolean
  readonly demo: boolean
  readonly registration: RegistrationPolicy
  /** Default `all`. */
  readonly role?: ServerRole
  /** The demo's payment page. */
  readonly paySimulator?: PaymentSimulator | null
  /** What is sold here, and which payment methods are available. */
  readonly billing: {
    readonly options: BillingOptions
    readonly providers: readonly PaymentProvider[]
    readonly ops_token: string | null
  }
  /** Requests time stamps on evidence from an authority (RFC 3161); without it there are none. */
  readonly timeStamps?: TimeStampClient | null
  readonly production: boolean
  readonly public_api_docs: boolean
  readonly trust_proxy: readonly string[]
  readonly client_dir: string | null
  readonly rateLimitScale: number
}

/** How long requests in progress have to be answered, and their clients to receive the response, once the server stops. */
const requestDrainMs = 3_000
/** Additional time for a stage to end, however slow the machine: less than the keep-alive time of any client. */
const shutdownGraceMs = 4_000

/** Answers the requests received; clients that have not finished sending, or do not read, are finally disconnected. */
async function closeApp(app: FastifyInstance, ms: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), ms)
  await app.close()
  clearTimeout(timer)
}

export type Product = {
  readonly app: FastifyInstance
  readonly jobs: JobQueue
  /** Starts the jobs; messages that were being sent when the last process ended are resumed. */
  start(options: { sole: boolean }): Promise<void>
  /**
   * Stops accepting requests, then jobs; both drain, each within its own time. The caller closes the database
   * afterwards. Returns the stages that did not end.
   */
  stop(): Promise<string[]>
}

/** Creates the preview of messages, using the same functions that build the messages. */
export function createMessagePreview(
  sms: ChannelSenders['sms'],
  origin: string,
): { countSegments: CountSmsSegments; previewMessage: PreviewMessage } {
  const renderSms = createSmsRenderer(sms, origin)
  const previewMessage: PreviewMessage = (channel, content) => {
    if (channel === 'sms') return { title: '', text: renderSms(content) }
    const message = composeMessage(content, { style: 'whole', signature: defaultSignature })
    if (!message) throw new Error('a message that cannot be told')
    return channel === 'email' ? previewMail(message) : previewChatMessage(message)
  }
  return { countSegments: createSegmentCounter(sms, origin), previewMessage }
}

/** Creates chat senders for each company's own application; in a demo a simulator serves companies without one. */
const createChatSenders =
  (
    { database, secrets, senders: { getPlatformSender } }: ProductOptions,
    platforms: Platforms,
  ): ChannelSenders['getPlatformSender'] =>
  async (company_id) =>
    (await openChatSender(database, secrets, { company_id, openChat: (app) => createChatSender(platforms, app) })) ??
    (getPlatformSender && createChannelSender(getPlatformSender))

/** Creates the senders, which from here on require that no transaction is open. */
const createSenders = (options: ProductOptions, platforms: Platforms): ChannelSenders => ({
  sms: options.senders.sms && createChannelSender(options.senders.sms),
  getPlatformSender: createChatSenders(options, platforms),
  getMailSender: async (company_id) =>
    (await openMailSender({ ...options, ...options.mail }, company_id, { tested: true }))?.line ?? null,
})

/** Operators' passwords are hashed and compared like those of all users. */
const passwordService = { hash: hashPassword, isCorrect: isPasswordCorrect, assertStrong: assertPasswordStrong }

function createAuditChain(options: ProductOptions, jobs: JobQueue): AuditLinker {
  const { timeStamps } = options
  const linker = createAuditLinker(options)
  const stampText = timeStamps ? (text: string) => requestTimeStamp(text, timeStamps) : null
  registerAuditAnchors(jobs, { ...options, linker, stampText })
  return linker
}

/** A worker answers probes and no calls. */
function selectHandlers(handlers: readonly Handler[], { role, production }: ProductOptions): readonly Handler[] {
  if (role === 'worker') return []
  return production ? handlers.filter(({ call }) => !call.diagnosticOnly) : handlers
}

export async function createProduct(options: ProductOptions): Promise<Product> {
  const { database, secrets, clock, origin, log, mail, billing } = options
  const suites = createStoreSuites(createStoreInstalls(database, secrets), options.stores ?? {})
  const suitePlatforms = withSuiteCredentials(options.platforms, suites.find)
  const senders = createSenders(options, suitePlatforms)
  const platforms = createSignInPlatforms(suitePlatforms)
  const jobs = createJobQueue(database, secrets, log)
  const accounts = createAuthModule({
    database,
    jobs,
    secrets,
    senders,
    platforms,
    platformLinks: { claim: claimPlatformUser, release: releasePlatformUser },
    clock,
    log,
    origin,
  })
  const payslips = createPayslipModule({
    database,
    jobs,
    secrets,
    clock,
    senders,
    mail,
    origin,
    log,
    timeStampClient: options.timeStamps ?? null,
  })
  const orders = createBillingModule({ ...options, jobs, offer: billing.options, providers: billing.providers })
  const ops = createOperatorModule({
    database,
    jobs,
    secrets,
    diskGuard: options.diskGuard,
    setup_key: billing.ops_token,
    passwords: passwordService,
  })
  const queuePinyinUpdates = createSpellingJob({ database, jobs })
  const invites = createInviteModule({ database, jobs, secrets, clock, senders, origin })
  const tax = createTaxModule({ database, jobs, secrets, clock })
  const charts = createChartHandlers({ database, jobs, secrets, clock, log })
  const binding = createBindingModule({
    database,
    jobs,
    secrets,
    clock,
    log,
    platforms: suitePlatforms,
    suites,
    serverIps: options.server_ips ?? [],
    loadVerified: listPlatformLinks,
  })
  const webhooks = createWebhookModule({ database, jobs, secrets, clock, post: postWebhook, options: mail })
  const retention = createRetentionModule({ ...options, jobs })
  registerDirectMessages({ database, jobs, secrets, clock, senders, log })
  registerDiagnosisJob(jobs)
  registerKeyDestruction(jobs, { database, clock, log })
  const auditLinker = createAuditChain(options, jobs)
  await jobs.initialize()
  const existing = [
    ...[accounts, invites, payslips, binding, orders].flatMap((one) => one.handlers),
    ...memberHandlers,
    ...roleHandlers,
    ...companyHandlers,
    ...sheetHandlers,
    ...employeeHandlers,
    ...notificationHandlers,
    ...createFileHandlers(
      async (ctx, file_id) =>
        (await canViewFile(ctx, file_id)) && (await canSeeDeclaration(ctx, file_id)) && (await canViewYearExport(ctx, file_id)),
    ),
    ...agencyHandlers,
    ...approvalHandlers,
    ...tax,
    ...charts,
    ...webhooks,
    ...retention,
    ...apiKeyHandlers,
    ...ops,
  ]
  const handlers = [...existing, ...createApiV1Handlers(existing)]
  let isStarted = false
  let pause: Awaited<ReturnType<typeof startJobsAfterPause>> = null
  const stopping = new AbortController()
  const app = await buildApp({
    ...options,
    billing: billing.options.billing,
    paymentNotifications: orders,
    senders,
    jobs,
    auditLinker,
    ...createMessagePreview(senders.sms, origin),
    callbacks: binding.callbacks,
    reports: { ...options.sms_reports, processReports: payslips.takeReports },
    onStolenToken: accounts.onStolenToken,
    onUndeclaredError:
      options.onUndeclaredError ??
      ((call, error) => log.warn({ call: call.route, error }, 'refused what its contract does not say')),
    validateResponses: !options.production,
    isReady: async () => isStarted,
    handlers: selectHandlers(handlers, options),
    client_dir: options.role === 'worker' ? null : options.client_dir,
  })
  return {
    app,
    jobs,
    async start({ sole }) {
      await logClockDifference(database, log)
      const startJobs = async () => {
        auditLinker.start()
        if (options.role === 'web') return
        await jobs.start()
        await payslips.resumeAll({ sole })
        await queuePinyinUpdates(await listAllCompanyIds(database))
      }
      pause = await startJobsAfterPause({ database, jobs, clock, log }, startJobs, stopping.signal)
      isStarted = true
    },
    async stop() {
      isStarted = false
      stopping.abort()
      await pause?.ended
      return shutDownInStages(
        [
          { name: 'requests', within_ms: requestDrainMs + shutdownGraceMs, run: () => closeApp(app, requestDrainMs) },
          { name: 'jobs', within_ms: 5_000 + shutdownGraceMs, run: () => jobs.stop() },
          { name: 'audit log', within_ms: 2_000, run: () => auditLinker.stop() },
        ],
        (text) => log.warn(text),
      )
    },
  }
}
