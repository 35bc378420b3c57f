/** Formatting of many values as one statement parameter. */

type Value = string | Date | Buffer | null

/**
 * Formats an array literal for PostgreSQL (`{"a","b",NULL}`). The driver would format it when the statement is sent,
 * while the database waits; this does it beforehand. Where all values are null the array is empty: `unnest` pads it
 * with null to the length of its longest array.
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
