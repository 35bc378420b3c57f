/** Where to go on after signing in, kept over the way across a platform's own page. */
const pageStorageKey = 'entry-page'

/** As `?page=…`, from this address or from where the way began; '' where nothing was asked for. */
export function getReturnPage(search: string): string {
  const page = new URLSearchParams(search).get('page')
  try {
    const stored = page ?? sessionStorage.getItem(pageStorageKey)
    if (page) sessionStorage.setItem(pageStorageKey, page)
    return stored ? `?page=${encodeURIComponent(stored)}` : ''
  } catch {
    return page ? `?page=${encodeURIComponent(page)}` : ''
  }
}
export function clearReturnPage(): void {
  try {
    sessionStorage.removeItem(pageStorageKey)
  } catch {
    // Nothing was kept there either.
  }
}

const companyStorageKey = 'entry-corp'
const companyIdPattern = /^[\w-]{1,128}$/

/**
 * The company's id on its platform, from the address of the application's home page or of a card; `$CORPID$` that nobody filled in is none. It is kept
 * for the next time: whoever comes back to a page of ours whose session is over brings none.
 */
export function getEntryCompany(search: string): { readonly companyId?: string; readonly isRemembered: boolean } {
  const query = new URLSearchParams(search)
  const fromUrl = query.get('corp') ?? query.get('corpId') ?? query.get('corpid') ?? ''
  try {
    if (companyIdPattern.test(fromUrl)) localStorage.setItem(companyStorageKey, fromUrl)
    else {
      const stored = localStorage.getItem(companyStorageKey) ?? ''
      if (companyIdPattern.test(stored)) return { companyId: stored, isRemembered: true }
    }
  } catch {
    // It is asked without.
  }
  return companyIdPattern.test(fromUrl) ? { companyId: fromUrl, isRemembered: false } : { isRemembered: false }
}

/** Where the login page of a phone goes at once in a chat client, which signs people in by itself; null where it must stay. */
export function getEntryUrl({ userAgent }: Pick<Navigator, 'userAgent'>, search: string, staysOnPage: boolean): string | null {
  const query = new URLSearchParams(search)
  // Whoever comes back from there with a reason, or has just signed out, is asked here.
  if (staysOnPage || query.has('why') || !/wxwork\/|\b(?:Lark|Feishu)\/|DingTalk/i.test(userAgent)) return null
  const page = query.get('page')
  return page ? `/entry?page=${encodeURIComponent(page)}` : '/entry'
}

/** A message by SMS proves nothing of the browser it is opened in, but its reader has his phone in his hand: he is asked for a code. */
export const getRequestedMethod = (search: string): 'code' | 'password' =>
  /[?&]from=sms\b/.test(new URLSearchParams(search).get('page') ?? '') ? 'code' : 'password'
