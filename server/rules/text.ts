/** Text as people paste it, made comparable. */

/** Soft hyphen, zero-width and direction marks, byte order mark. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** Full-width forms to plain ones, invisible characters away, white space (line breaks too) to one blank. */
export function tidy(text: string): string {
  return text.normalize('NFKC').replace(invisible, '').replace(/\s+/g, ' ').trim()
}
