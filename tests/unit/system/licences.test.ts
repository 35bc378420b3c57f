/** The packages of a production install: their licences, their hashes, and the page that lists them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { buildPackagesPage, findUnacceptedLicences, listProductionPackages, packagesPage } from '../../../build/licences.ts'

const packages = listProductionPackages()
const read = (file: string) => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
type Manifest = Readonly<Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>> & {
  readonly allowScripts: Readonly<Record<string, boolean>>
}
const manifest = JSON.parse(read('package.json')) as Manifest
const lock = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly resolved?: string }>>
}

it('contains only packages whose licence sets no condition on the product', () => {
  expect(packages.length).toBeGreaterThan(100)
  expect(findUnacceptedLicences(packages)).toEqual([])
})

it('notices a package without a licence, and one that must not be distributed', () => {
  const other = { name: 'other', version: '1.0.0', isOptional: false, isNested: false }
  expect(findUnacceptedLicences([{ ...other, licence: '' }])).toEqual(['other: none'])
  expect(findUnacceptedLicences([{ ...other, licence: 'AGPL-3.0' }])).toEqual(['other: AGPL-3.0'])
})

it('is listed on its page as it is (`npm run licences`)', () => {
  expect(readFileSync(packagesPage, 'utf8')).toBe(buildPackagesPage(packages))
})

it('comes from the registry and has its hash in the lock, the programs of Node and PostgreSQL too', () => {
  const others = Object.entries(lock.packages).filter(
    ([path, { integrity, resolved }]) =>
      path !== '' &&
      (!integrity?.startsWith('sha512-') ||
        !(resolved ?? 'https://registry.npmjs.org/').startsWith('https://registry.npmjs.org/')),
  )
  expect(others.map(([path]) => path)).toEqual([])
  const programs = Object.keys(manifest.optionalDependencies)
  expect(programs.filter((name) => !lock.packages[`node_modules/${name}`])).toEqual([])
})

it('changes by a decision only: exact versions, and no script runs when a package is installed', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  expect(Object.entries(manifest.allowScripts).filter(([, isAllowed]) => isAllowed)).toEqual([])
})

it('says how to report a vulnerability, and under which licence it is used', () => {
  expect(read('SECURITY.md').length).toBeGreaterThan(200)
  expect(read('LICENSE').length).toBeGreaterThan(20)
})
