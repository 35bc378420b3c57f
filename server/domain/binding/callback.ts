/**
 * Where the platforms tell us what happened. Proved first, kept, answered; worked on by a job
 * (docs/decisions/20261123-use-reviewed-syncs-for-platform-bindings.md). What cannot
 * be proved costs one look into memory and one hash. Writes platform_event and binding.
 */
import type { CallbackReply, CallbackRequest } from '../../../platform/types.ts'
import * as contract from '../../contract/people/binding.ts'
import { type ChatPlatform, providers } from '../../contract/words/words.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Database } from '../../runtime/db.ts'
import type { Jobs } from '../../runtime/jobs.ts'
import type { Log } from '../../runtime/log.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { callbackKeys, type KnownApp, knownApps } from '../company/index.ts'
import { keepEvent, told_job } from './events.ts'
import type { CallbackDesk } from './outside.ts'
import { openStoreEntry, type StoreParts } from './store/told.ts'

type Parts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: Log
  readonly callbacks: CallbackDesk
} & Pick<StoreParts, 'installs' | 'suites' | 'inside'>
export type CallbackEntry = (provider: string, app_id: string, request: CallbackRequest) => Promise<CallbackReply>

const nothing = (status: number): CallbackReply => ({ status, type: 'text/plain; charset=utf-8', body: '' })
const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/**
 * Addresses that are asked for again and again, whether there is anything behind them or not: so long, and so many at most. What is refused is held against
 * what is known anew, at most once a second: keys are typed here a moment before the platform tries them.
 */
const known_ms = 15_000
const doubted_ms = 1_000
const most_known = 2_000
const heard_every_ms = 60_000

type Known = { readonly app: KnownApp; readonly keys: Awaited<ReturnType<typeof callbackKeys>> } | null

export function openCallbacks(parts: Parts): CallbackEntry {
  const { database, secrets, clock, log, callbacks } = parts
  const kept = new Map<string, { readonly since: number; readonly known: Promise<Known> }>()
  const store = openStoreEntry({ ...parts, keep: (app, event) => keep(parts, app, event) })

  const look = async (id: string, provider: ChatPlatform): Promise<Known> => {
    const app = (await knownApps(database, { id }))[0]
    return app && app.provider === provider ? { app, keys: await callbackKeys(database, secrets, app) } : null
  }
  const known = (id: string, provider: ChatPlatform, most_ms: number): Promise<Known> => {
    const at = `${provider} ${id}`
    const before = kept.get(at)
    if (before && performance.now() - before.since < most_ms) return before.known
    if (kept.size >= most_known) kept.clear()
    const now = look(id, provider)
    kept.set(at, { since: performance.now(), known: now })
    now.catch(() => kept.delete(at))
    return now
  }
  const heard = async (app_id: string, provider: ChatPlatform, request: CallbackRequest, most_ms: number) => {
    const found = isId(app_id) ? await known(app_id, provider, most_ms) : null
    if (!found) return { found, outcome: null }
    const outcome = found.keys ? callbacks[provider].receive(found.keys, request, clock.now()) : no_keys
    return { found, outcome }
  }

  return async (name, app_id, request) => {
    const provider = providers.find((one) => one === name)
    if (!provider) return nothing(404)
    if (app_id === contract.storeAddress) return (await store(provider, request)) ?? nothing(404)
    let { found, outcome } = await heard(app_id, provider, request, known_ms)
    if (outcome?.result === 'refused') ({ found, outcome } = await heard(app_id, provider, request, doubted_ms))
    if (!found || !outcome) return nothing(404)
    if (outcome.result === 'refused') {
      log.info({ provider, why: outcome.why }, 'a callback was refused')
      return nothing(outcome.why === 'no_keys' ? 503 : 403)
    }
    if (outcome.result === 'event') for (const event of [outcome.event, ...outcome.also]) await keep(parts, found.app, event)
    return outcome.reply
  }
}
const no_keys = { result: 'refused', why: 'no_keys' } as const

async function keep(
  { database, secrets, clock, jobs }: Parts,
  { id, company_id }: KnownApp,
  event: Parameters<typeof keepEvent>[2],
): Promise<void> {
  await database.inCompany(company_id, async (db) => {
    const now = clock.now()
    const became = await keepEvent({ db, company_id, now, vault: await secrets.vault(db, company_id) }, id, event)
    if (became === 'known') return
    if (became === 'first') await jobs.send(db, told_job, { company_id })
    await db
      .updateTable('binding')
      .set({ heard_at: now })
      .where('company_id', '=', company_id)
      .where('app_id', '=', id)
      .where((eb) => eb.or([eb('heard_at', 'is', null), eb('heard_at', '<', new Date(now.getTime() - heard_every_ms))]))
      .execute()
  })
}
