/**
 * Signing in through a chat platform. A person is (platform, company there, user id there), never a phone: a profile is what the
 * platform's administrators wrote, and proves nothing (A16). It opens the one company whose application was asked, and only while its
 * people still count him as one of theirs.
 */

import { randomBytes } from 'node:crypto'
import type { Identity, PlatformError } from '../../../../platform/types.ts'
import * as contract from '../../../contract/account/platform-sign-in.ts'
import { providerNames } from '../../../contract/people/providers.ts'
import type { ChatPlatform } from '../../../contract/words/words.ts'
import { type Handler, handleOutside, implement, invalid, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { countTry, peerOf } from '../../../runtime/request/limits.ts'
import { hashOf, newSecret } from '../../../runtime/request/sessions.ts'
import { type KnownApp, opened, proveApp } from '../../company/index.ts'
import { joinMembers } from '../../member/index.ts'
import { spendCode } from '../codes.ts'
import { accountOfPhone, accountWith, holderFor } from '../phone/holder.ts'
import { browserOf } from '../sign-in/browser.ts'
import { companiesOf, enter } from '../sign-in/enter.ts'
import { appById, appMeant } from './apps.ts'
import type { OutsidePlatforms } from './outside.ts'
import { issueState, spendState } from './state.ts'

const bind_lives_ms = 600_000
const redirectOf = (ctx: OutsideCtx): string => `${ctx.origin}/entry`

/** Known by its name: a domain imports types of the platform room, nothing that runs. */
const isPlatformError = (error: unknown): error is PlatformError => error instanceof Error && error.name === 'PlatformError'
const asPlatformError = (error: unknown): PlatformError | null => (isPlatformError(error) ? error : null)

const sentences: Partial<Record<PlatformError['kind'], string>> = {
  code_refused: '授权码无效或已用过，请重新登录',
  out_of_scope: '您不是这家企业的成员，或不在应用的可用范围内，请联系企业管理员',
  rate_limited: '登录的人较多，请稍后再试',
  temporary: '办公平台暂时没有回应，请稍后再试',
}
function refusedBy(error: unknown): unknown {
  const said = asPlatformError(error)
  if (!said) return error
  const { provider, code, message, kind } = said
  const text = sentences[kind] ?? `${providerNames[provider]}应用的配置有误，请联系企业管理员`
  return refuse('platform_refused', text, { provider, code, message, kind })
}

/** Everything that goes wrong before the platform's page ends on our login page with a word. */
const loginPage = (why: contract.Why): string => `/pc/page/login/login.html?why=${why}`

const authorize = (provider: ChatPlatform, platforms: OutsidePlatforms) =>
  handleOutside(contract.authorizeCalls[provider], async (ctx, { corp }) => {
    const app = await appMeant(ctx.database, provider, corp)
    if (!app) {
      ctx.goTo(loginPage('no_app'))
      return {}
    }
    const state = issueState(ctx, { provider, way: 'page', app_id: app.id })
    const within = /wxwork|micromessenger|lark|feishu|dingtalk/i.test(ctx.request.user_agent)
    ctx.goTo(platforms[provider].authorizeUrl(app, { redirect: redirectOf(ctx), state, inside: within }))
    return {}
  })

const jsConfig = (provider: ChatPlatform, platforms: OutsidePlatforms) =>
  handleOutside(contract.jsConfigCalls[provider], async (ctx, { url, corp, of }) => {
    // Only our own pages: a signature lets a page act as this company's application.
    if (!URL.canParse(url) || new URL(url).origin !== ctx.origin) throw invalid('url', '只能为本站的页面签名')
    const app = await appMeant(ctx.database, provider, corp)
    if (!app) throw refuse('not_found', `还没有企业绑定${providerNames[provider]}，请从登录页用手机号登录`)
    const { corp_id, app_id, agent_id } = app
    const state = issueState(ctx, { provider, way: 'client', app_id: app.id })
    const nonce = randomBytes(8).toString('hex')
    const config = await platforms[provider]
      .sign(ctx.outdoors, await opened(ctx.database, ctx.secrets, app), { url, nonce, now: ctx.now, of })
      .catch((error: unknown) => {
        if (asPlatformError(error)) return null
        throw error
      })
    return { provider, corp_id, app_id, agent_id, state, config }
  })

const loginByPlatform = (platforms: OutsidePlatforms) =>
  handleOutside(contract.loginByPlatform, async (ctx, { provider, code, corp, state }) => {
    const { database, secrets, now, address } = ctx
    await countTry(database, `platform-peer|${peerOf(address)}`, { max: 300, window_s: 3600, now })
    ctx.about({ provider })
    const asked = await spendState(ctx, state)
    const app = await appById(database, asked.app_id)
    if (!app || asked.provider !== provider || (corp && corp !== app.corp_id))
      throw refuse('wrong_state', '登录请求已失效，请从登录页重新进入')
    const who = await platforms[provider]
      .exchange(ctx.outdoors, await opened(database, secrets, app), { code, way: asked.way, redirect: redirectOf(ctx) })
      .catch((error: unknown) => {
        throw refusedBy(error)
      })
    await proveApp(database, app, { way: asked.way, now })
    const account = await whoseIs(ctx, who)
    // An id may be given to somebody new when its person has left: then it is as unknown as if it had never been here.
    if (account && (await isThere(ctx, account.id, app))) return enter(ctx, account, app.company_id)
    throw refuse('not_found', `您的${providerNames[provider]}账号还没有和手机号关联，验证一次手机号即可`, {
      bind_token: await newBindToken(ctx, who, app),
    })
  })

const isThere = async (ctx: OutsideCtx, account_id: string, app: KnownApp): Promise<boolean> =>
  (await companiesOf(ctx.database, account_id, ctx.now)).some((corp) => corp.corp_id === app.company_id)

const whoseIs = (ctx: OutsideCtx, who: Pick<Identity, 'provider' | 'corp_id' | 'user_id'>) =>
  ctx.database.outside((tx) =>
    tx
      .selectFrom('platform_identity')
      .innerJoin('account', 'account.id', 'platform_identity.account_id')
      .select(['account.id', 'account.epoch', 'account.mobile'])
      .where('provider', '=', who.provider)
      .where('corp_id', '=', who.corp_id)
      .where('user_id', '=', who.user_id)
      .executeTakeFirst(),
  )

async function newBindToken(ctx: OutsideCtx, { provider, corp_id, user_id }: Identity, app: KnownApp): Promise<string> {
  const browser_hash = browserOf(ctx)
  if (!browser_hash) throw refuse('wrong_state')
  const token = newSecret()
  await ctx.database.outside(async (tx) => {
    await tx.deleteFrom('bind_token').where('expires_at', '<=', ctx.now).execute()
    await tx
      .insertInto('bind_token')
      .values({
        token_hash: hashOf(token),
        provider,
        corp_id,
        user_id,
        app_id: app.id,
        browser_hash,
        expires_at: new Date(ctx.now.getTime() + bind_lives_ms),
      })
      .execute()
  })
  return token
}

const bindingOver = () => refuse('wrong_state', '关联已过期，请从办公平台重新进入')

const bindAccount = handleOutside(contract.bindAccount, async (ctx, { bind_token, phone, code, sms, password, next_holder }) => {
  const { database, secrets, now, address } = ctx
  await countTry(database, `bind-peer|${peerOf(address)}`, { max: 60, window_s: 3600, now })
  const token_hash = hashOf(bind_token)
  const browser_hash = browserOf(ctx)
  const waiting = await database.outside((tx) =>
    tx
      .selectFrom('bind_token')
      .selectAll()
      .where('token_hash', '=', token_hash)
      .where('browser_hash', '=', browser_hash ?? Buffer.alloc(0))
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst(),
  )
  const app = waiting && (await appById(database, waiting.app_id))
  if (!waiting || !app) throw bindingOver()

  if (waiting.mobile !== phone) {
    if (!code || !sms) throw invalid('code', '验证码不能为空')
    await spendCode(database, secrets, { sms, phone, code, purposes: ['login'], browser: browserOf(ctx), now })
    await database.outside((tx) =>
      tx.updateTable('bind_token').set({ mobile: phone }).where('token_hash', '=', token_hash).execute(),
    )
  }
  const known = await accountOfPhone(database, phone)
  if (known?.password_hash && !next_holder) {
    // Whoever holds the phone for a minute must not keep a door to the account.
    if (!password) throw invalid('password', '这个手机号设置过登录密码，请输入密码，确认是您本人')
    if (!(await accountWith(ctx, { phone, password }))) throw refuse('wrong_password', '密码不正确', { field: 'password' })
  }
  const account = await holderFor(ctx, phone, { password, next: next_holder, vouched: true })
  // There were no doubts about the account that is there: then it is his, and opened by its password.
  if (next_holder && known?.password_hash && account.id === known.id)
    throw refuse('wrong_password', '请输入这个手机号的登录密码，确认是您本人', { field: 'password' })
  await joinMembers(database, account)
  if (!(await isThere(ctx, account.id, app))) throw refuse('not_found', '这个手机号不在这家企业的花名册里，请联系您的企业管理员')
  await join(ctx, { ...waiting, account_id: account.id })
  return enter(ctx, account, app.company_id)
})

/** One person of a platform's company a phone, one phone a person: the newest proof counts. Spends the token. */
async function join(
  ctx: OutsideCtx,
  who: { token_hash: Buffer; provider: string; corp_id: string; user_id: string; account_id: string },
): Promise<void> {
  const { token_hash, provider, corp_id, user_id, account_id } = who
  await ctx.database.outside(async (tx) => {
    const spent = await tx
      .updateTable('bind_token')
      .set({ used_at: ctx.now })
      .where('token_hash', '=', token_hash)
      .where('used_at', 'is', null)
      .executeTakeFirst()
    if (spent.numUpdatedRows === 0n) throw bindingOver()
    await tx
      .deleteFrom('platform_identity')
      .where('provider', '=', provider)
      .where('corp_id', '=', corp_id)
      .where((eb) => eb.or([eb('account_id', '=', account_id), eb('user_id', '=', user_id)]))
      .execute()
    await tx.insertInto('platform_identity').values({ provider, corp_id, user_id, account_id, created_at: ctx.now }).execute()
  })
}

export const platformHandlers = (platforms: OutsidePlatforms): Handler[] =>
  implement(contract, {
    loginByPlatform: loginByPlatform(platforms),
    bindAccount,
    larkAuthorize: authorize('lark', platforms),
    wecomAuthorize: authorize('wecom', platforms),
    dingtalkAuthorize: authorize('dingtalk', platforms),
    larkJsConfig: jsConfig('lark', platforms),
    wecomJsConfig: jsConfig('wecom', platforms),
    dingtalkJsConfig: jsConfig('dingtalk', platforms),
  })
