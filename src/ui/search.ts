/**
 * Reading the address bar: small readers for a route's `validateSearch`, so that a page, its filters and a shared link agree.
 *
 *   validateSearch: (raw) => ({ ...pageOf(raw), name: textOf(raw.name), status: oneOf(raw.status, memberStatuses) })
 *
 * What is missing or wrong is left out; it never breaks a page.
 */
type Raw = Record<string, unknown>

export const textOf = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined
}

export const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((candidate) => candidate === value)

const whole = (value: unknown, max: number): number | undefined => {
  const number = Number(value)
  return Number.isInteger(number) && number >= 1 && number <= max ? number : undefined
}

export type PageSearch = { page?: number | undefined; pagesize?: number | undefined }
export const pageOf = (raw: Raw): PageSearch => ({ page: whole(raw.page, 100_000), pagesize: whole(raw.pagesize, 100) })

/** The flag of a paged list (spec §4): with it, what comes is put behind what is there; with any other, it takes its place. */
export const appends = 10
export const afterPage = <T>(shown: readonly T[], page: readonly T[], flag?: number): T[] =>
  flag === appends ? [...shown, ...page] : [...page]
/** The pages of one list as they came: the first begins it, the others are appended. */
export const gathered = <T>(pages: readonly { readonly list: readonly T[] }[]): T[] =>
  pages.reduce<T[]>((shown, { list }, at) => afterPage(shown, list, at > 0 ? appends : 0), [])
