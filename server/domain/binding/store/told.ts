/**
 * What the platforms tell the address of an application of the store: of all companies that installed it. Proved by the suite's own keys before anything is
 * read, answered at once. Writes what `keepEvent` writes.
 */
import type { App, CallbackReply, CallbackRequest, PlatformEvent, StoreApp } from '../../../../platform/types.ts'
import type { ChatPlatform } from '../../../contract/words/words.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { endInstall, type InstallKey } from '../../../runtime/data/installs.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import type { JobContext, Jobs } from '../../../runtime/jobs.ts'
import type { Log } from '../../../runtime/log.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { type KnownApp, knownApps, renewApp } from '../../company/index.ts'
import { asPlatformError, type CallbackDesk, type OutsideInstalls } from '../outside.ts'
import type { Suites } from './suites.ts'

type Renewing = {
  readonly database: Database
  readonly secrets: Secrets
  /** In a transaction of this company. */
  inside<T>(company_id: string, work: (here: { readonly db: Tx }) => Promise<T>): Promise<T>
}
export type StoreParts = Renewing & {
  readonly jobs: Jobs
  readonly clock: Clock
  readonly log: Log
  readonly callbacks: CallbackDesk
  readonly installs: Readonly<Record<ChatPlatform, OutsideInstalls>>
  readonly suites: Suites
  /** Keeps what a company of ours is told, as if it had come to its own address. */
  keep(app: KnownApp, event: PlatformEvent): Promise<void>
}

const installed_job = 'platform_installed'
type InstalledData = {
  readonly provider: ChatPlatform
  readonly code: string | null
  readonly corp_id: string | null
  readonly by: string | null
  readonly at_ms: number
}

/** Whose installation of ours it is; another application of the same company there is none of the store. */
async function bearerOf(database: Database, { provider, suite_id, corp_id }: InstallKey): Promise<KnownApp | null> {
  const all = await knownApps(database, { provider, corp: corp_id })
  return all.find(({ mode, app_id }) => mode === 'store' && app_id === suite_id) ?? null
}

/** Answers null where nothing is set up: there is no such address. */
export function openStoreEntry(parts: StoreParts) {
  const { clock, log, callbacks, suites } = parts
  parts.jobs.on<InstalledData>(installed_job, (data, context) => installed(parts, data, context), { expire_s: 60 })
  return async (provider: ChatPlatform, request: CallbackRequest): Promise<CallbackReply | null> => {
    const store = suites.of(provider)
    if (!store) return null
    const keys = { token: store.token, aes_key: store.aes_key, receivers: [store.id], corp_id: null }
    const outcome = callbacks[provider].receive(keys, request, clock.now())
    if (outcome.result === 'refused') {
      log.info({ provider, why: outcome.why }, 'a callback of the store was refused')
      return { status: 403, type: 'text/plain; charset=utf-8', body: '' }
    }
    if (outcome.result === 'event')
      for (const event of [outcome.event, ...outcome.also]) await take(parts, provider, store, event)
    return outcome.reply
  }
}

async function take(parts: StoreParts, provider: ChatPlatform, { id: suite_id }: StoreApp, event: PlatformEvent): Promise<void> {
  const { database, suites, clock, keep } = parts
  const { news, corp_id } = event
  const at = event.at ?? clock.now()
  if (news.kind === 'ticket') return suites.desk.keepTicket(provider, suite_id, { ticket: news.ticket, at })
  const bearer = corp_id === null ? null : await bearerOf(database, { provider, suite_id, corp_id })
  if (news.kind === 'app' && !(await ofInstalling(parts, { provider, suite_id }, event, at))) return
  if (bearer) await keep(bearer, event)
}

/** Of installations, each once. Answers whether the company here is to hear of it. */
async function ofInstalling(
  { suites, jobs, clock }: StoreParts,
  { provider, suite_id }: Omit<InstallKey, 'corp_id'>,
  { key, news, corp_id }: PlatformEvent,
  at: Date,
): Promise<boolean> {
  if (news.kind !== 'app') return true
  const isHeard = await suites.desk.once({ provider, suite_id, key }, clock.now(), async (tx) => {
    if (news.change === 'removed') return corp_id !== null && endInstall(tx, { provider, suite_id, corp_id }, at)
    if (news.change === 'enabled') {
      const data: InstalledData = { provider, code: news.code, corp_id, by: news.by ?? null, at_ms: at.getTime() }
      await jobs.send(tx, installed_job, data)
    }
    return true
  })
  return isHeard === true
}

/**
 * Somebody has installed it. Doing it twice is harmless: WeCom's code is good once, and one that is spent tells nothing more (whoever installed then does so
 * again); the others are asked again. Nobody's binding begins by it: it waits for an administrator who proves that it is his.
 */
async function installed(
  parts: StoreParts,
  { provider, code, corp_id, by, at_ms }: InstalledData,
  { outdoors }: JobContext,
): Promise<void> {
  const { installs, suites, log } = parts
  const store = suites.of(provider)
  const suite = store && (await suites.find(provider, store.id))
  if (!suite) return
  const found = await installs[provider].finish(outdoors, suite, { code, corp_id }).catch((error: unknown) => {
    const said = asPlatformError(error)
    // Again when the ticket has come, or the platform answers.
    if (!said || said.kind === 'temporary' || said.kind === 'rate_limited') throw error
    log.warn({ provider, code: said.code }, 'an installation could not be taken up')
    return null
  })
  if (!found) return
  const installers = [...new Set([...found.installers, ...(by ? [by] : [])])]
  const { app, company_name: corp_name } = found
  const kept = { ...installKey(app), agent_id: app.agent_id, secret: app.secret, corp_name, installers, came_at: new Date(at_ms) }
  const company_id = await suites.desk.keepInstall(kept)
  if (company_id !== null) await renewed(parts, company_id, app)
}

export const installKey = ({ provider, corp_id, app_id }: Pick<App, 'provider' | 'corp_id' | 'app_id'>): InstallKey => ({
  provider,
  suite_id: app_id,
  corp_id,
})

/** Installed again while it is bound: the platform has given another code for the same company. */
export async function renewed({ database, secrets, inside }: Renewing, company_id: string, app: App): Promise<void> {
  const bearer = await bearerOf(database, installKey(app))
  if (bearer?.company_id !== company_id) return
  const { agent_id, secret } = app
  await inside(company_id, async ({ db }) =>
    renewApp({ db, company_id, vault: await secrets.vault(db, company_id) }, bearer.id, { agent_id, secret }),
  )
}
