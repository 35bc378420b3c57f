/** Finds features in built files that are newer than the oldest supported browsers, by MDN's compatibility tables. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { CompatData } from '@mdn/browser-compat-data'
import postcss, { type Declaration } from 'postcss'
import { parseAst } from 'vite'
import { oldestBrowsers } from '../../../build/browser-targets.ts'

type Statement = { version_added?: string | false | 'preview' | null; flags?: unknown; prefix?: string }
/** Names, with browser support under `__compat`. */
type Entry = { [key: string]: Entry }
type Compat = { support: Record<string, Statement | Statement[] | undefined> }

/** Returns the part of a table under a name, or an empty one. */
const under = (entry: Entry | undefined, name: string): Entry => (entry && Object.hasOwn(entry, name) && entry[name]) || {}
const getCompat = (entry: Entry | undefined) => entry?.__compat as unknown as Compat | undefined

function isNewer(entry: Entry | undefined): boolean {
  const support = getCompat(entry)?.support
  if (!support) return false
  return Object.entries(oldestBrowsers).some(([browser, version]) => {
    const statements = [support[browser]].flat().filter((one) => one !== undefined)
    // Prefixed support counts, because the build adds prefixes; partial support counts; support behind a flag does not.
    const since = statements
      .filter((one) => !one.flags)
      .map((one) => Number.parseFloat(String(one.version_added || Number.POSITIVE_INFINITY).replace('≤', '')))
    return Math.min(...since, Number.POSITIVE_INFINITY) > version
  })
}

/** The file is read and not imported, because the test transformer would take seconds for 17 MB. */
const tables = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('@mdn/browser-compat-data'), 'utf8')) as CompatData

const { builtins, regular_expressions: patterns } = (
  tables as unknown as { javascript: { builtins: Entry; regular_expressions: Entry } }
).javascript
const { api, css } = tables as unknown as { api: Entry; css: Entry }
const getType = (name: string): Entry => ({ ...under(builtins, name), ...under(api, name) })
/**
 * Types whose methods are checked after a dot in a page. Others share names with everything (`use`, `check`, `run`) and
 * are never used here.
 */
const nearby =
  /^(HTML|DOM)|^(Element|Node|Document|Window|Navigator|History|AbortSignal|Blob|File|Response|Request|Headers|URL|URLSearchParams|Crypto)$/
const types = [
  ...Object.entries(builtins).filter(([name]) => !/^(Atomics|.*DisposableStack|Temporal)$/.test(name)),
  ...Object.entries(api).filter(([name]) => nearby.test(name)),
].filter(([name]) => name !== '__compat')
const methods = (newer: boolean): Set<string> =>
  new Set(
    types.flatMap(([, type]) =>
      Object.keys(type).filter((name) => !/^__|_static$|_/.test(name) && getCompat(type[name]) && isNewer(type[name]) === newer),
    ),
  )
const older = methods(false)
/** Names of methods that no older type has. */
const newMethods = new Set([...methods(true)].filter((name) => !older.has(name)))
const isNewGlobal = (name: string): boolean =>
  isNewer(under(builtins, name)) || isNewer(under(api, name)) || isNewer(under(under(api, 'Window'), name))

/**
 * Syntax of regular expressions by its entry in the tables. A browser that does not know it refuses the whole file, so
 * the page cannot catch the error.
 */
const patternSyntax: readonly (readonly [name: string, entry: Entry, syntax: RegExp])[] = [
  ['look-behind', under(patterns, 'lookbehind_assertion'), /\(\?<[=!]/],
  ['modifiers in a group', under(patterns, 'modifier'), /\(\?[ims]*-?[ims]+:/],
]
const patternFlags: Record<string, string> = { d: 'hasIndices', s: 'dotAll', u: 'unicode', v: 'unicodeSets', y: 'sticky' }

function newerInPattern(pattern: string, flags: string): string[] {
  const plain = pattern.replace(/\\./g, '')
  return [
    ...patternSyntax.filter(([, entry, syntax]) => isNewer(entry) && syntax.test(plain)).map(([name]) => name),
    ...[...flags]
      .filter((flag) => isNewer(under(under(builtins, 'RegExp'), patternFlags[flag] ?? '')))
      .map((flag) => `flag ${flag}`),
  ]
}

type Node = { type: string; [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const toText = (node: unknown): string => (isNode(node) && typeof node.value === 'string' ? node.value : '')
/** Returns the pattern and the flags of a literal, or of a call of `RegExp` with constant text; null for other nodes. */
function readPattern(node: Node): [pattern: string, flags: string] | null {
  if (node.type === 'Literal' && node.regex) {
    const { pattern, flags } = node.regex as { pattern: string; flags: string }
    return [pattern, flags]
  }
  if (/^(New|Call)Expression$/.test(node.type) && nameIn(node.callee) === 'RegExp') {
    const [pattern, flags] = node.arguments as unknown[]
    return [toText(pattern), toText(flags)]
  }
  return null
}
const nameIn = (node: unknown): string => (isNode(node) && node.type === 'Identifier' ? String(node.name) : '')

/**
 * Returns the newer functions that a script uses: `URL.canParse`, `.findLast()`, `structuredClone`. Functions behind a
 * check (`?.()`) are left out. Newer syntax of regular expressions counts as well: `look-behind`, `flag v`.
 */
export function newerInScript(code: string): Set<string> {
  const matches = new Set<string>()
  const visitNode = (node: Node, parent: Node | null, key: string): void => {
    if (node.type === 'MemberExpression' && !node.computed) {
      const [owner, name] = [nameIn(node.object), nameIn(node.property)]
      if (owner && isNewer(under(getType(owner), `${name}_static`))) matches.add(`${owner}.${name}`)
      const isCalled = parent?.type === 'CallExpression' && key === 'callee' && !parent.optional
      if (isCalled && newMethods.has(name) && !(owner && getCompat(under(getType(owner), `${name}_static`))))
        matches.add(`.${name}()`)
    }
    for (const one of newerInPattern(...(readPattern(node) ?? ['', '']))) matches.add(one)
    const isName = (parent?.type === 'MemberExpression' && key === 'property') || (parent?.type === 'Property' && key === 'key')
    if (node.type === 'Identifier' && !isName && isNewGlobal(String(node.name))) matches.add(String(node.name))
    for (const [name, value] of Object.entries(node))
      for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) visitNode(one, node, name)
  }
  visitNode(parseAst(code) as unknown as Node, null, '')
  return matches
}

/** The tables list functions and units below their type. */
const newInTypes = new Set<string>()
const collect = (entry: Entry): void => {
  for (const [name, one] of Object.entries(entry)) {
    if (name === '__compat') continue
    if (isNewer(one)) newInTypes.add(name)
    else collect(one)
  }
}
collect(under(css, 'types'))
const unitTables: Record<string, RegExp> = {
  container_query_length_units: /^cq/,
  viewport_percentage_units_dynamic: /^dv/,
  viewport_percentage_units_small: /^sv/,
  viewport_percentage_units_large: /^lv/,
}
const isNewUnit = (unit: string): boolean =>
  newInTypes.has(unit) || Object.entries(unitTables).some(([table, units]) => newInTypes.has(table) && units.test(unit))

function newerInValue({ prop, value }: Declaration): string[] {
  const property = under(under(css, 'properties'), prop)
  const plain = value.replace(/url\([^)]*\)|"[^"]*"|'[^']*'/g, '')
  const functions = [...plain.matchAll(/(?<![\w-])([a-z][\w-]*)\(/g)]
    .map(([, name = '']) => name)
    .filter((name) => newInTypes.has(name))
  const units = [...plain.matchAll(/(?<![\w#-])-?[\d.]+([a-z]+)/g)].map(([, unit = '']) => unit).filter(isNewUnit)
  const labels = plain.split(/[\s,]+/).filter((word) => /^[a-z-]+$/.test(word) && isNewer(under(property, word)))
  return [...functions.map((name) => `${name}()`), ...units, ...labels.map((word) => `${prop}: ${word}`)]
}

/**
 * Returns whether a declaration before it gives a fallback for browsers that cannot read this one. A variable makes any
 * value parseable.
 */
function hasFallback(declaration: Declaration): boolean {
  if (declaration.value.includes('var(')) return false
  for (let before = declaration.prev(); before; before = before.prev())
    if (before.type === 'decl' && before.prop === declaration.prop) return true
  return false
}

/**
 * Returns the newer properties, functions, units, keywords, selectors and at-rules of a style sheet that have no
 * fallback before them.
 */
export function newerInStyle(text: string): Set<string> {
  const matches = new Set<string>()
  postcss.parse(text).walk((node) => {
    if (node.type === 'decl') {
      if (isNewer(under(under(css, 'properties'), node.prop))) matches.add(node.prop)
      if (!hasFallback(node)) for (const one of newerInValue(node)) matches.add(one)
    } else if (node.type === 'rule') {
      for (const [, name = ''] of node.selector.matchAll(/::?([a-z-]+)/g))
        if (!name.startsWith('-') && isNewer(under(under(css, 'selectors'), name))) matches.add(`:${name}`)
    } else if (node.type === 'atrule') {
      if (isNewer(under(under(css, 'at-rules'), node.name))) matches.add(`@${node.name}`)
      for (const [, name = ''] of node.params.matchAll(/\(([a-z-]+)/g))
        if (isNewer(under(under(under(css, 'at-rules'), 'media'), name))) matches.add(`@media (${name})`)
    }
  })
  return matches
}
