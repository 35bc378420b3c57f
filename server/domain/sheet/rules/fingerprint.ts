import { normaliseHeader } from './recognise/synonyms.ts'

/**
 * The normalised header as one line, to be hashed by whoever keeps it: two sheets with the same line were made from the same
 * template, whatever month, blanks or line breaks differ.
 */
export function fingerprint(paths: readonly (readonly string[])[]): string {
  return paths.map(fingerprintOf).join('|')
}

/** Of one column. */
export const fingerprintOf = (path: readonly string[]) => path.map((part) => normaliseHeader(part).replace(month, '')).join('/')

/** A month or a year inside a label changes every time: 扣6月养老保险 · 2026年工会费. */
const month = /(?:(?:19|20)\d\d年?)?(?:[01]?\d月份?)|(?:19|20)\d\d年度?/g
