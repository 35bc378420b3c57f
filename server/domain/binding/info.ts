/** The binding as its page shows it. */
import * as contract from '../../contract/people/binding.ts'
import { providers } from '../../contract/words/words.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import { shownApp } from '../company/index.ts'
import type { HiddenParts } from './combine/hidden.ts'
import { eventDetail } from './kept.ts'
import { ofCorp } from './links.ts'
import type { Directories } from './outside.ts'
import { bindingOf, type KeptBinding } from './rows.ts'
import type { Suites } from './store/suites.ts'
import { countsOf, lastSync } from './sync/rows.ts'

const shown_events = 50

type Parts = { readonly directories: Directories; readonly suites: Suites; readonly hides: HiddenParts }
export const getPlatformInfo = ({ suites, ...parts }: Parts) =>
  handle(contract.getPlatformInfo, async (ctx) => {
    const { db, company_id, origin } = ctx
    const binding = await bindingOf(ctx)
    const events = await db
      .selectFrom('binding_event')
      .innerJoin('binding', (join) =>
        join.onRef('binding.company_id', '=', 'binding_event.company_id').onRef('binding.id', '=', 'binding_event.binding_id'),
      )
      .select(['binding_event.at', 'binding_event.kind', 'binding_event.by_name', 'binding_event.detail', 'binding.provider'])
      .where('binding_event.company_id', '=', company_id)
      .orderBy('binding_event.id', 'desc')
      .limit(shown_events)
      .execute()
    return {
      status: binding?.status ?? 0,
      bound: binding && (await shown(ctx, binding, parts)),
      addresses: { home: `${origin}/entry`, redirect: `${origin}/entry`, host: new URL(origin).host },
      stores: providers.flatMap((provider) => {
        const store = suites.of(provider)
        return store ? [{ provider, here: provider === 'wecom', page: store.page }] : []
      }),
      history: events.map(({ at, by_name, detail, ...event }) => ({
        ...event,
        at: isoOf(at),
        by: by_name,
        detail: eventDetail.parse(detail),
      })),
    }
  })

async function shown(ctx: Ctx, binding: KeptBinding, { directories, hides }: Omit<Parts, 'suites'>) {
  const { db, company_id, origin } = ctx
  const { provider, mode, corp_id, corp_name, problems, visible, approval_no } = binding
  const app = await shownApp(ctx, binding.app_id)
  const by = await db
    .selectFrom('binding_event')
    .select('by_name')
    .where('company_id', '=', company_id)
    .where('binding_id', '=', binding.id)
    .where('kind', '=', 'bound')
    .executeTakeFirst()
  const people = await db
    .selectFrom('platform_person')
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('total'),
      fn.countAll<number>().filterWhere('member_id', 'is not', null).as('linked'),
      fn
        .countAll<number>()
        .filterWhere(eb('standing', '=', 'conflict').and('member_id', 'is', null))
        .as('conflicts'),
    ])
    .where(ofCorp(ctx, binding))
    .where('gone_at', 'is', null)
    .executeTakeFirstOrThrow()
  const last = await lastSync(ctx, binding.id, 'ended')
  const suite = mode === 'store' ? { suite: { id: app.app_id, secret: '', ticket: null } } : {}
  const { names, phones, employee_nos } = directories[provider].describe({ provider, corp_id, ...app, secret: '', ...suite })
  return {
    provider,
    mode,
    corp_id,
    app_id: app.app_id,
    agent_id: app.agent_id,
    corp_name,
    proved: app.proved_at !== null,
    bound_at: isoOf(binding.bound_at),
    by: by?.by_name ?? '',
    callback_url: origin + contract.callbackPath(provider, app.id),
    callback: { ready: app.ready === true, heard_at: binding.heard_at && isoOf(binding.heard_at) },
    last_sync: last && { at: isoOf(last.ended_at ?? last.started_at), state: last.state, ...countsOf(last) },
    visible_range: visible && {
      whole: visible.whole,
      departments: visible.department_ids.length,
      people: visible.user_ids.length,
    },
    health: {
      ok: !problems.some(({ blocking }) => blocking),
      checked_at: isoOf(binding.checked_at),
      problems: [...problems],
    },
    abilities: { names, phones, employee_nos, searches: hides.searches({ provider, ...suite }) },
    people,
    unbinding: approval_no === null ? null : { approval_no },
  }
}
