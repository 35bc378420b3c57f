/**
 * Binding by installation: an administrator goes to the platform with a state that names the company and the
 * administrator, and comes back with a code. Only the two together create a binding, and only for the platform company
 * that the platform itself names. Writes platform_install_request and the tables of `saveBinding`.
 */
import { randomBytes } from 'node:crypto'
import type { Platforms, Suite } from '../../../../platform/types.ts'
import * as contract from '../../../contract/platform-binding/install.ts'
import { type ChatProvider, chatProviderRules, providerLabels } from '../../../contract/shared/providers.ts'
import { defineHandler, type ExternalContext, fail } from '../../../http/handler.ts'
import { claimInstall, type PlatformInstallKey } from '../../../shared/store-installs.ts'
import { type AppCheckResult, saveBinding } from '../bind.ts'
import { findBinding, requireNextStatus } from '../binding-rows.ts'
import {
  asPlatformError,
  type ExternalDirectories,
  type ExternalInstalls,
  getPlatformErrorMessage,
} from '../external-platforms.ts'
import { consumeInstallRequest, getInstallRedirectUrl, type ManualApp, saveInstallRequest } from './install-requests.ts'
import { getInstallKey, renewInstalledApp } from './store-callback.ts'
import { createNotListedError, type StoreSuites } from './suites.ts'
import {
  createBoundElsewhereError,
  type DisplaceDeps,
  endUnverifiedBindings,
  listUnverifiedBindings,
} from './unverified-bindings.ts'

type InstallDeps = DisplaceDeps & {
  readonly directories: ExternalDirectories
  readonly installs: Readonly<Record<ChatProvider, ExternalInstalls>>
  readonly suites: StoreSuites
  readonly platforms: Readonly<Record<ChatProvider, Pick<Platforms[ChatProvider], 'buildAuthorizeUrl'>>>
}

export const installPlatform = ({ suites, installs, platforms }: InstallDeps) =>
  defineHandler(contract.installPlatform, { kind: 'external' }, async (ctx, { provider, mode }) => {
    ctx.addAuditDetails({ provider })
    const suite = await requireSuite(suites, provider)
    await ctx.inTransaction(async (inside) => requireNextStatus((await findBinding(inside))?.status ?? 0, 'bind'))
    const state = randomBytes(32).toString('hex')
    const request = { redirect: getInstallRedirectUrl(ctx), state }
    const app = { provider, corp_id: '', app_id: suite.id, agent_id: '' }
    const url =
      mode === 'install'
        ? await installs[provider].getInstallUrl(ctx.noTransaction, suite, request).catch(throwInstallError)
        : platforms[provider].buildAuthorizeUrl(app, { ...request, inside: false })
    if (url === null)
      throw fail('wrong_state', `请先在${providerLabels[provider]}的应用目录里安装，再回到这里认领`, { status: 'store_only' })
    return ctx.mutate(async (inside) => {
      await saveInstallRequest(inside, { state, provider, mode })
      return { url }
    })
  })

export const finishInstall = (deps: InstallDeps) =>
  defineHandler(contract.finishInstall, { kind: 'external' }, async (ctx, { state, code }) => {
    // The request is consumed regardless of the outcome, so that nobody can retry it with other codes.
    const { provider, kind: mode, options: manualApp } = await ctx.inTransaction((inside) => consumeInstallRequest(inside, state))
    ctx.addAuditDetails({ provider })
    if (mode === 'prove') return bindVerifiedApp(ctx, deps, manualApp, code)
    const suite = await requireSuite(deps.suites, provider)
    const installation = await (mode === 'install'
      ? finishNewInstall(ctx, deps, suite, { provider, code })
      : claimExistingInstall(ctx, deps, suite, { provider, code }))
    const { app } = installation
    const unverifiedBindings = await listUnverifiedBindings(ctx, app)
    // Missing permissions are listed on the page; the directory is synced once possible.
    const check: AppCheckResult = await deps.directories[provider].check(ctx.noTransaction, app).catch((error: unknown) => {
      if (!asPlatformError(error)) throw error
      return { company_name: null, isVerified: true, range: null, issues: [] }
    })
    const { corp_id, app_id, agent_id, secret } = app
    await endUnverifiedBindings(deps, unverifiedBindings)
    return ctx.mutate(async (inside) => {
      if (!(await claimInstall(inside.db, inside.company_id, getInstallKey(app)))) throw createBoundElsewhereError()
      const credentials = { provider, mode: 'store' as const, corp_id, app_id, agent_id, secret }
      return saveBinding(inside, credentials, { ...check, company_name: check.company_name ?? installation.company_name })
    })
  })

/** A user of that platform company signed in through the submitted application: companies without such proof lose its key. */
async function bindVerifiedApp(ctx: ExternalContext, deps: InstallDeps, manualApp: ManualApp | null, code: string) {
  if (!manualApp) throw fail('wrong_state')
  const { provider, corp_id, app_id = '', agent_id = '', secret } = manualApp
  const app = { provider, corp_id, app_id, agent_id, secret }
  const request = { code, source: 'page' as const, redirect: getInstallRedirectUrl(ctx) }
  const identity = await deps.installs[provider].exchangeCode(ctx.noTransaction, app, request).catch(throwInstallError)
  if (identity.corp_id !== corp_id) throw createBoundElsewhereError()
  const unverifiedBindings = await listUnverifiedBindings(ctx, app)
  const check = await deps.directories[provider].check(ctx.noTransaction, app).catch(throwInstallError)
  await endUnverifiedBindings(deps, unverifiedBindings)
  return ctx.mutate((inside) => saveBinding(inside, { ...manualApp, mode: 'self_built' }, { ...check, isVerified: true }))
}

async function requireSuite(suites: StoreSuites, provider: ChatProvider): Promise<Suite> {
  const store = suites.getStoreApp(provider)
  const suite = store && (await suites.find(provider, store.id))
  if (!suite) throw createNotListedError()
  return suite
}

type InstallReturn = { readonly provider: ChatProvider; readonly code: string }
/**
 * The platform's code determines the platform company. It is stored first because the code is valid only once; a
 * company that is already bound gets the new credentials.
 */
async function finishNewInstall(
  ctx: ExternalContext,
  { installs, suites, runInCompany }: InstallDeps,
  suite: Suite,
  { provider, code }: InstallReturn,
) {
  const installation = await installs[provider]
    .completeInstall(ctx.noTransaction, suite, { code, corp_id: null })
    .catch(throwInstallError)
  const { app, company_name: corp_name, installers } = installation
  const { agent_id, secret } = app
  const company_id = await suites.installs.saveInstall({
    ...getInstallKey(app),
    agent_id,
    secret,
    corp_name,
    installers,
    installed_at: ctx.now,
  })
  if (company_id !== null)
    await renewInstalledApp({ database: ctx.database, secrets: ctx.secrets, runInCompany }, company_id, app)
  return installation
}

/** Finds out which user of which platform company has signed in, and whether that user installed our application for it. */
async function claimExistingInstall(
  ctx: ExternalContext,
  { installs, suites }: InstallDeps,
  suite: Suite,
  { provider, code }: InstallReturn,
) {
  const identity = await installs[provider]
    .getIdentity(ctx.noTransaction, suite, { code, redirect: getInstallRedirectUrl(ctx) })
    .catch(throwInstallError)
  const key: PlatformInstallKey = { provider, suite_id: suite.id, corp_id: identity.corp_id }
  const storedInstall = await suites.installs.getInstall(key)
  if (!storedInstall)
    throw fail('wrong_state', `没有收到您所在企业的安装通知。请先在${providerLabels[provider]}里安装应用，几分钟后再认领`, {
      status: 'not_installed',
    })
  if (!storedInstall.installers.includes(identity.user_id))
    throw fail('wrong_state', `只有在${providerLabels[provider]}里安装应用的那位管理员可以认领，请由他登录后操作`, {
      status: 'not_installer',
    })
  if (storedInstall.claimed_by !== null && storedInstall.claimed_by !== ctx.me?.company_id) throw createBoundElsewhereError()
  if (chatProviderRules[provider].hasPermanentCode && storedInstall.secret === null)
    throw fail('wrong_state', '授权已用过，请点「安装」重新授权一次', { status: 'install_again' })
  const app = { ...key, app_id: suite.id, agent_id: storedInstall.agent_id, secret: storedInstall.secret ?? '', suite }
  return { app, company_name: storedInstall.corp_name || null, installers: storedInstall.installers }
}

function throwInstallError(error: unknown): never {
  const platformError = asPlatformError(error)
  if (!platformError) throw error
  const { provider, kind, code, message } = platformError
  const userMessage =
    kind === 'code_refused'
      ? '授权码无效或已用过，请重新开始'
      : ['40085', '10012', 'invalidSuiteTicket'].includes(code)
        ? `还没有收到平台推送给应用的凭据（ticket），请过${chatProviderRules[provider].ticketInterval}再试`
        : getPlatformErrorMessage(platformError)
  throw fail('platform_refused', userMessage, { provider, code, message, kind })
}
