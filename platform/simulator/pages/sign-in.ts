/** The consent page of sign-in: it does not imitate the platform's design and only names the simulated platform. */
import { chatProviders } from '../../chat/providers.ts'
import type { SimulatedUser } from '../company.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import type { Reply, SimulatedRequest, SimulatorState } from '../state.ts'

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
export const replyHtml = (status: number, body: string, title = '模拟登录'): Reply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="zh-CN"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="data:,"><style>
:root{color-scheme:light dark}body{font:14px/1.5 "PingFang SC","Noto Sans SC",system-ui;max-width:440px;margin:48px auto;padding:0 16px;background:light-dark(#F7F6F3,#12110F);color:light-dark(#1C1917,#F5F4F0)}
h1{font-size:20px;margin:0 0 4px}p{margin:0 0 16px;color:light-dark(#57534E,#B8B2A7)}ul{list-style:none;margin:0;padding:0;background:light-dark(#fff,#1C1A17);border:1px solid light-dark(#E7E5E0,#2E2B27);border-radius:12px;overflow:hidden}
li+li{border-top:1px solid light-dark(#E7E5E0,#2E2B27)}a{color:light-dark(#0F766E,#2DD4BF)}li a{display:block;padding:12px 16px;color:inherit;text-decoration:none}li a:hover{background:light-dark(#F7F6F3,#12110F)}a:focus-visible{outline:2px solid light-dark(#0F766E,#2DD4BF);outline-offset:-2px}
small{display:block;font-size:12px;color:light-dark(#6F6860,#B8B2A7)}article{background:light-dark(#fff,#1C1A17);border:1px solid light-dark(#E7E5E0,#2E2B27);border-radius:12px;padding:16px;margin:0 0 12px}article h2{font-size:16px;margin:0 0 8px}article p{margin:0 0 8px}article.gone{opacity:.8}.go{display:block;text-align:center;padding:12px 0;margin:12px 0 -12px;border-top:1px solid light-dark(#E7E5E0,#2E2B27);text-decoration:none}.mark{float:right;font-size:12px;color:light-dark(#57534E,#B8B2A7)}.no{display:inline-block;margin-top:16px;padding:12px 0}
</style><body><main>${body}</main></body></html>`,
})

/** Redirects back to the application with additional query parameters. */
export const redirectBack = (redirect: string, params: Record<string, string>, headers: Reply['headers'] = {}): Reply => {
  const url = new URL(redirect)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return { status: 302, headers: { location: url.href, ...headers }, body: '' }
}

type SignInOptions = { readonly codeParam: 'code' | 'authCode'; readonly otherCompanyUsers?: readonly SimulatedUser[] }
/**
 * `as` in the query is the selection: a user (`of`: of that company, if others can be chosen), or nobody. `codeParam`:
 * the platform's name of the code parameter.
 */
export function renderSignInPage(
  state: SimulatorState,
  app: RegisteredApp | undefined,
  request: SimulatedRequest,
  { codeParam, otherCompanyUsers = [] }: SignInOptions,
): Reply {
  const { query } = request
  const redirect = query.get('redirect_uri') ?? ''
  const echoed = query.get('state') ?? ''
  if (!app) return replyHtml(400, '<h1>没有这个应用</h1>')
  if (!URL.canParse(redirect) || new URL(redirect).origin !== app.origin)
    return replyHtml(400, '<h1>重定向地址不在应用的可信域名内</h1>')
  const colleagues = [...state.getCompany(app).users.values()].slice(0, 200)
  const selectedUserId = query.get('as')
  if (selectedUserId === '') return redirectBack(redirect, { error: 'access_denied', state: echoed })
  const of = query.get('of')
  const user = of
    ? otherCompanyUsers.find((one) => one.corp_id === of && one.user_id === selectedUserId)
    : state.getCompany(app).findUser(selectedUserId)
  if (user) {
    const issuedCode = state.issueCode(app, user, 'page', redirect)
    const code = state.recordConsent(issuedCode, query.get('scope') ?? '', query.get('code_challenge') ?? '')
    // From now on the platform itself recognizes this browser.
    const cookie = {
      'set-cookie': `simulated_${app.provider}=${encodeURIComponent(app.corp_id)}; Path=/; HttpOnly; SameSite=Lax`,
    }
    return redirectBack(redirect, { [codeParam]: code, state: echoed }, cookie)
  }
  const buildLink = (as: string, of?: string): string => {
    const more = new URLSearchParams(query)
    more.set('as', as)
    if (of) more.set('of', of)
    return escapeHtml(`?${more}`)
  }
  const items = colleagues.map(
    (one) =>
      `<li><a href="${buildLink(one.user_id)}">${escapeHtml(one.name || one.user_id)}<small>${escapeHtml(one.description ?? one.user_id)}</small></a>`,
  )
  items.push(
    ...otherCompanyUsers.map((one) => {
      const companyName = state.findOrCreateCompany(one.provider, one.corp_id).name
      return `<li><a href="${buildLink(one.user_id, one.corp_id)}">${escapeHtml(one.name || one.user_id)}<small>${escapeHtml(companyName)}</small></a>`
    }),
  )
  const title = chatProviders[app.provider].label
  return replyHtml(
    200,
    `<h1>用${title}登录薪函</h1><p>演示：这是模拟的${title}授权页。选择以谁的身份登录。</p><ul>${items.join('')}</ul><a class="no" href="${buildLink('')}">取消</a>`,
  )
}
