const errorNumbers = new WeakMap<object, string>()
const createErrorNumber = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'[byte % 31]).join('')

/**
 * Returns a number that the user can quote and that can be searched in the log; its characters are not easily confused.
 * The same error always has the same number.
 */
export function getErrorNumber(error: unknown): string {
  if (typeof error !== 'object' || error === null) return createErrorNumber()
  const number = errorNumbers.get(error) ?? createErrorNumber()
  errorNumbers.set(error, number)
  return number
}
