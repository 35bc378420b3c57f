/**
 * Parsers for search parameters in a route's `validateSearch`, so that a page, its filters and a shared link agree.
 *
 * Example: `validateSearch: (raw) => ({ ...parsePageParams(raw), name: parseText(raw.name), status:
 * parseEnum(raw.status, memberStatuses) })`
 *
 * Missing or invalid values are left out; they never break a page.
 */
type RawSearch = Record<string, unknown>

export const parseText = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined
}

export const parseEnum = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((candidate) => candidate === value)

const parsePositiveInteger = (value: unknown, max: number): number | undefined => {
  const number = Number(value)
  return Number.isInteger(number) && number >= 1 && number <= max ? number : undefined
}

export type PageParams = { page?: number | undefined; pagesize?: number | undefined }
export const parsePageParams = (raw: RawSearch): PageParams => ({
  page: parsePositiveInteger(raw.page, 100_000),
  pagesize: parsePositiveInteger(raw.pagesize, 100),
})

/** The flag of a paginated list (spec §4): with it, new rows are appended to the existing ones; otherwise they replace them. */
export const appendFlag = 10
export const mergePage = <T>(loaded: readonly T[], page: readonly T[], flag?: number): T[] =>
  flag === appendFlag ? [...loaded, ...page] : [...page]
/** Flattens the pages of one list: the first starts it, the others are appended. */
export const flattenPages = <T>(pages: readonly { readonly list: readonly T[] }[]): T[] =>
  pages.reduce<T[]>((loaded, { list }, at) => mergePage(loaded, list, at > 0 ? appendFlag : 0), [])
