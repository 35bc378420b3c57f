/** Returns the page where an administrator lands after signing in (spec §2). */
import { hasPower } from '../../server/contract/access.ts'
import type { CurrentUser } from '../session.ts'

export function getLandingPath({
  corp,
  power,
}: Pick<CurrentUser, 'power'> & { corp: Pick<CurrentUser['corp'], 'corp_role'> }): string {
  // With power 3 alone the list of companies is closed.
  if (corp.corp_role === 20) return power.includes('3') && !hasPower(power, ['1', '2']) ? '/companyMember' : '/companyList'
  if (power.includes('2')) return '/home'
  if (power.includes('1')) return '/roleWage'
  if (power.includes('3')) return '/companyMember'
  return '/home'
}

/** Returns the address in `?page=` if it is one of our own pages: never another site, never a page that leads back here. */
export function parseReturnPath(page: unknown, isRoute: (pathname: string) => boolean): string | null {
  if (typeof page !== 'string' || !/^\/(?![/\\])/.test(page)) return null
  let url: URL
  try {
    url = new URL(page, 'http://own.invalid')
  } catch {
    return null
  }
  // `new URL` drops tabs and newlines, which can turn a harmless path into another host.
  if (url.origin !== 'http://own.invalid' || url.pathname.startsWith('//')) return null
  if (/^\/(landing|m\/login)?\/?$/i.test(url.pathname) || !isRoute(url.pathname)) return null
  return url.pathname + url.search
}
