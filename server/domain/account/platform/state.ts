/**
 * The `state` of a sign-in through a chat platform. It says which application was asked, and how; it is signed together with a cookie of
 * the browser that asked, so a link with somebody else's code in it signs nobody in (A15). Nothing is stored before it comes back; then
 * once.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Way } from '../../../../platform/types.ts'
import { type ChatPlatform, providers } from '../../../contract/words/words.ts'
import { type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { hashOf, newSecret } from '../../../runtime/request/sessions.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { browserOf, markBrowser } from '../sign-in/browser.ts'

const lives_s = 600

export type Asked = { readonly provider: ChatPlatform; readonly way: Way; readonly app_id: string }

const sign = (secrets: Secrets, said: string, browser: Buffer): string =>
  secrets
    .mac('platform-state', `${said}|${browser.toString('hex')}`)
    .toString('hex')
    .slice(0, 32)

/** Letters and digits only, at most 128: WeCom takes nothing else. */
export function issueState(ctx: OutsideCtx, { provider, way, app_id }: Asked): string {
  const until = Math.floor(ctx.now.getTime() / 1000) + lives_s
  const nonce = hashOf(newSecret()).toString('hex').slice(0, 16)
  const said = `${provider}${way === 'client' ? 'c' : 'p'}${app_id.replaceAll('-', '')}${until.toString(16).padStart(8, '0')}${nonce}`
  return said + sign(ctx.secrets, said, markBrowser(ctx))
}

const form = new RegExp(`^(${providers.join('|')})([cp])([0-9a-f]{32})([0-9a-f]{8})[0-9a-f]{16}([0-9a-f]{32})$`)
const gone = () => refuse('wrong_state', '登录请求已失效，请从登录页重新进入')

/** What was asked. Throws `wrong_state` unless this browser asked it, within ten minutes, and it has not come back before. */
export async function spendState(ctx: OutsideCtx, state: string): Promise<Asked> {
  const [, word, way, app, until = '', mac = ''] = form.exec(state) ?? []
  const provider = providers.find((one) => one === word)
  const browser = browserOf(ctx)
  if (!provider || !app || !browser) throw gone()
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(sign(ctx.secrets, state.slice(0, -32), browser)))) throw gone()
  const expires_at = new Date(Number.parseInt(until, 16) * 1000)
  if (expires_at <= ctx.now) throw gone()
  const first = await ctx.database.outside(async (tx) => {
    // By its time it is refused from now on; the row has done its work.
    await tx.deleteFrom('login_state').where('expires_at', '<=', ctx.now).execute()
    const written = await tx
      .insertInto('login_state')
      .values({ state_hash: hashOf(state), expires_at })
      .onConflict((conflict) => conflict.column('state_hash').doNothing())
      .executeTakeFirst()
    return written.numInsertedOrUpdatedRows === 1n
  })
  if (!first) throw gone()
  const id = app.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { provider, way: way === 'c' ? 'client' : 'page', app_id: id }
}
