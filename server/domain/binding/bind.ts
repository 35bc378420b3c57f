/** Binding: credentials are tried before anything is kept. Writes binding, platform_app and, where links of before are found again, platform_person. */
import { randomBytes } from 'node:crypto'
import type { App, AppCheck, Platforms } from '../../../platform/types.ts'
import type { InputOf } from '../../contract/call.ts'
import * as contract from '../../contract/people/binding.ts'
import { providerNames } from '../../contract/people/providers.ts'
import type { ChatPlatform } from '../../contract/words/words.ts'
import { codeOf } from '../../runtime/data/failure.ts'
import { type Ctx, handleOutside, invalid, type OutsideCtx, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { appIn, isProvedBySignIn, keepApp, nameProvider, provedApp } from '../company/index.ts'
import { restoreLinks } from './links.ts'
import { asPlatformError, type Directories, type OutsideDirectory, platformSentence } from './outside.ts'
import { bindingOf, followed, type KeptBinding, mayDo, notBound, tellOf } from './rows.ts'
import { keepAsk, redirectOf } from './store/asks.ts'
import { type Displacing, displace, rivalsOf } from './store/rival.ts'
import { notListed, type Suites } from './store/suites.ts'
import { beginSync } from './sync/begin.ts'

type Wish = InputOf<typeof contract.bindPlatform>
type Parts = Displacing & {
  readonly directories: Directories
  readonly suites: Suites
  readonly platforms: Readonly<Record<ChatPlatform, Pick<Platforms[ChatPlatform], 'authorizeUrl'>>>
}

export const bindPlatform = ({ directories, suites, platforms, ...parts }: Parts) =>
  handleOutside(contract.bindPlatform, async (ctx, given) => {
    ctx.about({ provider: given.provider })
    if (given.mode === 'store') throw suites.of(given.provider) ? mustInstall() : notListed()
    mustBeComplete(given)
    // An application has no other name there; another one would be taken for a suite of the store.
    const wish = given.provider === 'wecom' ? { ...given, app_id: given.agent_id } : given
    const rivals = await rivalsOf(ctx, wish)
    const { app } = await ctx.inTransaction(async (inside) => asked(inside, wish))
    const { problems, ...found } = await tried(ctx, directories[wish.provider], app)
    const blocking = problems.find((one) => one.blocking)
    if (blocking) {
      const { code, words } = blocking
      throw refuse('platform_refused', words, { provider: wish.provider, code, message: words, problems })
    }
    if (rivals.length > 0 && !found.certain) {
      if (!isProvedBySignIn(wish.provider)) throw notConfirmed(wish)
      const state = randomBytes(32).toString('hex')
      const prove = platforms[wish.provider].authorizeUrl(app, { redirect: redirectOf(ctx), state, inside: false })
      return ctx.deed(async (inside) => {
        followed((await bindingOf(inside))?.status ?? 0, 'bind')
        await keepAsk(inside, { state, provider: wish.provider, how: 'prove', wish: { ...wish, secret: app.secret } })
        return { status: 0 as const, corp_name: '', restored: 0, problems: [...problems], prove }
      })
    }
    await displace(parts, rivals)
    return ctx.deed((inside) => keep(inside, wish, { ...found, problems }))
  })

/** Of the credentials that are kept: when something was put right on the platform, and from time to time. */
export const checkPlatform = (directories: Directories) =>
  handleOutside(contract.checkPlatform, async (ctx) => {
    const app = await ctx.inTransaction(async (inside) => {
      const kept = await bindingOf(inside)
      const found = kept?.app_id && (await appIn(inside, kept.app_id))
      if (!found) throw notBound()
      return found
    })
    const { ok, ...check } = await tried(ctx, directories[app.provider], app)
    return ctx.deed(async (inside) => {
      const kept = await bindingOf(inside, 'held')
      if (!kept || kept.provider !== app.provider || kept.corp_id !== app.corp_id) throw notBound()
      await noteCheck(inside, kept.id, check)
      if (check.certain && kept.app_id) await provedApp(inside, kept.app_id)
      // The platform may never have told that it is on again.
      if (ok && kept.status === 50 && (await mayDo(inside, kept, 'resume')))
        await tellOf(inside, kept.id, { kind: 'resumed', by: inside.me.name })
      return { ok, problems: [...check.problems] }
    })
  })

/** Somebody else has the key, and nothing that these credentials can do says that it is theirs. */
const notConfirmed = ({ provider, corp_id }: Pick<Wish, 'provider' | 'corp_id'>) =>
  refuse(
    'wrong_state',
    `企业 ${corp_id} 已绑定到本系统的另一家公司，${providerNames[provider]}也没有确认您填的应用属于它。请核对企业标识与应用是同一家企业的，几分钟后再试；如有疑问请联系客服`,
    { status: 'elsewhere' },
  )
const mustInstall = () =>
  refuse('wrong_state', '应用市场的应用不用填写密钥，请在「办公平台」页面点「安装」', { status: 'no_suite' })
/** What was installed has no secrets that anybody here may replace. */
function mustBeTyped(kept: KeptBinding | null): void {
  if (kept?.mode === 'store')
    throw refuse('wrong_state', '已绑定的是从应用市场安装的应用，没有可以修改的密钥；要换成自建应用，请先解除绑定', {
      status: 'installed',
    })
}
function mustBeComplete({ provider, app_id, agent_id, token, aes_key }: Wish): void {
  if (provider !== 'wecom' && !app_id) throw invalid('app_id', '请填写应用编号')
  if (provider === 'wecom' && !agent_id) throw invalid('agent_id', '请填写 AgentId')
  if (Boolean(token) !== Boolean(aes_key)) throw invalid(token ? 'aes_key' : 'token', '加密密钥和 Token 要一起填写')
  if (aes_key && provider !== 'lark' && !/^[A-Za-z0-9]{43}$/.test(aes_key))
    throw invalid('aes_key', 'EncodingAESKey 是 43 位字母和数字，请从平台后台复制')
}

/** What would be tried: the wish, with the secret that is kept where none is given. */
async function asked(ctx: Ctx, { provider, corp_id, app_id, agent_id, secret }: Wish): Promise<{ app: App }> {
  const kept = await bindingOf(ctx)
  mustBeTyped(kept)
  const isSame = kept?.provider === provider && kept.corp_id === corp_id
  followed(kept?.status ?? 0, isSame ? 'rotate' : 'bind')
  const known = isSame && kept.app_id ? await appIn(ctx, kept.app_id) : null
  const given = secret || known?.secret
  if (!given) throw invalid('secret', '请填写应用的密钥')
  return { app: { provider, corp_id, app_id: app_id ?? agent_id ?? '', agent_id: agent_id ?? '', secret: given } }
}

async function tried(ctx: OutsideCtx, directory: OutsideDirectory, app: App): Promise<AppCheck> {
  return directory.check(ctx.outdoors, app).catch((error: unknown) => {
    const said = asPlatformError(error)
    if (!said) throw error
    const { provider, code, message } = said
    throw refuse('platform_refused', platformSentence(said), { provider, code, message })
  })
}

export type FoundApp = Omit<AppCheck, 'ok'>
const noted = ({ problems, range, company_name }: FoundApp) => ({
  problems: JSON.stringify(problems),
  ...(range ? { visible: JSON.stringify(range) } : {}),
  ...(company_name ? { corp_name: company_name } : {}),
})
const noteCheck = ({ db, company_id, now }: Ctx, id: string, found: FoundApp) =>
  db
    .updateTable('binding')
    .set({ ...noted(found), checked_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .execute()

/** Keeps it and begins, or what is new of it. */
export async function keep(ctx: Ctx, wish: Wish, found: FoundApp) {
  const { provider, corp_id, mode, app_id, agent_id = '', secret, token, aes_key } = wish
  const kept = await bindingOf(ctx, 'held')
  if (mode === 'self_built') mustBeTyped(kept)
  if (mode === 'store' && kept?.mode === 'self_built') followed(kept.status, 'bind')
  const isSame = kept?.provider === provider && kept.corp_id === corp_id
  const status = followed(kept?.status ?? 0, isSame ? 'rotate' : 'bind')
  const id = kept?.app_id ?? newId()
  const certain = mode === 'store' || found.certain
  const app = { id, provider, corp_id, mode, app_id: app_id ?? agent_id, agent_id, secret, token, aes_key, certain }
  await keepApp(ctx, app).catch(taken)
  const answer = { status, corp_name: found.company_name ?? kept?.corp_name ?? '', problems: [...found.problems] }
  if (kept) {
    await noteCheck(ctx, kept.id, found)
    await tellOf(ctx, kept.id, { kind: 'rotated', by: ctx.me.name })
    return { ...answer, restored: 0, prove: null }
  }
  const restored = await begin(ctx, wish, { ...found, app_row: id })
  return { ...answer, restored, prove: null }
}

/** A new one: the first reading of the directory begins by itself, and waits to be looked at. Answers how many links of before stand again. */
async function begin(
  ctx: Ctx,
  { provider, corp_id, mode }: Wish,
  { app_row, ...found }: FoundApp & { app_row: string },
): Promise<number> {
  const { db, company_id, now, me } = ctx
  const binding = {
    company_id,
    id: newId(),
    provider,
    corp_id,
    mode,
    app_id: app_row,
    status: followed(0, 'bind'),
    checked_at: now,
    bound_at: now,
  }
  await db
    .insertInto('binding')
    .values({ ...binding, ...noted(found) })
    .execute()
  await nameProvider(ctx, provider)
  await tellOf(ctx, binding.id, { kind: 'bound', by: me.name })
  const restored = await restoreLinks(ctx, { provider, corp_id })
  if (restored > 0) await tellOf(ctx, binding.id, { kind: 'restored', by: me.name, detail: { people: restored } })
  await beginSync(ctx, { ...binding, by: me.name, mode: 'full' })
  return restored
}

/** Two companies at the same moment: the look found nothing, the unique key did. */
function taken(error: unknown): never {
  if (codeOf(error) === '23505') throw refuse('wrong_state', '这个应用刚刚被另一家公司绑定，请核对', { status: 'elsewhere' })
  throw error
}
