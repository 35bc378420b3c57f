/**
 * Receives the callbacks for a store application, on behalf of all companies that installed it. Verified by the suite's
 * own keys before anything is read, and acknowledged at once. Writes the tables of `savePlatformEvent`.
 */
import type { CallbackReply, CallbackRequest, ChatApp, PlatformEvent, StoreApp } from '../../../../platform/types.ts'
import type { ChatProvider } from '../../../contract/shared/providers.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database, Tx } from '../../../database/database.ts'
import type { JobContext, JobQueue } from '../../../jobs/queue.ts'
import type { Log } from '../../../observability/log.ts'
import type { Clock } from '../../../shared/clock.ts'
import { type PlatformInstallKey, removeInstall } from '../../../shared/store-installs.ts'
import { findPlatformApps, renewPlatformApp, type StoredPlatformApp } from '../../company/index.ts'
import { asPlatformError, type ExternalInstalls, type PlatformCallbacks } from '../external-platforms.ts'
import type { StoreSuites } from './suites.ts'

type RenewDeps = {
  readonly database: Database
  readonly secrets: Secrets
  /** Runs a function in a transaction of this company. */
  runInCompany<T>(company_id: string, work: (ctx: { readonly db: Tx }) => Promise<T>): Promise<T>
}
export type StoreCallbackDeps = RenewDeps & {
  readonly jobs: JobQueue
  readonly clock: Clock
  readonly log: Log
  readonly callbacks: PlatformCallbacks
  readonly installs: Readonly<Record<ChatProvider, ExternalInstalls>>
  readonly suites: StoreSuites
  /** Stores an event of one of our companies as if it had arrived at the company's own callback address. */
  saveEvent(app: StoredPlatformApp, event: PlatformEvent): Promise<void>
}

const installedJob = 'platform_installed'
type InstalledJobData = {
  readonly provider: ChatProvider
  readonly code: string | null
  readonly corp_id: string | null
  readonly by: string | null
  readonly at_ms: number
}

/** Finds the company bound to the installation; other applications of the same platform company do not come from the store. */
async function findInstalledApp(
  database: Database,
  { provider, suite_id, corp_id }: PlatformInstallKey,
): Promise<StoredPlatformApp | null> {
  const all = await findPlatformApps(database, { provider, corp: corp_id })
  return all.find(({ mode, app_id }) => mode === 'store' && app_id === suite_id) ?? null
}

/** Returns null where no store application is configured: the address does not exist. */
export function createStoreCallbackHandler(deps: StoreCallbackDeps) {
  const { clock, log, callbacks, suites } = deps
  deps.jobs.register<InstalledJobData>(installedJob, (data, context) => finishPlatformInstall(deps, data, context), {
    timeoutSeconds: 60,
  })
  return async (provider: ChatProvider, request: CallbackRequest): Promise<CallbackReply | null> => {
    const store = suites.getStoreApp(provider)
    if (!store) return null
    const keys = { token: store.token, aes_key: store.aes_key, receivers: [store.id], corp_id: null }
    const outcome = callbacks[provider].receive(keys, request, clock.now())
    if (outcome.result === 'refused') {
      log.info({ provider, why: outcome.reason }, 'a callback of the store was refused')
      return { status: 403, type: 'text/plain; charset=utf-8', body: '' }
    }
    if (outcome.result === 'event')
      for (const event of [outcome.event, ...outcome.moreEvents]) await processStoreEvent(deps, provider, store, event)
    return outcome.reply
  }
}

async function processStoreEvent(
  deps: StoreCallbackDeps,
  provider: ChatProvider,
  { id: suite_id }: StoreApp,
  event: PlatformEvent,
): Promise<void> {
  const { database, suites, clock, saveEvent } = deps
  const { update, corp_id } = event
  const at = event.at ?? clock.now()
  if (update.kind === 'ticket') return suites.installs.saveTicket(provider, suite_id, { ticket: update.ticket, at })
  const installedApp = corp_id === null ? null : await findInstalledApp(database, { provider, suite_id, corp_id })
  if (update.kind === 'app' && !(await processInstallEvent(deps, { provider, suite_id }, event, at))) return
  if (installedApp) await saveEvent(installedApp, event)
}

/** Processes each installation event once. Returns whether the bound company should receive it. */
async function processInstallEvent(
  { suites, jobs, clock }: StoreCallbackDeps,
  { provider, suite_id }: Omit<PlatformInstallKey, 'corp_id'>,
  { key, update, corp_id }: PlatformEvent,
  at: Date,
): Promise<boolean> {
  if (update.kind !== 'app') return true
  const isForCompany = await suites.installs.runOncePerEvent({ provider, suite_id, key }, clock.now(), async (tx) => {
    if (update.change === 'removed') return corp_id !== null && removeInstall(tx, { provider, suite_id, corp_id }, at)
    if (update.change === 'enabled') {
      const data: InstalledJobData = { provider, code: update.code, corp_id, by: update.by ?? null, at_ms: at.getTime() }
      await jobs.send(tx, installedJob, data)
    }
    return true
  })
  return isForCompany === true
}

/**
 * Completes an installation. Idempotent: WeCom's code is valid once, and a consumed one returns nothing more (the
 * customer then installs again); the other platforms can be asked again. It creates no binding: that needs an
 * administrator who proves that the installation is theirs.
 */
async function finishPlatformInstall(
  deps: StoreCallbackDeps,
  { provider, code, corp_id, by, at_ms }: InstalledJobData,
  { noTransaction }: JobContext,
): Promise<void> {
  const { installs, suites, log } = deps
  const store = suites.getStoreApp(provider)
  const suite = store && (await suites.find(provider, store.id))
  if (!suite) return
  const installation = await installs[provider]
    .completeInstall(noTransaction, suite, { code, corp_id })
    .catch((error: unknown) => {
      const platformError = asPlatformError(error)
      // Retried when the ticket has arrived or the platform responds.
      if (!platformError || platformError.kind === 'temporary' || platformError.kind === 'rate_limited') throw error
      log.warn({ provider, code: platformError.code }, 'an installation could not be taken up')
      return null
    })
  if (!installation) return
  const installers = [...new Set([...installation.installers, ...(by ? [by] : [])])]
  const { app, company_name: corp_name } = installation
  const install = {
    ...getInstallKey(app),
    agent_id: app.agent_id,
    secret: app.secret,
    corp_name,
    installers,
    installed_at: new Date(at_ms),
  }
  const company_id = await suites.installs.saveInstall(install)
  if (company_id !== null) await renewInstalledApp(deps, company_id, app)
}

export const getInstallKey = ({
  provider,
  corp_id,
  app_id,
}: Pick<ChatApp, 'provider' | 'corp_id' | 'app_id'>): PlatformInstallKey => ({
  provider,
  suite_id: app_id,
  corp_id,
})

/** Renews a bound application after a new installation: the platform has issued another code for the same company. */
export async function renewInstalledApp(
  { database, secrets, runInCompany }: RenewDeps,
  company_id: string,
  app: ChatApp,
): Promise<void> {
  const installedApp = await findInstalledApp(database, getInstallKey(app))
  if (installedApp?.company_id !== company_id) return
  const { agent_id, secret } = app
  await runInCompany(company_id, async ({ db }) =>
    renewPlatformApp({ db, company_id, vault: await secrets.vault(db, company_id) }, installedApp.id, { agent_id, secret }),
  )
}
