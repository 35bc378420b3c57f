/** Text as people paste it, made comparable. */

/** Soft hyphen, zero-width and direction marks, byte order mark. */
const invisiblePattern = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** Letters, digits and plain Chinese without blanks: as tidy as they can be, and most of what is asked about. */
const plainPattern = /^[\x21-\x7e\u4e00-\u9fff]*$/

/** Full-width forms to plain ones, invisible characters away, white space (line breaks too) to one blank. */
export function normalizeText(text: string): string {
  if (plainPattern.test(text)) return text
  return text.normalize('NFKC').replace(invisiblePattern, '').replace(/\s+/g, ' ').trim()
}
