/** What is asked of a platform that hides names, for whoever is outdoors; and of which binding it may be asked. */
import type { App, HiddenNames, Platforms } from '../../../../platform/types.ts'
import { providerNames } from '../../../contract/people/providers.ts'
import { type ChatPlatform, providers } from '../../../contract/words/words.ts'
import { type Outdoors, onlyOutdoors } from '../../../runtime/data/outdoors.ts'
import { type Ctx, refuse } from '../../../runtime/handle.ts'
import { appIn } from '../../company/index.ts'
import { asPlatformError, platformSentence } from '../outside.ts'
import { bindingOf, type KeptBinding, notBound } from '../rows.ts'
import type { Suites } from '../store/suites.ts'

type Asked = 'search' | 'chosen' | 'translate' | 'translated'
export type OutsideHidden = Pick<HiddenNames, 'at_once' | 'mark'> & {
  readonly [K in Asked]: (outdoors: Outdoors, ...args: Parameters<HiddenNames[K]>) => ReturnType<HiddenNames[K]>
}
export type HiddenParts = {
  /** Of those that keep names to themselves. */
  readonly hidden: Readonly<Partial<Record<ChatPlatform, OutsideHidden>>>
  /** Whether the platform does so for this application: only for whoever made it, and only where he is set up. */
  readonly searches: (app: Pick<App, 'provider' | 'suite'>) => boolean
}
export function openHidden(platforms: Platforms, suites: Suites): HiddenParts {
  const outside = ({ at_once, mark, search, chosen, translate, translated }: HiddenNames): OutsideHidden => ({
    at_once,
    mark,
    search: onlyOutdoors((app, names) => search(app, names)),
    chosen: onlyOutdoors((app, ticket) => chosen(app, ticket)),
    translate: onlyOutdoors((app, file) => translate(app, file)),
    translated: onlyOutdoors((app, job) => translated(app, job)),
  })
  const hiding = providers.flatMap((provider) => {
    const { hidden } = platforms[provider]
    return hidden ? [[provider, outside(hidden)] as const] : []
  })
  const hidden: HiddenParts['hidden'] = Object.fromEntries(hiding)
  return {
    hidden,
    searches: ({ provider, suite }) => !!suite && provider in hidden && !!suites.of(provider)?.maker,
  }
}

type Bound = { readonly binding: KeptBinding; readonly app: App }
export async function boundApp(ctx: Ctx): Promise<Bound> {
  const binding = await bindingOf(ctx)
  const app = binding?.app_id ? await appIn(ctx, binding.app_id) : null
  if (!binding || !app) throw notBound()
  return { binding, app }
}
/** The binding of a company whose people's names are hidden from us; elsewhere there is nothing to ask. */
export async function hiddenOf(ctx: Ctx, parts: HiddenParts): Promise<Bound & { readonly hidden: OutsideHidden }> {
  const { binding, app } = await boundApp(ctx)
  const hidden = parts.hidden[app.provider]
  if (!hidden || !app.suite)
    throw refuse('wrong_state', `${providerNames[app.provider]}会提供姓名，请直接在「人员核对」里核对`, { status: 'names' })
  return { binding, app, hidden }
}

/** What the platform said no to, for an administrator. */
export async function whileHidden<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const said = asPlatformError(error)
    if (!said) throw error
    const { provider, code, message, kind } = said
    const words =
      kind === 'unsupported' ? '运营方还没有设置服务商的 CorpID 与 ProviderSecret，暂时不能按姓名查找' : platformSentence(said)
    throw refuse('platform_refused', words, { provider, code, message })
  }
}
