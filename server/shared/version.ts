import { createRequire } from 'node:module'

/** The version of this program, as in package.json. */
export const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }
