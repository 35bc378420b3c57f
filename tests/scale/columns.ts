/** The columns of every table, read from the file written by `npm run tables`. */
import { readFileSync } from 'node:fs'

const interfaces = readFileSync(new URL('../../server/database/tables.ts', import.meta.url), 'utf8')
const getFields = (name: string): string[] =>
  [...(new RegExp(`export interface ${name} \\{([^}]*)\\}`).exec(interfaces)?.[1] ?? '').matchAll(/^ {2}(\w+):/gm)].map(
    (match) => match[1] ?? '',
  )
/** Every table with its columns, as written by `npm run tables`. */
export const columnsMap: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...(/export interface Tables \{([^}]*)\}/.exec(interfaces)?.[1] ?? '').matchAll(/^ {2}(\w+): (\w+);/gm)].map(
    ([, table = '', name = '']) => [table, new Set(getFields(name))] as const,
  ),
)
