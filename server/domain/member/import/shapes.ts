/**
 * What is asked quickly of a sealed document: twenty thousand people are opened for each page of the list. A test holds these and the schemas
 * together (`quick` of `runtime/data/document.ts`).
 */
export type NamedValues = Readonly<Record<string, unknown>>
export const isNamed = (value: unknown): value is NamedValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isText = (value: unknown): value is string => typeof value === 'string'
export const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)
export const isListOf = (value: unknown, is: (one: unknown) => boolean): boolean => Array.isArray(value) && value.every(is)
export const isTexts = (value: unknown): boolean => isListOf(value, isText)
/** One number, or several. */
export const areNumbers = (value: unknown): boolean => isWhole(value) || isListOf(value, isWhole)
