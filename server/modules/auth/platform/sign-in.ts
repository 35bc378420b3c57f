/**
 * Sign-in through a chat platform. A user is identified by (platform, platform company, platform user id), never by
 * phone: a profile is what the platform's administrators entered, and proves nothing (A16). It gives access to the one
 * company whose application was used, and only while the company's roster still lists the user.
 */

import { randomBytes } from 'node:crypto'
import type { Identity, PlatformError } from '../../../../platform/types.ts'
import * as contract from '../../../contract/auth/platform-sign-in.ts'
import {
  type ChatProvider,
  chatProviderRules,
  findProviderByUserAgent,
  providerLabels,
  providers,
} from '../../../contract/shared/providers.ts'
import type { CompanyVaultTimeTx } from '../../../database/company-tx.ts'
import { bindHandlers, defineHandler, type ExternalContext, fail, type Handler, invalidInput } from '../../../http/handler.ts'
import { countAttempt, countFailure, refundAttempts } from '../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../http/limits/config.ts'
import { toPeerAddress } from '../../../http/limits/rate-limits.ts'
import { generateSecret, hashSecret } from '../../../http/sessions.ts'
import type { OutboxTx } from '../../../outbox/index.ts'
import { deriveId } from '../../../shared/ids.ts'
import { getCompanyName, openPlatformApp, type StoredPlatformApp, verifyAppBySignIn } from '../../company/index.ts'
import { linkMembers } from '../../directory/index.ts'
import { sendDirectMessage } from '../../notifications/index.ts'
import { consumeCode } from '../codes.ts'
import { authenticateByPassword, findAccountByPhone, resolvePhoneOwner } from '../phone/phone-owner.ts'
import { getBrowserHash } from '../sign-in/browser.ts'
import { completeSignIn, listAvailableCompanies } from '../sign-in/complete-sign-in.ts'
import { findAppById, findRequestedApp } from './apps.ts'
import type { PlatformUserLinks, SignInPlatforms } from './platforms.ts'
import { consumeSignInState, createSignInState } from './state.ts'

const bindTokenLifetimeMs = 600_000
/** A company's WeCom also opens pages in plain WeChat. */
const isChatApp = (userAgent: string): boolean => findProviderByUserAgent(userAgent) !== null || /micromessenger/i.test(userAgent)
const getRedirectUrl = (ctx: ExternalContext): string => `${ctx.origin}/entry`

/** The provider is recognized by its name: a module imports types of the platform code, but nothing that runs. */
const isPlatformError = (error: unknown): error is PlatformError => error instanceof Error && error.name === 'PlatformError'
const asPlatformError = (error: unknown): PlatformError | null => (isPlatformError(error) ? error : null)

const platformErrorMessages: Partial<Record<PlatformError['kind'], string>> = {
  code_refused: '授权码无效或已用过，请重新登录',
  out_of_scope: '您不是这家企业的成员，或不在应用的可用范围内，请联系企业管理员',
  rate_limited: '登录的人较多，请稍后再试',
  temporary: '办公平台暂时没有回应，请稍后再试',
}
function toSignInError(error: unknown): unknown {
  const platformError = asPlatformError(error)
  if (!platformError) return error
  const { provider, code, message, kind } = platformError
  const text = platformErrorMessages[kind] ?? `${providerLabels[provider]}应用的配置有误，请联系企业管理员`
  return fail('platform_refused', text, { provider, code, message, kind })
}

/** Every error before the platform's page leads back to the sign-in page with a reason. */
const getLoginPageUrl = (reason: contract.SignInErrorReason): string => `/pc/page/login/login.html?why=${reason}`

const defineAuthorizeHandler = (provider: ChatProvider, platforms: SignInPlatforms) =>
  defineHandler(contract.authorizeCalls[provider], { kind: 'external' }, async (ctx, { corp }) => {
    const app = await findRequestedApp(ctx.database, provider, corp)
    if (!app) {
      ctx.redirect(getLoginPageUrl('no_app'))
      return {}
    }
    const state = createSignInState(ctx, { provider, source: 'page', app_id: app.id })
    const isInApp = isChatApp(ctx.request.user_agent)
    ctx.redirect(platforms[provider].buildAuthorizeUrl(app, { redirect: getRedirectUrl(ctx), state, inside: isInApp }))
    return {}
  })

const defineJsConfigHandler = (provider: ChatProvider, platforms: SignInPlatforms) =>
  defineHandler(contract.jsConfigCalls[provider], { kind: 'external' }, async (ctx, { url, corp, of }) => {
    // Only pages of this site are signed, because a signature lets a page act as this company's application.
    if (!URL.canParse(url) || new URL(url).origin !== ctx.origin) throw invalidInput('url', '只能为本站的页面签名')
    const app = await findRequestedApp(ctx.database, provider, corp)
    if (!app) throw fail('not_found', `还没有企业绑定${providerLabels[provider]}，请从登录页用手机号登录`)
    const { corp_id, app_id, agent_id } = app
    const state = createSignInState(ctx, { provider, source: 'client', app_id: app.id })
    const nonce = randomBytes(8).toString('hex')
    const config = await platforms[provider]
      .signPage(ctx.noTransaction, await openPlatformApp(ctx.database, ctx.secrets, app), { url, nonce, now: ctx.now, of })
      .catch((error: unknown) => {
        if (asPlatformError(error)) return null
        throw error
      })
    return { provider, corp_id, app_id, agent_id, state, config }
  })

const loginByPlatform = (platforms: SignInPlatforms) =>
  defineHandler(contract.loginByPlatform, { kind: 'external' }, async (ctx, { provider, code, corp, state }) => {
    const { database, secrets, now, address } = ctx
    ctx.addAuditDetails({ provider })
    const limit = { ...attemptLimits.platformSignInByAddress, now }
    const { app, identity, source } = await countFailure(database, `platform-peer|${toPeerAddress(address)}`, limit, async () => {
      const signInState = await consumeSignInState(ctx, state)
      const app = await findAppById(database, signInState.app_id)
      if (!app || signInState.provider !== provider || (corp && corp !== app.corp_id))
        throw fail('wrong_state', '登录请求已失效，请从登录页重新进入')
      const identity = await platforms[provider]
        .exchangeCode(ctx.noTransaction, await openPlatformApp(database, secrets, app), {
          code,
          source: signInState.source,
          redirect: getRedirectUrl(ctx),
        })
        .catch((error: unknown) => {
          throw toSignInError(error)
        })
      return { app, identity, source: signInState.source }
    })
    if (chatProviderRules[provider].verifyingSources.includes(source)) await verifyAppBySignIn(database, app, now)
    const account = await findIdentityAccount(ctx, identity)
    // The platform may reassign an id after its owner has left: it is then treated as unknown.
    if (account && (await belongsToCompany(ctx, account.id, app)))
      return completeSignIn(ctx, account, { provenBy: 'platform', boundCompanyId: app.company_id })
    throw fail('not_found', `您的${providerLabels[provider]}账号还没有和手机号关联，验证一次手机号即可`, {
      binding_token: await createBindToken(ctx, identity, app),
    })
  })

const belongsToCompany = async (ctx: ExternalContext, account_id: string, app: StoredPlatformApp): Promise<boolean> =>
  (await listAvailableCompanies(ctx.database, account_id, ctx.now)).some((corp) => corp.corp_id === app.company_id)

const findIdentityAccount = (ctx: ExternalContext, identity: Pick<Identity, 'provider' | 'corp_id' | 'user_id'>) =>
  ctx.database.withoutCompany((tx) =>
    tx
      .selectFrom('platform_identity')
      .innerJoin('account', 'account.id', 'platform_identity.account_id')
      .select(['account.id', 'account.epoch', 'account.mobile'])
      .where('provider', '=', identity.provider)
      .where('corp_id', '=', identity.corp_id)
      .where('user_id', '=', identity.user_id)
      .executeTakeFirst(),
  )

async function createBindToken(
  ctx: ExternalContext,
  { provider, corp_id, user_id }: Identity,
  app: StoredPlatformApp,
): Promise<string> {
  const browser_hash = getBrowserHash(ctx)
  if (!browser_hash) throw fail('wrong_state')
  const token = generateSecret()
  await ctx.database.withoutCompany(async (tx) => {
    await tx.deleteFrom('binding_token').where('expires_at', '<=', ctx.now).execute()
    await tx
      .insertInto('binding_token')
      .values({
        token_hash: hashSecret(token),
        provider,
        corp_id,
        user_id,
        app_id: app.id,
        browser_hash,
        expires_at: new Date(ctx.now.getTime() + bindTokenLifetimeMs),
      })
      .execute()
  })
  return token
}

const createBindExpiredError = () => fail('wrong_state', '关联已过期，请从办公平台重新进入')

const bindAccount = (links: PlatformUserLinks) =>
  defineHandler(
    contract.bindAccount,
    { kind: 'external' },
    async (ctx, { binding_token, phone, code, sms, password, next_holder }) => {
      const { database, secrets, now, address } = ctx
      const peerKey = `bind-peer|${toPeerAddress(address)}`
      await countAttempt(database, peerKey, { ...attemptLimits.platformLinkByAddress, now })
      const token_hash = hashSecret(binding_token)
      const browser_hash = getBrowserHash(ctx)
      const pendingBind = await database.withoutCompany((tx) =>
        tx
          .selectFrom('binding_token')
          .selectAll()
          .where('token_hash', '=', token_hash)
          .where('browser_hash', '=', browser_hash ?? Buffer.alloc(0))
          .where('used_at', 'is', null)
          .where('expires_at', '>', now)
          .executeTakeFirst(),
      )
      const app = pendingBind && (await findAppById(database, pendingBind.app_id))
      if (!pendingBind || !app) throw createBindExpiredError()

      if (pendingBind.mobile !== phone) {
        if (!code || !sms) throw invalidInput('code', '验证码不能为空')
        await consumeCode(database, secrets, { sms, phone, code, purposes: ['login'], browser: getBrowserHash(ctx), now })
        await database.withoutCompany((tx) =>
          tx.updateTable('binding_token').set({ mobile: phone }).where('token_hash', '=', token_hash).execute(),
        )
      }
      const existing = await findAccountByPhone(database, phone)
      if (existing?.password_hash && !next_holder) {
        // Access to the phone for a minute must not give permanent access to the account.
        if (!password) throw invalidInput('password', '这个手机号设置过登录密码，请输入密码，确认是您本人')
        if (!(await authenticateByPassword(ctx, { phone, password })))
          throw fail('wrong_password', '密码不正确', { field: 'password' })
      }
      const account = await resolvePhoneOwner(ctx, phone, { password, isNewOwner: next_holder, isVouchedByPlatform: true })
      // There were no doubts about the existing account, so it belongs to the user and requires its password.
      if (next_holder && existing?.password_hash && account.id === existing.id)
        throw fail('wrong_password', '请输入这个手机号的登录密码，确认是您本人', { field: 'password' })
      await linkMembers(database, account)
      if (!(await belongsToCompany(ctx, account.id, app)))
        throw fail('not_found', '这个手机号不在这家企业的花名册里，请联系您的企业管理员')
      await claimUser(ctx, links, app, { ...pendingBind, account_id: account.id })
      await linkIdentity(ctx, app, { ...pendingBind, account_id: account.id })
      await refundAttempts(database, [peerKey], now)
      return completeSignIn(ctx, account, { provenBy: 'credentials', boundCompanyId: app.company_id })
    },
  )

type PendingIdentity = { token_hash: Buffer; provider: string; corp_id: string; user_id: string; account_id: string }

/**
 * Links a platform user to an account: one platform user per phone and one phone per platform user within a platform
 * company; the newest proof wins, and the former account is told. Consumes the token.
 */
async function linkIdentity(ctx: ExternalContext, app: StoredPlatformApp, identity: PendingIdentity): Promise<void> {
  const { token_hash, provider, corp_id, user_id, account_id } = identity
  const replaced = await ctx.database.withoutCompany(async (tx) => {
    const consumed = await tx
      .updateTable('binding_token')
      .set({ used_at: ctx.now })
      .where('token_hash', '=', token_hash)
      .where('used_at', 'is', null)
      .executeTakeFirst()
    if (consumed.numUpdatedRows === 0n) throw createBindExpiredError()
    const former = await tx
      .deleteFrom('platform_identity')
      .where('provider', '=', provider)
      .where('corp_id', '=', corp_id)
      .where((eb) => eb.or([eb('account_id', '=', account_id), eb('user_id', '=', user_id)]))
      .returning('user_id')
      .execute()
    await tx.insertInto('platform_identity').values({ provider, corp_id, user_id, account_id, created_at: ctx.now }).execute()
    return former.filter((one) => one.user_id !== user_id)
  })
  if (replaced.length > 0)
    await runInCompany(ctx, app, async (companyTx) => {
      const corp = await getCompanyName(companyTx)
      for (const { user_id: to } of replaced)
        await sendDirectMessage(companyTx, {
          id: deriveId('platform_replaced', token_hash.toString('hex'), to),
          channel: 'platform',
          to,
          kind: 'platform_replaced',
          params: { corp },
        })
    })
}

/** Runs a function in a transaction of the company whose application was used, before anybody is signed in to it. */
const runInCompany = <T>(
  { database, secrets, jobs, now }: ExternalContext,
  { company_id }: StoredPlatformApp,
  work: (companyTx: CompanyVaultTimeTx & OutboxTx) => Promise<T>,
) =>
  database.inCompany(company_id, async (db) =>
    work({
      db,
      company_id,
      now,
      vault: await secrets.vault(db, company_id),
      jobs: { send: (name, data, options) => jobs.send(db, name, data, options) },
    }),
  )

/** An account that the company has matched to another member is not exchanged by whoever holds both. */
async function claimUser(
  ctx: ExternalContext,
  links: PlatformUserLinks,
  app: StoredPlatformApp,
  identity: PendingIdentity,
): Promise<void> {
  const { corp_id, user_id, account_id } = identity
  const isFree = await runInCompany(ctx, app, (companyTx) =>
    links.claim(companyTx, { provider: app.provider, corp_id, user_id, account_id }),
  )
  if (isFree) return
  const text = `这个${providerLabels[app.provider]}账号在企业里对应另一位员工，没有关联。如果它是您的，请联系企业管理员在「人员核对」里选择您`
  throw fail('wrong_state', text, { status: 'claimed' })
}

export const createPlatformHandlers = (platforms: SignInPlatforms, links: PlatformUserLinks): Handler[] => [
  ...bindHandlers(contract, { loginByPlatform: loginByPlatform(platforms), bindAccount: bindAccount(links) }),
  ...providers.flatMap((provider) => [defineAuthorizeHandler(provider, platforms), defineJsConfigHandler(provider, platforms)]),
]
