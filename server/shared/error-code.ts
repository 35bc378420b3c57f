/** What a thrown value says beside its words; empty where it says nothing. */
const readErrorField = (error: unknown, name: 'code' | 'constraint'): string => {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : null
  return typeof value === 'string' ? value : ''
}
/** The code of the system (`EEXIST`) or of the database (`23505`). */
export const getErrorCode = (error: unknown): string => readErrorField(error, 'code')
/** The rule of the schema that was broken, by its name. */
export const getConstraintName = (error: unknown): string => readErrorField(error, 'constraint')
