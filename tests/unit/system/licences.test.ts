/** The packages of a production install: their licences, and the page that lists them. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { buildPackagesPage, findUnacceptedLicences, listProductionPackages, packagesPage } from '../../../build/licences.ts'

const packages = listProductionPackages()

it('contains only packages whose licence sets no condition on the product', () => {
  expect(packages.length).toBeGreaterThan(100)
  expect(findUnacceptedLicences(packages)).toEqual([])
})

it('notices a package without a licence, and one that must not be distributed', () => {
  const other = { name: 'other', version: '1.0.0', isOptional: false }
  expect(findUnacceptedLicences([{ ...other, licence: '' }])).toEqual(['other: none'])
  expect(findUnacceptedLicences([{ ...other, licence: 'AGPL-3.0' }])).toEqual(['other: AGPL-3.0'])
})

it('is listed on its page as it is (`npm run licences`)', () => {
  expect(readFileSync(packagesPage, 'utf8')).toBe(buildPackagesPage(packages))
})
