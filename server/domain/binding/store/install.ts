/**
 * Binding by installation: an administrator of this company goes to the platform with a state that names the company and himself, and comes back with a code.
 * Only the two together bind, and only the company there that the platform itself names. Writes platform_install_ask, and what `keep` writes.
 */
import { randomBytes } from 'node:crypto'
import type { Platforms, Suite } from '../../../../platform/types.ts'
import * as contract from '../../../contract/people/installing.ts'
import { providerNames } from '../../../contract/people/providers.ts'
import type { ChatPlatform } from '../../../contract/words.ts'
import { claimInstall, type InstallKey } from '../../../runtime/data/installs.ts'
import { type Ctx, handleOutside, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { hashOf } from '../../../runtime/sessions.ts'
import { elsewhere, type FoundApp, keep, mustBeOurs } from '../bind.ts'
import { asPlatformError, type Directories, type OutsideInstalls, platformSentence } from '../outside.ts'
import { bindingOf, followed } from '../rows.ts'
import { notListed, type Suites } from './suites.ts'
import { installKey, renewed, type StoreParts } from './told.ts'

type Parts = Pick<StoreParts, 'inside'> & {
  readonly directories: Directories
  readonly installs: Readonly<Record<ChatPlatform, OutsideInstalls>>
  readonly suites: Suites
  readonly platforms: Readonly<Record<ChatPlatform, Pick<Platforms[ChatPlatform], 'authorizeUrl'>>>
}
type How = 'install' | 'claim'
/** As long as the code with which WeCom's page is opened. */
const asks_ms = 20 * 60_000
const redirectOf = ({ origin }: Pick<OutsideCtx, 'origin'>): string => origin + contract.installedPage

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
    const { provider, how } = await ctx.inTransaction((inside) => spendAsk(inside, state))
    ctx.about({ provider })
    const suite = await suiteOf(parts.suites, provider)
    const found = await (how === 'install'
      ? justInstalled(ctx, parts, suite, { provider, code })
      : claimed(ctx, parts, suite, { provider, code }))
    const { app } = found
    await mustBeOurs(ctx, app)
    // What is missing stands on the page; the directory is read when it can be.
    const check: FoundApp = await parts.directories[provider].check(ctx.outdoors, app).catch((error: unknown) => {
      if (!asPlatformError(error)) throw error
      return { company_name: null, range: null, problems: [] }
    })
    const { corp_id, app_id, agent_id, secret } = app
    return ctx.deed(async (inside) => {
      if (!(await claimInstall(inside.db, inside.company_id, installKey(app)))) throw elsewhere()
      const wish = { provider, mode: 'store' as const, corp_id, app_id, agent_id, secret }
      return keep(inside, wish, { ...check, company_name: check.company_name ?? found.company_name })
    })
  })

async function suiteOf(suites: Suites, provider: ChatPlatform): Promise<Suite> {
  const store = suites.of(provider)
  const suite = store && (await suites.find(provider, store.id))
  if (!suite) throw notListed()
  return suite
}

async function keepAsk(
  { db, company_id, me, now }: Ctx,
  ask: { state: string; provider: ChatPlatform; how: How },
): Promise<void> {
  const { state, provider, how } = ask
  const old = db.deleteFrom('platform_install_ask').where('company_id', '=', company_id)
  await old.where('expires_at', '<=', now).execute()
  const expires_at = new Date(now.getTime() + asks_ms)
  const row = { company_id, state_hash: hashOf(state), account_id: me.account_id, provider, how, expires_at }
  await db.insertInto('platform_install_ask').values(row).execute()
}
/** Only in the session of the company that it names, of the same person, in time, and once. */
async function spendAsk({ db, company_id, me, now }: Ctx, state: string): Promise<{ provider: ChatPlatform; how: How }> {
  const row = await db
    .deleteFrom('platform_install_ask')
    .where('company_id', '=', company_id)
    .where('state_hash', '=', hashOf(state))
    .where('account_id', '=', me.account_id)
    .where('expires_at', '>', now)
    .returning(['provider', 'how'])
    .executeTakeFirst()
  if (!row) throw refuse('wrong_state', '安装请求已失效，或不是您在这家企业里发起的，请重新开始', { status: 'state' })
  followed((await bindingOf({ db, company_id }))?.status ?? 0, 'bind')
  return row
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

function refusedBy(error: unknown): never {
  const said = asPlatformError(error)
  if (!said) throw error
  const { provider, kind, code, message } = said
  const words =
    kind === 'code_refused'
      ? '授权码无效或已用过，请重新开始'
      : code === '40085' || code === '10012'
        ? '还没有收到平台推送给应用的凭据（ticket），请过十几分钟再试'
        : platformSentence(said)
  throw refuse('platform_refused', words, { provider, code, message, kind })
}
