import { findProviderByUserAgent } from '../../../../server/contract/shared/providers.ts'

/** The page to open after signing in; stored while the user is on the platform's own page. */
const pageStorageKey = 'entry-page'

/** Returns `?page=…` from the current address or from the stored start of the sign-in; '' if there is none. */
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
    // Without storage there is nothing to remove.
  }
}

const companyStorageKey = 'entry-corp'
const companyIdPattern = /^[\w-]{1,128}$/

/**
 * Returns the company's id on its platform, from the address of the application's home page or of a card; an unreplaced
 * `$CORPID$` is ignored. The id is stored for next time: a user who returns to a page with an expired session brings
 * none.
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
    // Without storage no company id is remembered.
  }
  return companyIdPattern.test(fromUrl) ? { companyId: fromUrl, isRemembered: false } : { isRemembered: false }
}

/** Returns where a phone's login page redirects in a chat client, which signs users in by itself; null if it must stay. */
export function getEntryUrl({ userAgent }: Pick<Navigator, 'userAgent'>, search: string, staysOnPage: boolean): string | null {
  const query = new URLSearchParams(search)
  // A user who returns from there with a reason, or has just signed out, signs in here.
  if (staysOnPage || query.has('why') || !findProviderByUserAgent(userAgent)) return null
  const page = query.get('page')
  return page ? `/entry?page=${encodeURIComponent(page)}` : '/entry'
}

/** An SMS proves nothing about the browser that opens its link, but the reader has the phone: they sign in with a code. */
export const getRequestedMethod = (search: string): 'code' | 'password' =>
  /[?&]from=sms\b/.test(new URLSearchParams(search).get('page') ?? '') ? 'code' : 'password'
