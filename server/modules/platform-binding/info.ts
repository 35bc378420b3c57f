/** The binding as shown on its page. */
import * as contract from '../../contract/platform-binding/binding.ts'
import { chatProviderRules, providers } from '../../contract/shared/providers.ts'
import { defineHandler, type HandlerContext } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { getPlatformAppView } from '../company/index.ts'
import { findBinding, type StoredBinding } from './binding-rows.ts'
import type { HiddenNamesDeps } from './combine/hidden-names.ts'
import type { ExternalDirectories } from './external-platforms.ts'
import { isPlatformCompany } from './links.ts'
import type { StoreSuites } from './store/suites.ts'
import { eventDetailSchema } from './stored-schemas.ts'
import { findLatestSync, parseSyncCounts } from './sync/sync-rows.ts'
import { canEndAtOnce } from './unbind.ts'

const maxListedEvents = 50

type PlatformInfoDeps = {
  readonly directories: ExternalDirectories
  readonly suites: StoreSuites
  readonly hiddenNames: HiddenNamesDeps
  readonly serverIps: readonly string[]
}
export const getPlatformInfo = ({ suites, serverIps, ...deps }: PlatformInfoDeps) =>
  defineHandler(contract.getPlatformInfo, async (ctx) => {
    const { db, company_id, origin } = ctx
    const binding = await findBinding(ctx)
    const events = await db
      .selectFrom('binding_event')
      .innerJoin('binding', (join) =>
        join.onRef('binding.company_id', '=', 'binding_event.company_id').onRef('binding.id', '=', 'binding_event.binding_id'),
      )
      .select(['binding_event.at', 'binding_event.kind', 'binding_event.by_name', 'binding_event.detail', 'binding.provider'])
      .where('binding_event.company_id', '=', company_id)
      .orderBy('binding_event.id', 'desc')
      .limit(maxListedEvents)
      .execute()
    return {
      status: binding?.status ?? 0,
      bound: binding && (await toBindingView(ctx, binding, deps)),
      addresses: { home: `${origin}/entry`, redirect: `${origin}/entry`, host: new URL(origin).host, server_ips: [...serverIps] },
      ends_at_once: binding !== null && (await canEndAtOnce(ctx, binding)),
      stores: providers.flatMap((provider) => {
        const store = suites.getStoreApp(provider)
        return store ? [{ provider, installs_here: chatProviderRules[provider].hasInstallPage, page: store.page }] : []
      }),
      history: events.map(({ at, by_name, detail, ...event }) => ({
        ...event,
        at: toIsoTimestamp(at),
        by: by_name,
        detail: eventDetailSchema.parse(detail),
      })),
    }
  })

async function toBindingView(
  ctx: HandlerContext,
  binding: StoredBinding,
  { directories, hiddenNames }: Omit<PlatformInfoDeps, 'suites' | 'serverIps'>,
) {
  const { db, company_id, origin } = ctx
  const { provider, mode, corp_id, corp_name, issues, visible, approval_no } = binding
  const app = await getPlatformAppView(ctx, binding.app_id)
  const by = await db
    .selectFrom('binding_event')
    .select('by_name')
    .where('company_id', '=', company_id)
    .where('binding_id', '=', binding.id)
    .where('kind', '=', 'bound')
    .executeTakeFirst()
  const userCounts = await db
    .selectFrom('platform_user')
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('total'),
      fn.countAll<number>().filterWhere('member_id', 'is not', null).as('linked'),
      fn
        .countAll<number>()
        .filterWhere(eb('match_status', '=', 'conflict').and('member_id', 'is', null))
        .as('conflicts'),
    ])
    .where(isPlatformCompany(ctx, binding))
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  const last = await findLatestSync(ctx, binding.id, 'ended')
  const suite = mode === 'store' ? { suite: { id: app.app_id, secret: '', ticket: null } } : {}
  const { names, phones, employee_nos } = directories[provider].describe({ provider, corp_id, ...app, secret: '', ...suite })
  return {
    provider,
    mode,
    corp_id,
    app_id: app.app_id,
    agent_id: app.agent_id,
    corp_name,
    is_verified: app.proved_at !== null,
    bound_at: toIsoTimestamp(binding.bound_at),
    by: by?.by_name ?? '',
    callback_url: origin + contract.getCallbackPath(provider, app.id),
    callback: {
      is_configured: app.ready === true,
      last_received_at: binding.last_callback_at && toIsoTimestamp(binding.last_callback_at),
    },
    last_sync: last && { at: toIsoTimestamp(last.ended_at ?? last.started_at), state: last.state, ...parseSyncCounts(last) },
    visible_range: visible && {
      whole: visible.isFull,
      departments: visible.department_ids.length,
      people: visible.user_ids.length,
    },
    health: {
      ok: !issues.some(({ blocking }) => blocking),
      checked_at: toIsoTimestamp(binding.checked_at),
      issues: [...issues],
    },
    capabilities: { names, phones, employee_nos, search: hiddenNames.canSearch({ provider, ...suite }) },
    users: userCounts,
    pending_unbind: approval_no === null ? null : { approval_no },
  }
}
