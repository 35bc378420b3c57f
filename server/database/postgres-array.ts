/** Many values as one parameter of a statement. */

type Value = string | Date | Buffer | null

/**
 * As PostgreSQL reads an array (`{"a","b",NULL}`). The driver would write it when the statement's turn has come, while the database waits; this is
 * written beforehand. Where all are null there are none, for `unnest`, which goes on with null as far as its longest array goes.
 */
export function formatPostgresArray(values: readonly Value[]): string {
  if (values.every((value) => value === null)) return '{}'
  return `{${values.map(formatArrayElement).join()}}`
}

const to_escape = /["\\]/
function formatArrayElement(value: Value): string {
  if (value === null) return 'NULL'
  if (value instanceof Date) return `"${value.toISOString()}"`
  if (typeof value !== 'string') return `\\\\x${value.toString('hex')}`
  return to_escape.test(value) ? `"${value.replace(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`
}
