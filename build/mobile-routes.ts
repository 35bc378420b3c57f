/**
 * Builds the route tree that `src/routed/mobile.tsx` starts with: the root of the generated tree and the routes below
 * /m.
 */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const routeTreePattern = /\/routes\.gen\.ts$/
const mobileQuery = '?pocket'

/** Builds the source of the reduced route tree from the source of the generated one. */
export function buildMobileRouteTree(text: string): string {
  const imports = [...text.matchAll(/^import \{ Route as (\w+)Import \} from '\.\/\.\.\/pages\/(?:__root|m\/[^']+)\.tsx'$/gm)]
  const updates = imports.flatMap(
    ([, name = '']) => new RegExp(`^const ${name} = ${name}Import\\.update\\(.*?^\\} as any\\)$`, 'ms').exec(text) ?? [],
  )
  const childRoutes = /^const MRouteRouteChildren: MRouteRouteChildren = (\{.*?^\})$/ms.exec(text)?.[1]
  // Every route except the root has its position updated, and all except /m itself are children of /m.
  if (
    !childRoutes ||
    imports.length < 3 ||
    updates.length !== imports.length - 1 ||
    childRoutes.split('\n').length !== imports.length
  )
    throw new Error('build/mobile-routes.ts does not know the form of src/routed/routes.gen.ts any more')
  return [
    ...imports.map(([line]) => line),
    "import { ElsewhereRoute } from './elsewhere.ts'",
    ...updates,
    `const children = { MRouteRoute: MRouteRoute._addFileChildren(${childRoutes}), ElsewhereRoute }`,
    'export const routeTree = rootRouteImport._addFileChildren(children)',
  ].join('\n')
}

export const mobileRoutesPlugin = (): Plugin => ({
  name: 'pocket-routes',
  apply: 'build',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!routeTreePattern.test(source) || !importer?.endsWith('/src/routed/mobile.tsx')) return null
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    return found && { ...found, id: found.id + mobileQuery }
  },
  load(id) {
    if (!id.endsWith(mobileQuery)) return null
    const file = id.slice(0, -mobileQuery.length)
    this.addWatchFile(file)
    return buildMobileRouteTree(readFileSync(file, 'utf8'))
  },
})
