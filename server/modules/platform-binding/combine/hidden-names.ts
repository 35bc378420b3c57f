/** Calls to platforms that hide names, for use without an open transaction, and the check of which bindings need them. */
import type { ChatApp, HiddenNames, Platforms } from '../../../../platform/types.ts'
import { type ChatProvider, providerLabels, providers } from '../../../contract/shared/providers.ts'
import { type NoTransaction, requireNoTransaction } from '../../../database/no-transaction.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { loadPlatformApp } from '../../company/index.ts'
import { createNotBoundError, findBinding, type StoredBinding } from '../binding-rows.ts'
import { asPlatformError, getPlatformErrorMessage } from '../external-platforms.ts'
import type { StoreSuites } from '../store/suites.ts'

type HiddenNameMethod = 'findByNames' | 'getSelectedUsers' | 'startTranslation' | 'getTranslationUrl'
export type ExternalHiddenNames = Pick<HiddenNames, 'maxNamesPerCall' | 'formatPlaceholder'> & {
  readonly [K in HiddenNameMethod]: (
    noTransaction: NoTransaction,
    ...args: Parameters<HiddenNames[K]>
  ) => ReturnType<HiddenNames[K]>
}
export type HiddenNamesDeps = {
  /** Only platforms that hide names. */
  readonly byProvider: Readonly<Partial<Record<ChatProvider, ExternalHiddenNames>>>
  /** Whether names can be searched for this application: only by its developer, and only where the developer is configured. */
  readonly canSearch: (app: Pick<ChatApp, 'provider' | 'suite'>) => boolean
}
export function createHiddenNames(platforms: Platforms, suites: StoreSuites): HiddenNamesDeps {
  const wrapExternal = ({
    maxNamesPerCall,
    formatPlaceholder,
    findByNames,
    getSelectedUsers,
    startTranslation,
    getTranslationUrl,
  }: HiddenNames): ExternalHiddenNames => ({
    maxNamesPerCall,
    formatPlaceholder,
    findByNames: requireNoTransaction((app, names) => findByNames(app, names)),
    getSelectedUsers: requireNoTransaction((app, ticket) => getSelectedUsers(app, ticket)),
    startTranslation: requireNoTransaction((app, file) => startTranslation(app, file)),
    getTranslationUrl: requireNoTransaction((app, job) => getTranslationUrl(app, job)),
  })
  const entries = providers.flatMap((provider) => {
    const { hiddenNames: byProvider } = platforms[provider]
    return byProvider ? [[provider, wrapExternal(byProvider)] as const] : []
  })
  const byProvider: HiddenNamesDeps['byProvider'] = Object.fromEntries(entries)
  return {
    byProvider,
    canSearch: ({ provider, suite }) => !!suite && provider in byProvider && !!suites.getStoreApp(provider)?.developer,
  }
}

type BoundApp = { readonly binding: StoredBinding; readonly app: ChatApp }
export async function requireBoundApp(ctx: HandlerContext): Promise<BoundApp> {
  const binding = await findBinding(ctx)
  const app = binding?.app_id ? await loadPlatformApp(ctx, binding.app_id) : null
  if (!binding || !app) throw createNotBoundError()
  return { binding, app }
}
/** Returns the binding if its platform hides names; throws otherwise, because no lookup is needed. */
export async function requireHiddenNames(
  ctx: HandlerContext,
  deps: HiddenNamesDeps,
): Promise<BoundApp & { readonly hidden: ExternalHiddenNames }> {
  const { binding, app } = await requireBoundApp(ctx)
  const hidden = deps.byProvider[app.provider]
  if (!hidden || !app.suite)
    throw fail('wrong_state', `${providerLabels[app.provider]}会提供姓名，请直接在「人员核对」里核对`, { status: 'names' })
  return { binding, app, hidden }
}

/** Converts errors of the platform into messages for an administrator. */
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
