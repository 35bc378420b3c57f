/**
 * Source texts for the architecture rules, as { path → text }, and functions that read their syntax trees. Everything
 * is pure except `readSources`.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'

export type Files = Readonly<Record<string, string>>
/** The findings of a rule: the place and the number of occurrences (1 if there is nothing to count). */
export type Match = Readonly<Record<string, number>>
export type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>

export const root = resolve(import.meta.dirname, '../..')
const rooms = ['server', 'platform', 'src', 'build', 'tests']

/** Returns every file of the source folders, with its text if it is source code or a page. Generated files are left out. */
export function readSources(): Files {
  const walk = (dir: string): string[] =>
    readdirSync(join(root, dir)).flatMap((name) => {
      const path = `${dir}/${name}`
      if (name === 'node_modules' || name.startsWith('.')) return []
      return statSync(join(root, path)).isDirectory() ? walk(path) : [path]
    })
  const paths = rooms.filter((room) => existsSync(join(root, room))).flatMap(walk)
  const isText = (path: string): boolean => /\.(tsx?|css|sql|html)$/.test(path) && !generated.test(path)
  return Object.fromEntries(paths.map((path) => [path, isText(path) ? readFileSync(join(root, path), 'utf8') : '']))
}
const generated = /\.gen\.ts$|^server\/database\/tables\.ts$/

export const isCode = (path: string): boolean => /\.tsx?$/.test(path) && !generated.test(path)
export const isProduct = (path: string): boolean => !path.startsWith('tests/')
export const getTexts = (files: Files, request: (path: string) => boolean): [string, string][] =>
  Object.entries(files).filter(([path]) => request(path))

const parsed = new Map<string, ReturnType<typeof parseSync>>()
const parse = (path: string, text: string) => {
  const key = `${path}\n${text}`
  const existing = parsed.get(key) ?? parseSync(path, text)
  parsed.set(key, existing)
  return existing
}
export const getTree = (path: string, text: string): Node => parse(path, text).program as unknown as Node

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
export function getChildren(node: Node): Node[] {
  const children: Node[] = []
  for (const name in node) {
    const value = node[name]
    if (Array.isArray(value)) children.push(...value.filter(isNode))
    else if (isNode(value)) children.push(value)
  }
  return children
}

type Placed = readonly [node: Node, inside: readonly Node[]]
/** Each tree is walked once for all rules. */
const walked = new WeakMap<Node, readonly Placed[]>()
/** Returns every node of a tree with its ancestors, the nearest last. */
export function getNodes(tree: Node): readonly Placed[] {
  const existing = walked.get(tree)
  if (existing) return existing
  const all: Placed[] = []
  const walk = (node: Node, inside: readonly Node[]): void => {
    all.push([node, inside])
    const children = getChildren(node)
    if (children.length === 0) return
    const around = [...inside, node]
    for (const child of children) walk(child, around)
  }
  walk(tree, [])
  walked.set(tree, all)
  return all
}

const resolveImports = (path: string, requests: readonly (string | undefined)[]): string[] => {
  const local = requests.filter((to) => to?.startsWith('.')).map((to) => posix.join(dirname(path), to ?? ''))
  return [...new Set(local)]
}

/** Returns the files that a file imports or re-exports, types included. Dynamic imports do not count. */
export function listImports(path: string, text: string): string[] {
  const { staticImports, staticExports } = parse(path, text).module
  const exports = staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value))
  return resolveImports(path, [...staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exports])
}

/** Returns the files that must be loaded before a file can run. Type imports and dynamic imports do not count. */
export function needs(path: string, text: string): string[] {
  const { staticImports, staticExports } = parse(path, text).module
  const imports = staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some((entry) => !entry.isType))
    .map(({ moduleRequest }) => moduleRequest.value)
  const exports = staticExports.flatMap(({ entries }) =>
    entries.filter((entry) => !entry.isType).map((entry) => entry.moduleRequest?.value),
  )
  return resolveImports(path, [...imports, ...exports])
}

/**
 * Returns the string literals of a source, and of each template its fixed parts as one text with ? for the
 * placeholders.
 */
export function getLiterals(path: string, text: string): { text: string; tag: string | null }[] {
  return getNodes(getTree(path, text)).flatMap(([node, inside]) => {
    if (node.type === 'Literal' && typeof node.value === 'string') return [{ text: node.value, tag: null }]
    if (node.type === 'JSXText') return [{ text: String(node.value), tag: null }]
    if (node.type !== 'TemplateLiteral') return []
    const quasis = node.quasis as { value: { cooked: string } }[]
    const outer = inside.at(-1)
    const tag = outer?.type === 'TaggedTemplateExpression' ? String((outer.tag as Node).name) : null
    return [{ text: quasis.map(({ value }) => value.cooked).join(' ? '), tag }]
  })
}

export const count = (keys: readonly string[]): Match => {
  const match: Record<string, number> = {}
  for (const key of keys) match[key] = (match[key] ?? 0) + 1
  return match
}
