/** Returns a field of a thrown value; empty where it has none. */
const readErrorField = (error: unknown, name: 'code' | 'constraint'): string => {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : null
  return typeof value === 'string' ? value : ''
}
/** Returns the error code of the system (`EEXIST`) or of the database (`23505`). */
export const getErrorCode = (error: unknown): string => readErrorField(error, 'code')
export const getConstraintName = (error: unknown): string => readErrorField(error, 'constraint')
