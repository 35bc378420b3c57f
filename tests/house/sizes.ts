/** Circles, folders, functions, names, style sheets, figures, casts: what can be counted in source texts. */
import { dirname } from 'node:path'
import {
  count,
  type Files,
  type Found,
  isCode,
  isProduct,
  literalsOf,
  type Node,
  needs,
  nodesOf,
  textsOf,
  treeOf,
} from './source.ts'

const product = (path: string): boolean => isCode(path) && isProduct(path)
const over = (limit: number, sizes: readonly (readonly [string, number])[]): Found =>
  Object.fromEntries(sizes.filter(([, size]) => size > limit))

/** Files that need each other before either can run, each circle once. */
export function circles(files: Files): Found {
  const edges = new Map(textsOf(files, product).map(([path, text]) => [path, needs(path, text).filter((to) => to in files)]))
  const reach = (from: string): Set<string> => {
    const seen = new Set<string>()
    const waiting = [...(edges.get(from) ?? [])]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      waiting.push(...(edges.get(at) ?? []))
    }
    return seen
  }
  const reached = new Map([...edges.keys()].map((path) => [path, reach(path)]))
  const found = [...reached].flatMap(([path, seen]) =>
    seen.has(path) ? [[...seen].filter((to) => reached.get(to)?.has(path)).toSorted()] : [],
  )
  return Object.fromEntries(found.map((circle) => [circle.join(' ↔ '), circle.length]))
}

/** Migrations only grow, and tests stand beside each other by kind: a file is found there by its name, not by looking. */
const mayBeLong = /^(server\/migrations|tests\/(api|unit|client|contract|e2e|platform))$/
export function folders(files: Files, limit = 15): Found {
  const entries = new Map<string, Set<string>>()
  for (const path of Object.keys(files)) {
    const parts = path.split('/')
    for (const at of parts.keys()) {
      const folder = parts.slice(0, at).join('/')
      entries.set(folder, (entries.get(folder) ?? new Set()).add(parts[at] ?? ''))
    }
  }
  return over(
    limit,
    [...entries].filter(([folder]) => !mayBeLong.test(folder)).map(([folder, names]) => [folder, names.size]),
  )
}

/** Folders more than three below their room. */
export const depth = (files: Files, limit = 3): Found =>
  over(
    limit,
    Object.keys(files).map((path) => [dirname(path), dirname(path).split('/').length - 1]),
  )

export const longFiles = (files: Files, limit = 300): Found =>
  over(
    limit,
    textsOf(files, (path) => product(path) || path.endsWith('.css')).map(([path, text]) => [
      path,
      text.trimEnd().split('\n').length,
    ]),
  )

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const labelOf = (node: Node): string | null => {
  const named = (node.id ?? node.key ?? null) as Node | null
  return named && typeof named.name === 'string' ? named.name : null
}
/** A function's own name, or of what it is inside, as one would say it: `mount`, `mount inside`. */
function nameOf(node: Node, inside: readonly Node[]): string {
  const own = labelOf(node) ?? (inside.at(-1)?.type.match(/Declarator|Property|Method/) ? labelOf(inside.at(-1) as Node) : null)
  if (own) return own
  const outer = inside.findLast((one) => labelOf(one) !== null)
  return `${outer ? labelOf(outer) : 'file'} inside`
}
const functionsOf = (files: Files): { key: string; node: Node; text: string }[] =>
  textsOf(files, product).flatMap(([path, text]) =>
    nodesOf(treeOf(path, text)).flatMap(([node, inside]) =>
      functions.has(node.type) ? [{ key: `${path} ${nameOf(node, inside)}`, node, text }] : [],
    ),
  )
/** Of functions with one name in one file the largest counts. */
const largest = (sizes: readonly (readonly [string, number])[]): (readonly [string, number])[] =>
  sizes.toSorted(([, a], [, b]) => a - b)
export const longFunctions = (files: Files, limit = 80): Found =>
  over(
    limit,
    largest(functionsOf(files).map(({ key, node, text }) => [key, text.slice(node.start, node.end).split('\n').length])),
  )
export const parameters = (files: Files, limit = 4): Found =>
  over(
    limit,
    largest(
      functionsOf(files).map(({ key, node }) => [key, (node.params as Node[]).filter((one) => one.name !== 'this').length]),
    ),
  )

/** Names of exported types that mean different things in different files. */
export function twins(files: Files): Found {
  const names = textsOf(files, product).flatMap(([path, text]) => {
    const declared = (treeOf(path, text).body as Node[])
      .filter((node) => node.type === 'ExportNamedDeclaration' && node.declaration)
      .map((node) => node.declaration as Node)
      .filter((node) => /^(TSTypeAlias|TSInterface|Class|TSEnum)Declaration$/.test(node.type))
      .map((node) => labelOf(node) ?? '')
    return [...new Set(declared)]
  })
  return over(1, Object.entries(count(names)))
}

/** A figure of four digits or more inside a Chinese sentence: if a law says it, it belongs in a dated row and the sentence is filled in. */
export const figures = (files: Files): Found =>
  count(
    textsOf(files, (path) => product(path) && /^(server|src)\//.test(path) && !path.startsWith('server/seed/')).flatMap(
      ([path, text]) =>
        literalsOf(path, text)
          .filter((one) => /[\u4e00-\u9fff]/.test(one.text))
          .flatMap((one) =>
            [...one.text.matchAll(/(?<![\d.,-])(?:\d{1,3}(?:,\d{3})+|\d{4,})(?![\d年-])/g)].map(
              (match) => `${path} says ${match[0]}`,
            ),
          ),
    ),
  )

const partOf = (path: string): string => /^(server\/domain\/[^/]+|[^/]+\/[^/]+(?=\/)|[^/]+)/.exec(path)?.[1] ?? path
/** `x as Y`, counted by room. `as const` asserts nothing. */
export const casts = (files: Files): Found =>
  count(
    textsOf(files, product).flatMap(([path, text]) =>
      nodesOf(treeOf(path, text)).flatMap(([node]) => {
        if (node.type !== 'TSAsExpression') return []
        const type = text.slice((node.typeAnnotation as Node).start, (node.typeAnnotation as Node).end)
        return type === 'const' ? [] : [partOf(path)]
      }),
    ),
  )
