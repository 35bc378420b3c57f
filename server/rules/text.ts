/** Normalization of pasted text for comparison. */

/** Soft hyphen, zero-width and direction marks, byte order mark. */
const invisiblePattern = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** Text that is already normalized: ASCII and Chinese characters without spaces, which covers most calls. */
const plainPattern = /^[\x21-\x7e\u4e00-\u9fff]*$/

/** Converts full-width forms to ASCII, removes invisible characters, collapses white space (and line breaks) to one space. */
export function normalizeText(text: string): string {
  if (plainPattern.test(text)) return text
  return text.normalize('NFKC').replace(invisiblePattern, '').replace(/\s+/g, ' ').trim()
}
