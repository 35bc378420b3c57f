/** The tree of pages that `src/routed/pocket.tsx` begins with: of the generated one the root and what lies below /m. */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const asked = /\/routes\.gen\.ts$/
const marked = '?pocket'

/** From the text of the generated tree the text of the smaller one. */
export function pocketTree(text: string): string {
  const imports = [...text.matchAll(/^import \{ Route as (\w+)Import \} from '\.\/\.\.\/pages\/(?:__root|m\/[^']+)\.tsx'$/gm)]
  const updates = imports.flatMap(
    ([, name = '']) => new RegExp(`^const ${name} = ${name}Import\\.update\\(.*?^\\} as any\\)$`, 'ms').exec(text) ?? [],
  )
  const below = /^const MRouteRouteChildren: MRouteRouteChildren = (\{.*?^\})$/ms.exec(text)?.[1]
  // Each of them but the root is told its place, and all but /m itself stand below it.
  if (!below || imports.length < 3 || updates.length !== imports.length - 1 || below.split('\n').length !== imports.length)
    throw new Error('build/pocket-routes.ts does not know the form of src/routed/routes.gen.ts any more')
  return [
    ...imports.map(([line]) => line),
    "import { ElsewhereRoute } from './elsewhere.ts'",
    ...updates,
    `const children = { MRouteRoute: MRouteRoute._addFileChildren(${below}), ElsewhereRoute }`,
    'export const routeTree = rootRouteImport._addFileChildren(children)',
  ].join('\n')
}

export const pocketRoutes = (): Plugin => ({
  name: 'pocket-routes',
  apply: 'build',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!asked.test(source) || !importer?.endsWith('/src/routed/pocket.tsx')) return null
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    return found && { ...found, id: found.id + marked }
  },
  load(id) {
    if (!id.endsWith(marked)) return null
    const file = id.slice(0, -marked.length)
    this.addWatchFile(file)
    return pocketTree(readFileSync(file, 'utf8'))
  },
})
