/** What becomes of a title whose new owner has one of the same name and month already. Pure. */
import type { TitleKind } from '../../../contract/shared/schemas.ts'

export type Share = { readonly admin_id: string; readonly rights: string }
export type Title = { readonly name: string; readonly kind: TitleKind; readonly shares: readonly Share[] }

/**
 * Two titles become one only where that shows nobody more than he saw: of the same kind, and shared with the same people. Employees
 * read the name, so it stays where it can.
 */
export const canMergeTitles = (one: Title, other: Title): boolean =>
  one.kind === other.kind && getAudienceKey(one.shares) === getAudienceKey(other.shares)

const getAudienceKey = (shares: readonly Share[]): string =>
  shares
    .map(({ admin_id, rights }) => `${admin_id}:${rights}`)
    .sort()
    .join()

/** 「10月工资（移交自张三）」, with a number where that is taken as well. */
export function getFreeTitleName(name: string, from: string, usedNames: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const candidate = `${name}（移交自${from}${count > 1 ? ` ${count}` : ''}）`
    if (!usedNames.has(candidate)) return candidate
  }
}
