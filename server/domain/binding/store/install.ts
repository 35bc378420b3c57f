/**
 * Binding by installation: an administrator of this company goes to the platform with a state that names the company and himself, and comes back with a code.
 * Only the two together bind, and only the company there that the platform itself names. Writes platform_install_ask, and what `keep` writes.
 */
import { randomBytes } from 'node:crypto'
import type { Platforms, Suite } from '../../../../platform/types.ts'
import * as contract from '../../../contract/people/installing.ts'
import { providerNames } from '../../../contract/people/providers.ts'
import type { ChatPlatform } from '../../../contract/words/words.ts'
import { claimInstall, type InstallKey } from '../../../runtime/data/installs.ts'
import { handleOutside, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { type FoundApp, keep } from '../bind.ts'
import { asPlatformError, type Directories, type OutsideInstalls, platformSentence } from '../outside.ts'
import { bindingOf, followed } from '../rows.ts'
import { keepAsk, redirectOf, spendAsk, type TypedApp } from './asks.ts'
import { type Displacing, displace, elsewhere, rivalsOf } from './rival.ts'
import { notListed, type Suites } from './suites.ts'
import { installKey, renewed } from './told.ts'

type Parts = Displacing & {
  readonly directories: Directories
  readonly installs: Readonly<Record<ChatPlatform, OutsideInstalls>>
  readonly suites: Suites
  readonly platforms: Readonly<Record<ChatPlatform, Pick<Platforms[ChatPlatform], 'authorizeUrl'>>>
}

export const installPlatform = ({ suites, installs, platforms }: Parts) =>
  handleOutside(contract.installPlatform, async (ctx, { provider, how }) => {
    ctx.about({ provider })
    const suite = await suiteOf(suites, provider)
    await ctx.inTransaction(async (inside) => followed((await bindingOf(inside))?.status ?? 0, 'bind'))
    const state = randomBytes(32).toString('hex')
    const ask = { redirect: redirectOf(ctx), state }
    const app = { provider, corp_id: '', app_id: suite.id, agent_id: '' }
    const url =
      how === 'install'
        ? await installs[provider].url(ctx.outdoors, suite, ask).catch(refusedBy)
        : platforms[provider].authorizeUrl(app, { ...ask, inside: false })
    if (url === null)
      throw refuse('wrong_state', `请先在${providerNames[provider]}的应用目录里安装，再回到这里认领`, { status: 'store_only' })
    return ctx.deed(async (inside) => {
      await keepAsk(inside, { state, provider, how })
      return { url }
    })
  })

export const finishInstall = (parts: Parts) =>
  handleOutside(contract.finishInstall, async (ctx, { state, code }) => {
    // Spent whatever comes of it: nobody tries the same one again with other codes.
    const { provider, how, wish: typed } = await ctx.inTransaction((inside) => spendAsk(inside, state))
    ctx.about({ provider })
    if (how === 'prove') return proved(ctx, parts, typed, code)
    const suite = await suiteOf(parts.suites, provider)
    const found = await (how === 'install'
      ? justInstalled(ctx, parts, suite, { provider, code })
      : claimed(ctx, parts, suite, { provider, code }))
    const { app } = found
    const rivals = await rivalsOf(ctx, app)
    // What is missing stands on the page; the directory is read when it can be.
    const check: FoundApp = await parts.directories[provider].check(ctx.outdoors, app).catch((error: unknown) => {
      if (!asPlatformError(error)) throw error
      return { company_name: null, certain: true, range: null, problems: [] }
    })
    const { corp_id, app_id, agent_id, secret } = app
    await displace(parts, rivals)
    return ctx.deed(async (inside) => {
      if (!(await claimInstall(inside.db, inside.company_id, installKey(app)))) throw elsewhere()
      const wish = { provider, mode: 'store' as const, corp_id, app_id, agent_id, secret }
      return keep(inside, wish, { ...check, company_name: check.company_name ?? found.company_name })
    })
  })

/** Somebody of that company has signed in through the application that was typed: whoever had its key without that loses it. */
async function proved(ctx: OutsideCtx, parts: Parts, typed: TypedApp | null, code: string) {
  if (!typed) throw refuse('wrong_state')
  const { provider, corp_id, app_id = '', agent_id = '', secret } = typed
  const app = { provider, corp_id, app_id, agent_id, secret }
  const ask = { code, way: 'page' as const, redirect: redirectOf(ctx) }
  const who = await parts.installs[provider].came(ctx.outdoors, app, ask).catch(refusedBy)
  if (who.corp_id !== corp_id) throw elsewhere()
  const rivals = await rivalsOf(ctx, app)
  const check = await parts.directories[provider].check(ctx.outdoors, app).catch(refusedBy)
  await displace(parts, rivals)
  return ctx.deed((inside) => keep(inside, { ...typed, mode: 'self_built' }, { ...check, certain: true }))
}

async function suiteOf(suites: Suites, provider: ChatPlatform): Promise<Suite> {
  const store = suites.of(provider)
  const suite = store && (await suites.find(provider, store.id))
  if (!suite) throw notListed()
  return suite
}

type Came = { readonly provider: ChatPlatform; readonly code: string }
/** The code of the platform's page says which company that is. It is kept first: the code is good once, and a company that has it already gets what is new. */
async function justInstalled(ctx: OutsideCtx, { installs, suites, inside }: Parts, suite: Suite, { provider, code }: Came) {
  const found = await installs[provider].finish(ctx.outdoors, suite, { code, corp_id: null }).catch(refusedBy)
  const { app, company_name: corp_name, installers } = found
  const { agent_id, secret } = app
  const company_id = await suites.desk.keepInstall({
    ...installKey(app),
    agent_id,
    secret,
    corp_name,
    installers,
    came_at: ctx.now,
  })
  if (company_id !== null) await renewed({ database: ctx.database, secrets: ctx.secrets, inside }, company_id, app)
  return found
}

/** Who has signed in there, of which company; and whether that company has installed ours by his hand. */
async function claimed(ctx: OutsideCtx, { installs, suites }: Parts, suite: Suite, { provider, code }: Came) {
  const who = await installs[provider].who(ctx.outdoors, suite, { code, redirect: redirectOf(ctx) }).catch(refusedBy)
  const key: InstallKey = { provider, suite_id: suite.id, corp_id: who.corp_id }
  const waiting = await suites.desk.installOf(key)
  if (!waiting)
    throw refuse('wrong_state', `没有收到您所在企业的安装通知。请先在${providerNames[provider]}里安装应用，几分钟后再认领`, {
      status: 'not_installed',
    })
  if (!waiting.installers.includes(who.user_id))
    throw refuse('wrong_state', `只有在${providerNames[provider]}里安装应用的那位管理员可以认领，请由他登录后操作`, {
      status: 'not_installer',
    })
  if (waiting.claimed_by !== null && waiting.claimed_by !== ctx.me?.company_id) throw elsewhere()
  if (provider === 'wecom' && waiting.secret === null)
    throw refuse('wrong_state', '授权已用过，请点「安装」重新授权一次', { status: 'install_again' })
  const app = { ...key, app_id: suite.id, agent_id: waiting.agent_id, secret: waiting.secret ?? '', suite }
  return { app, company_name: waiting.corp_name || null, installers: waiting.installers }
}

/** How often each of them pushes. */
const ticketWait: Readonly<Record<ChatPlatform, string>> = { wecom: '十几分钟', lark: '一小时', dingtalk: '五小时' }
function refusedBy(error: unknown): never {
  const said = asPlatformError(error)
  if (!said) throw error
  const { provider, kind, code, message } = said
  const words =
    kind === 'code_refused'
      ? '授权码无效或已用过，请重新开始'
      : ['40085', '10012', 'invalidSuiteTicket'].includes(code)
        ? `还没有收到平台推送给应用的凭据（ticket），请过${ticketWait[provider]}再试`
        : platformSentence(said)
  throw refuse('platform_refused', words, { provider, code, message, kind })
}
