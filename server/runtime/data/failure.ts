/** What a thrown value says beside its words; empty where it says nothing. */
const said = (error: unknown, name: 'code' | 'constraint'): string => {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : null
  return typeof value === 'string' ? value : ''
}
/** The code of the system (`EEXIST`) or of the database (`23505`). */
export const codeOf = (error: unknown): string => said(error, 'code')
/** The rule of the schema that was broken, by its name. */
export const constraintOf = (error: unknown): string => said(error, 'constraint')
