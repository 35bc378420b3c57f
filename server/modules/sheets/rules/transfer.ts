/** Rules for a transferred title whose new owner already has one with the same name and month. Pure. */
import type { TitleKind } from '../../../contract/shared/schemas.ts'

export type Share = { readonly admin_id: string; readonly rights: string }
export type Title = { readonly name: string; readonly kind: TitleKind; readonly shares: readonly Share[] }

/**
 * Two titles are merged only if nobody gains access: they have the same kind and are shared with the same
 * administrators. Employees see the name, so it is kept where possible.
 */
export const canMergeTitles = (one: Title, other: Title): boolean =>
  one.kind === other.kind && getAudienceKey(one.shares) === getAudienceKey(other.shares)

const getAudienceKey = (shares: readonly Share[]): string =>
  shares
    .map(({ admin_id, rights }) => `${admin_id}:${rights}`)
    .sort()
    .join()

/** Returns a name such as 「10月工资（移交自张三）」, numbered if it is taken as well. */
export function getFreeTitleName(name: string, from: string, usedNames: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const candidate = `${name}（移交自${from}${count > 1 ? ` ${count}` : ''}）`
    if (!usedNames.has(candidate)) return candidate
  }
}
