/** What a production start loads: follows the static imports from server/main.ts, types and `import()` left out. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

function collectStaticImports(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded
  loaded.add(path)
  const text = readFileSync(join(root, path), 'utf8')
  for (const [, clause = '', target = ''] of text.matchAll(/^(?:import|export)\s+([^'";]*?from\s+)?'(\.[^']+)'/gm)) {
    const names = /\{([\s\S]*)\}/.exec(clause)?.[1]?.split(',') ?? []
    const isTypeOnly =
      /^type\s/.test(clause) || (names.length > 0 && names.every((name) => !name.trim() || /^\s*type\s/.test(name)))
    const file = relative(root, resolve(root, dirname(path), target))
    if (!isTypeOnly && existsSync(join(root, file))) collectStaticImports(file, loaded)
  }
  return loaded
}

it('loads no simulator, no seed data and no demo page', () => {
  const loaded = [...collectStaticImports('server/main.ts')]
  expect(loaded.length).toBeGreaterThan(300)
  expect(loaded.filter((file) => /^server\/demo\/|simulator|^tests\//.test(file))).toEqual([])
})
