/** The flag of a paged list (spec §4): with it, what comes is put behind what is there; with any other, it takes its place. */
export const appends = 10

export const afterPage = <T>(shown: readonly T[], page: readonly T[], flag?: number): T[] =>
  flag === appends ? [...shown, ...page] : [...page]

/** The pages of one list as they came: the first begins it, the others are appended. */
export const gathered = <T>(pages: readonly { readonly list: readonly T[] }[]): T[] =>
  pages.reduce<T[]>((shown, { list }, at) => afterPage(shown, list, at > 0 ? appends : 0), [])
