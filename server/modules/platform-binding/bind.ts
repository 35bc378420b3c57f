/**
 * Binding: credentials are verified before anything is stored. Writes binding, platform_app and, when earlier links are
 * restored, platform_user.
 */
import { randomBytes } from 'node:crypto'
import type { AppCheck, ChatApp, Platforms } from '../../../platform/types.ts'
import type { CallInput } from '../../contract/call.ts'
import * as contract from '../../contract/platform-binding/binding.ts'
import { type ChatProvider, chatProviderRules, providerLabels } from '../../contract/shared/providers.ts'
import { defineHandler, type ExternalContext, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { getErrorCode } from '../../shared/error-code.ts'
import { newId } from '../../shared/ids.ts'
import { loadPlatformApp, savePlatformApp, setAppVerified } from '../company/index.ts'
import { setBoundProvider } from '../company/settings/index.ts'
import {
  applyAction,
  createNotBoundError,
  findBinding,
  requireNextStatus,
  type StoredBinding,
  saveBindingEvent,
} from './binding-rows.ts'
import {
  asPlatformError,
  type ExternalDirectories,
  type ExternalDirectory,
  getPlatformErrorMessage,
} from './external-platforms.ts'
import { restoreLinks } from './links.ts'
import { getInstallRedirectUrl, saveInstallRequest } from './store/install-requests.ts'
import { createNotListedError, type StoreSuites } from './store/suites.ts'
import { type DisplaceDeps, endUnverifiedBindings, listUnverifiedBindings } from './store/unverified-bindings.ts'
import { startSync } from './sync/start.ts'

type BindingInput = CallInput<typeof contract.bindPlatform>
type BindPlatformDeps = DisplaceDeps & {
  readonly directories: ExternalDirectories
  readonly suites: StoreSuites
  readonly platforms: Readonly<Record<ChatProvider, Pick<Platforms[ChatProvider], 'buildAuthorizeUrl'>>>
}

export const bindPlatform = ({ directories, suites, platforms, ...deps }: BindPlatformDeps) =>
  defineHandler(contract.bindPlatform, { kind: 'external' }, async (ctx, input) => {
    ctx.addAuditDetails({ provider: input.provider })
    if (input.mode === 'store') throw suites.getStoreApp(input.provider) ? createInstallRequiredError() : createNotListedError()
    assertCredentialsComplete(input)
    // Where the agent id is the application's only id, a different one would be taken for a suite of the app store.
    const credentials = { ...input, app_id: input[chatProviderRules[input.provider].appIdField] }
    const unverifiedBindings = await listUnverifiedBindings(ctx, credentials)
    const { app } = await ctx.inTransaction(async (inside) => resolveCredentials(inside, credentials))
    const { issues, ...check } = await checkApp(ctx, directories[credentials.provider], app)
    const blocking = issues.find((one) => one.blocking)
    if (blocking) {
      const { code, message } = blocking
      throw fail('platform_refused', message, { provider: credentials.provider, code, message, issues })
    }
    if (unverifiedBindings.length > 0 && !check.isVerified) {
      if (chatProviderRules[credentials.provider].verifyingSources.length === 0) throw createUnconfirmedError(credentials)
      const state = randomBytes(32).toString('hex')
      const proofUrl = platforms[credentials.provider].buildAuthorizeUrl(app, {
        redirect: getInstallRedirectUrl(ctx),
        state,
        inside: false,
      })
      return ctx.mutate(async (inside) => {
        requireNextStatus((await findBinding(inside))?.status ?? 0, 'bind')
        await saveInstallRequest(inside, {
          state,
          provider: credentials.provider,
          mode: 'prove',
          options: { ...credentials, secret: app.secret },
        })
        return { status: 0 as const, corp_name: '', restored: 0, issues: [...issues], proof_url: proofUrl }
      })
    }
    await endUnverifiedBindings(deps, unverifiedBindings)
    return ctx.mutate((inside) => saveBinding(inside, credentials, { ...check, issues }))
  })

/** Checks the stored credentials: after a correction on the platform, and from time to time. */
export const checkPlatform = (directories: ExternalDirectories) =>
  defineHandler(contract.checkPlatform, { kind: 'external' }, async (ctx) => {
    const app = await ctx.inTransaction(async (inside) => {
      const existing = await findBinding(inside)
      const storedApp = existing?.app_id && (await loadPlatformApp(inside, existing.app_id))
      if (!storedApp) throw createNotBoundError()
      return storedApp
    })
    const { ok, ...check } = await checkApp(ctx, directories[app.provider], app)
    return ctx.mutate(async (inside) => {
      const existing = await findBinding(inside, 'held')
      if (!existing || existing.provider !== app.provider || existing.corp_id !== app.corp_id) throw createNotBoundError()
      await saveCheck(inside, existing.id, check)
      if (check.isVerified && existing.app_id) await setAppVerified(inside, existing.app_id)
      // The platform may never have reported that the application was enabled again.
      if (ok && existing.status === 50 && (await applyAction(inside, existing, 'resume')))
        await saveBindingEvent(inside, existing.id, { kind: 'resumed', by: inside.currentUser.name })
      return { ok, issues: [...check.issues] }
    })
  })

/** Another company has bound the key, and these credentials cannot prove that it belongs to this one. */
const createUnconfirmedError = ({ provider, corp_id }: Pick<BindingInput, 'provider' | 'corp_id'>) =>
  fail(
    'wrong_state',
    `企业 ${corp_id} 已绑定到本系统的另一家公司，${providerLabels[provider]}也没有确认您填的应用属于它。请核对企业标识与应用是同一家企业的，几分钟后再试；如有疑问请联系客服`,
    { status: 'elsewhere' },
  )
const createInstallRequiredError = () =>
  fail('wrong_state', '应用市场的应用不用填写密钥，请在「办公平台」页面点「安装」', { status: 'no_suite' })
/** An application installed from the store has no credentials that can be replaced here. */
function assertNotInstalled(existing: StoredBinding | null): void {
  if (existing?.mode === 'store')
    throw fail('wrong_state', '已绑定的是从应用市场安装的应用，没有可以修改的密钥；要换成自建应用，请先解除绑定', {
      status: 'installed',
    })
}
function assertCredentialsComplete({ provider, token, aes_key, ...ids }: BindingInput): void {
  const { appIdField, hasEncodingAesKey } = chatProviderRules[provider]
  if (!ids[appIdField]) throw invalidInput(appIdField, appIdField === 'agent_id' ? '请填写 AgentId' : '请填写应用编号')
  if (Boolean(token) !== Boolean(aes_key)) throw invalidInput(token ? 'aes_key' : 'token', '加密密钥和 Token 要一起填写')
  if (aes_key && hasEncodingAesKey && !/^[A-Za-z0-9]{43}$/.test(aes_key))
    throw invalidInput('aes_key', 'EncodingAESKey 是 43 位字母和数字，请从平台后台复制')
}

/** Completes the submitted credentials with the stored secret where none is given. */
async function resolveCredentials(
  ctx: HandlerContext,
  { provider, corp_id, app_id, agent_id, secret }: BindingInput,
): Promise<{ app: ChatApp }> {
  const existing = await findBinding(ctx)
  assertNotInstalled(existing)
  const isSame = existing?.provider === provider && existing.corp_id === corp_id
  requireNextStatus(existing?.status ?? 0, isSame ? 'rotate' : 'bind')
  const storedApp = isSame && existing.app_id ? await loadPlatformApp(ctx, existing.app_id) : null
  const effectiveSecret = secret || storedApp?.secret
  if (!effectiveSecret) throw invalidInput('secret', '请填写应用的密钥')
  return { app: { provider, corp_id, app_id: app_id ?? agent_id ?? '', agent_id: agent_id ?? '', secret: effectiveSecret } }
}

async function checkApp(ctx: ExternalContext, directory: ExternalDirectory, app: ChatApp): Promise<AppCheck> {
  return directory.check(ctx.noTransaction, app).catch((error: unknown) => {
    const platformError = asPlatformError(error)
    if (!platformError) throw error
    const { provider, code, message } = platformError
    throw fail('platform_refused', getPlatformErrorMessage(platformError), { provider, code, message })
  })
}

export type AppCheckResult = Omit<AppCheck, 'ok'>
const toCheckColumns = ({ issues, range, company_name }: AppCheckResult) => ({
  issues: JSON.stringify(issues),
  ...(range ? { visible: JSON.stringify(range) } : {}),
  ...(company_name ? { corp_name: company_name } : {}),
})
const saveCheck = ({ db, company_id, now }: HandlerContext, id: string, check: AppCheckResult) =>
  db
    .updateTable('binding')
    .set({ ...toCheckColumns(check), checked_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .execute()

/** Creates the binding, or updates it with the new credentials. */
export async function saveBinding(ctx: HandlerContext, credentials: BindingInput, check: AppCheckResult) {
  const { provider, corp_id, mode, app_id, agent_id = '', secret, token, aes_key } = credentials
  const existing = await findBinding(ctx, 'held')
  if (mode === 'self_built') assertNotInstalled(existing)
  if (mode === 'store' && existing?.mode === 'self_built') requireNextStatus(existing.status, 'bind')
  const isSame = existing?.provider === provider && existing.corp_id === corp_id
  const status = requireNextStatus(existing?.status ?? 0, isSame ? 'rotate' : 'bind')
  const id = existing?.app_id ?? newId()
  const certain = mode === 'store' || check.isVerified
  const app = { id, provider, corp_id, mode, app_id: app_id ?? agent_id, agent_id, secret, token, aes_key, isVerified: certain }
  await savePlatformApp(ctx, app).catch(throwAppAlreadyBound)
  const result = { status, corp_name: check.company_name ?? existing?.corp_name ?? '', issues: [...check.issues] }
  if (existing) {
    await saveCheck(ctx, existing.id, check)
    await saveBindingEvent(ctx, existing.id, { kind: 'rotated', by: ctx.currentUser.name })
    return { ...result, restored: 0, proof_url: null }
  }
  const restored = await createBinding(ctx, credentials, { ...check, app_row: id })
  return { ...result, restored, proof_url: null }
}

/** Creates a binding: the first directory sync starts at once and waits for review. Returns how many links were restored. */
async function createBinding(
  ctx: HandlerContext,
  { provider, corp_id, mode }: BindingInput,
  { app_row, ...check }: AppCheckResult & { app_row: string },
): Promise<number> {
  const { db, company_id, now, currentUser } = ctx
  const binding = {
    company_id,
    id: newId(),
    provider,
    corp_id,
    mode,
    app_id: app_row,
    status: requireNextStatus(0, 'bind'),
    checked_at: now,
    bound_at: now,
  }
  await db
    .insertInto('binding')
    .values({ ...binding, ...toCheckColumns(check) })
    .execute()
  await setBoundProvider(ctx, provider)
  await saveBindingEvent(ctx, binding.id, {
    kind: 'bound',
    by: currentUser.name,
    detail: currentUser.admin_id ? { admin: currentUser.admin_id } : {},
  })
  const restored = await restoreLinks(ctx, { provider, corp_id })
  if (restored > 0)
    await saveBindingEvent(ctx, binding.id, { kind: 'restored', by: currentUser.name, detail: { people: restored } })
  await startSync(ctx, { ...binding, by: currentUser.name, mode: 'full' })
  return restored
}

/** Two companies acted at the same moment: the lookup found nothing, but the unique key was violated. */
function throwAppAlreadyBound(error: unknown): never {
  if (getErrorCode(error) === '23505') throw fail('wrong_state', '这个应用刚刚被另一家公司绑定，请核对', { status: 'elsewhere' })
  throw error
}
