/**
 * Type guards for opened sealed documents. They are faster than schema validation, which matters because each page of the
 * member list opens up to twenty thousand documents. A test checks that the guards and the schemas agree (`fastCheck` in
 * `server/crypto/sealed-document.ts`).
 */
export type JsonObject = Readonly<Record<string, unknown>>
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isText = (value: unknown): value is string => typeof value === 'string'
export const isInteger = (value: unknown): boolean => Number.isSafeInteger(value)
export const isListWith = (value: unknown, predicate: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(predicate)
export const isTextList = (value: unknown): boolean => isListWith(value, isText)
/** One number, or several. */
export const isIntegerOrList = (value: unknown): boolean => isInteger(value) || isListWith(value, isInteger)
