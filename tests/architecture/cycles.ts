/** Import cycles between files. */
import { type Files, type Found, isCode, isProduct, needs, textsOf } from './source.ts'

/** Returns each group of files that import each other at run time, once. Type imports and `import()` do not count. */
export function findImportCycles(files: Files): Found {
  const edges = new Map(
    textsOf(files, (path) => isCode(path) && isProduct(path)).map(([path, text]) => [
      path,
      needs(path, text).filter((to) => to in files),
    ]),
  )
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
