/**
 * Receives the platforms' event callbacks. Each is verified, stored and acknowledged; a job processes it later
 * (docs/decisions/20261123-use-reviewed-syncs-for-platform-bindings.md). A callback that cannot be verified costs one
 * cache lookup and one hash. Writes platform_event and binding.
 */
import type { CallbackReply, CallbackRequest } from '../../../platform/types.ts'
import * as contract from '../../contract/platform-binding/binding.ts'
import { type ChatProvider, providers } from '../../contract/shared/providers.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Database } from '../../database/database.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import type { Log } from '../../observability/log.ts'
import type { Clock } from '../../shared/clock.ts'
import { findPlatformApps, loadCallbackKeys, type StoredPlatformApp } from '../company/index.ts'
import { platformEventJob, savePlatformEvent } from './events.ts'
import type { PlatformCallbacks } from './external-platforms.ts'
import { createStoreCallbackHandler, type StoreCallbackDeps } from './store/store-callback.ts'

type CallbackDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: Log
  readonly callbacks: PlatformCallbacks
} & Pick<StoreCallbackDeps, 'installs' | 'suites' | 'runInCompany'>
export type CallbackHandler = (provider: string, app_id: string, request: CallbackRequest) => Promise<CallbackReply>

const createEmptyReply = (status: number): CallbackReply => ({ status, type: 'text/plain; charset=utf-8', body: '' })
const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/**
 * Lifetime and maximum size of the cache of callback addresses, whether or not an application exists behind them. A
 * rejected callback is verified again with freshly loaded keys, at most once a second, because keys are entered here a
 * moment before the platform tests them.
 */
const keyCacheMs = 15_000
const rejectedKeyCacheMs = 1_000
const maxCachedKeys = 2_000
const lastReceivedIntervalMs = 60_000

type CallbackTarget = { readonly app: StoredPlatformApp; readonly keys: Awaited<ReturnType<typeof loadCallbackKeys>> } | null

export function createCallbackHandler(deps: CallbackDeps): CallbackHandler {
  const { database, secrets, clock, log, callbacks } = deps
  const cache = new Map<string, { readonly since: number; readonly existing: Promise<CallbackTarget> }>()
  const store = createStoreCallbackHandler({ ...deps, saveEvent: (app, event) => saveEvent(deps, app, event) })

  const loadTarget = async (id: string, provider: ChatProvider): Promise<CallbackTarget> => {
    const app = (await findPlatformApps(database, { id }))[0]
    return app && app.provider === provider ? { app, keys: await loadCallbackKeys(database, secrets, app) } : null
  }
  const getTarget = (id: string, provider: ChatProvider, maxAgeMs: number): Promise<CallbackTarget> => {
    const cacheKey = `${provider} ${id}`
    const cached = cache.get(cacheKey)
    if (cached && performance.now() - cached.since < maxAgeMs) return cached.existing
    if (cache.size >= maxCachedKeys) cache.clear()
    const loading = loadTarget(id, provider)
    cache.set(cacheKey, { since: performance.now(), existing: loading })
    loading.catch(() => cache.delete(cacheKey))
    return loading
  }
  const receive = async (app_id: string, provider: ChatProvider, request: CallbackRequest, maxAgeMs: number) => {
    const target = isUuid(app_id) ? await getTarget(app_id, provider, maxAgeMs) : null
    if (!target) return { match: target, outcome: null }
    const outcome = target.keys ? callbacks[provider].receive(target.keys, request, clock.now()) : noKeysOutcome
    return { match: target, outcome }
  }

  return async (name, app_id, request) => {
    const provider = providers.find((one) => one === name)
    if (!provider) return createEmptyReply(404)
    if (app_id === contract.storeAppKey) return (await store(provider, request)) ?? createEmptyReply(404)
    let { match: target, outcome } = await receive(app_id, provider, request, keyCacheMs)
    if (outcome?.result === 'refused') ({ match: target, outcome } = await receive(app_id, provider, request, rejectedKeyCacheMs))
    if (!target || !outcome) return createEmptyReply(404)
    if (outcome.result === 'refused') {
      log.info({ provider, why: outcome.reason }, 'a callback was refused')
      return createEmptyReply(outcome.reason === 'no_keys' ? 503 : 403)
    }
    if (outcome.result === 'event')
      for (const event of [outcome.event, ...outcome.moreEvents]) await saveEvent(deps, target.app, event)
    return outcome.reply
  }
}
const noKeysOutcome = { result: 'refused', reason: 'no_keys' } as const

async function saveEvent(
  { database, secrets, clock, jobs }: CallbackDeps,
  { id, company_id }: StoredPlatformApp,
  event: Parameters<typeof savePlatformEvent>[2],
): Promise<void> {
  await database.inCompany(company_id, async (db) => {
    const now = clock.now()
    const result = await savePlatformEvent({ db, company_id, now, vault: await secrets.vault(db, company_id) }, id, event)
    if (result === 'known') return
    if (result === 'first') await jobs.send(db, platformEventJob, { company_id })
    await db
      .updateTable('binding')
      .set({ last_callback_at: now })
      .where('company_id', '=', company_id)
      .where('app_id', '=', id)
      .where((eb) =>
        eb.or([
          eb('last_callback_at', 'is', null),
          eb('last_callback_at', '<', new Date(now.getTime() - lastReceivedIntervalMs)),
        ]),
      )
      .execute()
  })
}
