/** What is asked of a platform that hides names, for whoever is outdoors; and of which binding it may be asked. */
import type { ChatApp, HiddenNames, Platforms } from '../../../../platform/types.ts'
import { providerLabels } from '../../../contract/shared/providers.ts'
import { type ChatProvider, providers } from '../../../contract/shared/schemas.ts'
import { type NoTransaction, requireNoTransaction } from '../../../database/no-transaction.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { loadPlatformApp } from '../../company/index.ts'
import { createNotBoundError, findBinding, type StoredBinding } from '../binding-rows.ts'
import { asPlatformError, getPlatformErrorMessage } from '../external-platforms.ts'
import type { StoreSuites } from '../store/suites.ts'

type HiddenNameMethod = 'search' | 'chosen' | 'translate' | 'translated'
export type ExternalHiddenNames = Pick<HiddenNames, 'at_once' | 'mark'> & {
  readonly [K in HiddenNameMethod]: (outdoors: NoTransaction, ...args: Parameters<HiddenNames[K]>) => ReturnType<HiddenNames[K]>
}
export type HiddenNamesDeps = {
  /** Of those that keep names to themselves. */
  readonly hidden: Readonly<Partial<Record<ChatProvider, ExternalHiddenNames>>>
  /** Whether the platform does so for this application: only for whoever made it, and only where he is set up. */
  readonly searches: (app: Pick<ChatApp, 'provider' | 'suite'>) => boolean
}
export function createHiddenNames(platforms: Platforms, suites: StoreSuites): HiddenNamesDeps {
  const wrapExternal = ({ at_once, mark, search, chosen, translate, translated }: HiddenNames): ExternalHiddenNames => ({
    at_once,
    mark,
    search: requireNoTransaction((app, names) => search(app, names)),
    chosen: requireNoTransaction((app, ticket) => chosen(app, ticket)),
    translate: requireNoTransaction((app, file) => translate(app, file)),
    translated: requireNoTransaction((app, job) => translated(app, job)),
  })
  const entries = providers.flatMap((provider) => {
    const { hidden: byProvider } = platforms[provider]
    return byProvider ? [[provider, wrapExternal(byProvider)] as const] : []
  })
  const byProvider: HiddenNamesDeps['hidden'] = Object.fromEntries(entries)
  return {
    hidden: byProvider,
    searches: ({ provider, suite }) => !!suite && provider in byProvider && !!suites.of(provider)?.maker,
  }
}

type BoundApp = { readonly binding: StoredBinding; readonly app: ChatApp }
export async function requireBoundApp(ctx: HandlerContext): Promise<BoundApp> {
  const binding = await findBinding(ctx)
  const app = binding?.app_id ? await loadPlatformApp(ctx, binding.app_id) : null
  if (!binding || !app) throw createNotBoundError()
  return { binding, app }
}
/** The binding of a company whose people's names are hidden from us; elsewhere there is nothing to ask. */
export async function requireHiddenNames(
  ctx: HandlerContext,
  deps: HiddenNamesDeps,
): Promise<BoundApp & { readonly hidden: ExternalHiddenNames }> {
  const { binding, app } = await requireBoundApp(ctx)
  const hidden = deps.hidden[app.provider]
  if (!hidden || !app.suite)
    throw fail('wrong_state', `${providerLabels[app.provider]}会提供姓名，请直接在「人员核对」里核对`, { status: 'names' })
  return { binding, app, hidden }
}

/** What the platform said no to, for an administrator. */
export async function withPlatformErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const platformError = asPlatformError(error)
    if (!platformError) throw error
    const { provider, code, message, kind } = platformError
    const userMessage =
      kind === 'unsupported'
        ? '运营方还没有设置服务商的 CorpID 与 ProviderSecret，暂时不能按姓名查找'
        : getPlatformErrorMessage(platformError)
    throw fail('platform_refused', userMessage, { provider, code, message })
  }
}
