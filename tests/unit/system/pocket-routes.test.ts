/** The paths of the payslip pages in the small route tree, compared with those of the generated one. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { getMobilePath } from '../../../src/routed/mobile-path.ts'

const src = (path: string): string => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url))

it('a page below /m has the same path in both trees', () => {
  const generated = readFileSync(src('routed/routes.gen.ts'), 'utf8')
  const listed = /interface FileRoutesById \{(.*?)\n\}/s.exec(generated)?.[1] ?? ''
  const expected = [...listed.matchAll(/'\/m(\/[^']*)'/g)].map(([, path]) => path)
  const files = readdirSync(src('pages/m')).filter((file) => file !== 'route.tsx')
  expect(files.map(getMobilePath).toSorted()).toEqual(expected.toSorted())
  expect(expected.length).toBeGreaterThan(5)
})
