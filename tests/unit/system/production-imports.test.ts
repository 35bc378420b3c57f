/** What a production start loads: follows the static imports from server/start-server.ts, types and `import()` left out. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
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
  const loaded = [...collectStaticImports('server/start-server.ts')]
  expect(loaded.length).toBeGreaterThan(300)
  expect(loaded.filter((file) => /^server\/demo\/|simulator|^tests\//.test(file))).toEqual([])
})

it('loads little before it has refused a second server on the same data', () => {
  expect(collectStaticImports('server/main.ts').size).toBeLessThan(30)
})

/** Packages that a production install lacks, and the files that may ask for them: they have another way without. */
const developmentOnly: Readonly<Record<string, readonly string[]>> = {
  'server/build-client.ts': ['vite'],
  'server/modules/payslips/export/canvas.ts': ['@expo-google-fonts/noto-sans-sc'],
}

it('needs only packages that `npm ci --omit=dev` installs', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const missing = ['server', 'platform'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      // The scripts of the browser, and the generator of types that only a developer runs.
      .filter(
        (file) =>
          file.endsWith('.ts') &&
          !/^platform\/(client\/|chat\/\w+\/client\.ts)/.test(file) &&
          file !== 'server/database/write-tables.ts',
      )
      .flatMap((file) => {
        const text = readFileSync(join(root, file), 'utf8')
        const imported = text.matchAll(
          /(?:^(?:import|export) (?!type )(?:[^'";]*? from )?|\bimport\(|\bresolve\()'(@[^'/]+\/[^'/]+|[^'./@][^'/]*)/gm,
        )
        return [...imported]
          .map(([, name = '']) => name)
          .filter(
            (name) => !isBuiltin(name) && !name.includes(':') && !dependencies[name] && !developmentOnly[file]?.includes(name),
          )
          .map((name) => `${file}: ${name}`)
      }),
  )
  expect(missing).toEqual([])
})
