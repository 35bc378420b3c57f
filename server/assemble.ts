/** Puts the product together from its parts: the same for the server, the tests and the browser journeys. */

import type { FastifyInstance } from 'fastify'
import type { CarrierLine } from '../platform/carrier.ts'
import { openChat } from '../platform/index.ts'
import { shownByMail } from '../platform/mail/letter.ts'
import type { PayProvider } from '../platform/pay/index.ts'
import type { PaySimulator } from '../platform/pay/simulator.ts'
import type { Simulator } from '../platform/simulator/index.ts'
import type { Platforms } from '../platform/types.ts'
import { postWebhook } from '../platform/webhook.ts'
import { shownInChat } from '../platform/wire/chat.ts'
import type { StoreApps } from '../platform/wire/store-apps.ts'
import { suited } from '../platform/wire/suited.ts'
import { buildApp } from './app.ts'
import type { Call } from './contract/call.ts'
import type { RefusalName } from './contract/refusals.ts'
import { usual_signature } from './contract/words/messages.ts'
import { openAccounts } from './domain/account/calls.ts'
import { hashPassword, isPassword, mustBeGood, outsidePlatforms, platformLinks } from './domain/account/index.ts'
import { agencyHandlers } from './domain/agency/calls.ts'
import { approvalHandlers } from './domain/approval/calls.ts'
import { openBinding } from './domain/binding/calls.ts'
import { openSuites } from './domain/binding/store/suites.ts'
import { openCharts, seesYear } from './domain/chart/calls.ts'
import { companyHandlers } from './domain/company/calls.ts'
import { allCompanies, chatLine, type MailDesk, mailLine } from './domain/company/index.ts'
import { openOps } from './domain/company/ops/calls.ts'
import { type Offer, openOrders } from './domain/company/order/calls.ts'
import { openWebhooks } from './domain/company/webhook/calls.ts'
import { deskHandlers, openDiagnosis } from './domain/desk/calls.ts'
import { openTeller } from './domain/desk/index.ts'
import { employeeHandlers } from './domain/employee/calls.ts'
import { openInvites } from './domain/invite/calls.ts'
import { memberHandlers } from './domain/member/calls.ts'
import { openSpelling } from './domain/member/index.ts'
import { payHandlers } from './domain/pay/calls.ts'
import type { PostQuery } from './domain/pay/index.ts'
import { roleHandlers } from './domain/role/calls.ts'
import { sheetHandlers } from './domain/sheet/calls.ts'
import { openSlips } from './domain/slip/calls.ts'
import { seesFile } from './domain/slip/index.ts'
import { openTax, seesDeclaration } from './domain/tax/calls.ts'
import type { Clock } from './runtime/clock.ts'
import { openStoreDesk } from './runtime/data/installs.ts'
import type { Database } from './runtime/db.ts'
import type { CountPieces, Service, ShowMessage } from './runtime/handle.ts'
import { type Jobs, openJobs } from './runtime/jobs.ts'
import type { Room } from './runtime/load/room.ts'
import type { Log } from './runtime/log.ts'
import { type CarrierLines, composed, outsideLine, pieceCounter, smsWriter } from './runtime/post/index.ts'
import { endInStages } from './runtime/process/stages.ts'
import type { Secrets } from './runtime/secrets.ts'

type Wanted = {
  readonly database: Database
  readonly secrets: Secrets
  readonly clock: Clock
  readonly room: Room
  /** The house's own ways out for messages: by SMS; and for companies without a chat platform of their own, in a demo. */
  readonly lines: { readonly sms: CarrierLine | null; readonly platform: CarrierLine | null }
  /** Where the SMS gateway reports to; nowhere where there is no secret. */
  readonly sms_reports: { readonly secret: string | null; readonly provider: 'aliyun' | 'tencent' | null }
  /** By mail each company goes its own way. */
  readonly mail: MailDesk
  /** The chat platforms' side of signing in. */
  readonly platforms: Platforms
  /** Our applications in the platforms' stores; none unless told. */
  readonly stores?: StoreApps
  /** The demo's stand-in for them: its pages are shown under /dev/platform. */
  readonly simulator: Pick<Simulator, 'answer'> | null
  /** Whom people may call, and when. */
  readonly service: Service
  readonly log: Log
  readonly shed: { readonly loop_ms: number } | null
  /** A test fails here; else it is a line of the log. */
  readonly onUndeclared?: (call: Call, refusal: RefusalName) => void
  readonly origin: string
  readonly https: boolean
  readonly demo: boolean
  /** What is sold here, and by whom it may be paid. */
  /** The demo's till. */
  readonly paySimulator?: PaySimulator | null
  readonly shop: { readonly offer: Offer; readonly providers: readonly PayProvider[]; readonly ops_token: string | null }
  /** Asks an authority for time stamps on evidence (RFC 3161); without it there are none. */
  readonly stamps?: PostQuery | null
  readonly production: boolean
  readonly trust_proxy: readonly string[]
  readonly client_dir: string | null
  readonly limit_scale: number
}

/** Requests under way have so long to be answered, and their senders to hear of it, once the server stops. */
const requests_ms = 3_000
/** And then a stage has so much longer to be over, however slow the machine: less than any client keeps a connection by itself. */
const slowly_ms = 4_000

/** Answers what has been asked; who has not finished asking, or does not listen, is cut off in the end. */
async function closeWithin(app: FastifyInstance, ms: number): Promise<void> {
  const clock = setTimeout(() => app.server.closeAllConnections(), ms)
  await app.close()
  clearTimeout(clock)
}

export type Product = {
  readonly app: FastifyInstance
  readonly jobs: Jobs
  /** Begins to work: jobs run, and what was being sent when the last process ended goes on. */
  start(options: { sole: boolean }): Promise<void>
  /**
   * Stops taking requests, then jobs; both drain, each within its own time. The database is the caller's to close, afterwards. Answers the
   * stages that did not end.
   */
  stop(): Promise<string[]>
}

/** What is said of messages before they leave: by the functions that make the messages themselves. */
export function messageWords(sms: CarrierLines['sms'], origin: string): { pieces: CountPieces; shown: ShowMessage } {
  const write = smsWriter(sms, origin)
  const shown: ShowMessage = (channel, saying) => {
    if (channel === 'sms') return { title: '', text: write(saying) }
    const words = composed(saying, { texts: 'whole', signature: usual_signature })
    if (!words) throw new Error('a message that cannot be told')
    return channel === 'email' ? shownByMail(words) : shownInChat(words)
  }
  return { pieces: pieceCounter(sms, origin), shown }
}

/** Each company's own application; in a demo something stands in for those that have none. */
const chatLines =
  ({ database, secrets, lines: { platform } }: Wanted, platforms: Platforms): CarrierLines['platform'] =>
  async (company_id) =>
    (await chatLine(database, secrets, { company_id, openChat: (app) => openChat(platforms, app) })) ??
    (platform && outsideLine(platform))

/** The ways out, from here on only for whoever is outdoors. */
const linesOf = (wanted: Wanted, platforms: Platforms): CarrierLines => ({
  sms: wanted.lines.sms && outsideLine(wanted.lines.sms),
  platform: chatLines(wanted, platforms),
  mail: async (company_id) => (await mailLine({ ...wanted, ...wanted.mail }, company_id, { tested: true }))?.line ?? null,
})

/** What operators’ passwords are kept and compared by: as everybody's. */
const passwords = { hash: hashPassword, isRight: isPassword, mustBeGood }

export async function assemble(wanted: Wanted): Promise<Product> {
  const { database, secrets, clock, origin, log, mail, shop } = wanted
  const suites = openSuites(openStoreDesk(database, secrets), wanted.stores ?? {})
  const whole = suited(wanted.platforms, suites.find)
  const lines = linesOf(wanted, whole)
  const platforms = outsidePlatforms(whole)
  const jobs = openJobs(database, secrets, log)
  const accounts = openAccounts({ database, jobs, secrets, lines, platforms, clock, log, origin })
  const slips = openSlips({ database, jobs, secrets, clock, lines, mail, origin, log, stamps: wanted.stamps ?? null })
  const orders = openOrders({ database, jobs, secrets, clock, log, offer: shop.offer, providers: shop.providers })
  const ops = openOps({ database, jobs, secrets, room: wanted.room, setup_key: shop.ops_token, passwords })
  const spell = openSpelling({ database, jobs })
  const invites = openInvites({ database, jobs, secrets, clock, lines, origin })
  const tax = openTax({ database, jobs, secrets, clock })
  const charts = openCharts({ database, jobs, secrets, clock, log })
  const binding = openBinding({ database, jobs, secrets, clock, log, platforms: whole, suites, proofs: platformLinks })
  const webhooks = openWebhooks({ database, jobs, secrets, clock, post: postWebhook, desk: mail })
  openTeller({ database, jobs, secrets, clock, lines, log })
  openDiagnosis(jobs)
  await jobs.prepare()
  const handlers = [
    ...[accounts, invites, slips, binding, orders].flatMap((one) => one.handlers),
    ...memberHandlers,
    ...roleHandlers,
    ...companyHandlers,
    ...sheetHandlers,
    ...employeeHandlers,
    ...payHandlers,
    ...deskHandlers(
      async (ctx, file_id) =>
        (await seesFile(ctx, file_id)) && (await seesDeclaration(ctx, file_id)) && (await seesYear(ctx, file_id)),
    ),
    ...agencyHandlers,
    ...approvalHandlers,
    ...tax,
    ...charts,
    ...webhooks,
    ...ops,
  ]
  let working = false
  const app = await buildApp({
    ...wanted,
    billing: shop.offer.billing,
    orders,
    lines,
    jobs,
    ...messageWords(lines.sms, origin),
    callbacks: binding.callbacks,
    reports: { ...wanted.sms_reports, take: slips.takeReports },
    onStolenToken: accounts.onStolenToken,
    onUndeclared:
      wanted.onUndeclared ?? ((call, refusal) => log.warn({ call: call.at, refusal }, 'refused what its contract does not say')),
    strict: !wanted.production,
    ready: async () => working,
    handlers: wanted.production ? handlers.filter(({ call }) => !call.diagnosis) : handlers,
  })
  return {
    app,
    jobs,
    async start({ sole }) {
      await jobs.start()
      await slips.resumeAll({ sole })
      await spell(await allCompanies(database))
      working = true
    },
    async stop() {
      working = false
      return endInStages(
        [
          { name: 'requests', within_ms: requests_ms + slowly_ms, run: () => closeWithin(app, requests_ms) },
          { name: 'jobs', within_ms: 5_000 + slowly_ms, run: () => jobs.stop() },
        ],
        (text) => log.warn(text),
      )
    },
  }
}
