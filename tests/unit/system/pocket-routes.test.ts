/** The route tree of the payslip pages, derived from the generated one. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildMobileRouteTree } from '../../../build/mobile-routes.ts'

const src = (path: string): string => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url))
const full = readFileSync(src('routed/routes.gen.ts'), 'utf8')

describe('pages of /m', () => {
  it('are complete with their paths, without desktop pages', () => {
    const tree = buildMobileRouteTree(full)
    const named = [...tree.matchAll(/from '\.\/\.\.\/pages\/([^']+)'/g)].map(([, path]) => path ?? '').toSorted()
    expect(named).toEqual(['__root.tsx', ...readdirSync(src('pages/m')).map((file) => `m/${file}`)].toSorted())
    for (const [, name] of tree.matchAll(/Route as (\w+)Import/g))
      if (name !== 'rootRoute') expect(tree.split(`const ${name} = ${name}Import.update({`)).toHaveLength(2)
    expect(tree).not.toMatch(/Desk|interface|declare/)
  })

  it.each([
    ['a page without a place', (text: string) => text.replace('const MSlipIdRoute = ', 'const Other = ')],
    ['a page that hangs nowhere', (text: string) => text.replace('  MSlipIdRoute: MSlipIdRoute,\n', '')],
    ['another form', (text: string) => text.replace('const MRouteRouteChildren', 'const Children')],
  ])('are not guessed: %s stops the build', (_, change) => {
    expect(change(full)).not.toBe(full)
    expect(() => buildMobileRouteTree(change(full))).toThrow('build/mobile-routes.ts')
  })
})
