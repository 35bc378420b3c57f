/** Import cycles between files. */
import { type Files, getTexts, isCode, isProduct, listImports, type Match } from './source.ts'

/** Returns each group of files that import each other once, types included. `import()` does not count. */
export function findImportCycles(files: Files): Match {
  const edges = new Map(
    getTexts(files, (path) => isCode(path) && isProduct(path)).map(([path, text]) => [
      path,
      listImports(path, text).filter((to) => to in files),
    ]),
  )
  const reach = (from: string): Set<string> => {
    const viewed = new Set<string>()
    const waiting = [...(edges.get(from) ?? [])]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (viewed.has(at)) continue
      viewed.add(at)
      waiting.push(...(edges.get(at) ?? []))
    }
    return viewed
  }
  const reached = new Map([...edges.keys()].map((path) => [path, reach(path)]))
  const matches = [...reached].flatMap(([path, viewed]) =>
    viewed.has(path) ? [[...viewed].filter((to) => reached.get(to)?.has(path)).toSorted()] : [],
  )
  return Object.fromEntries(matches.map((circle) => [circle.join(' ↔ '), circle.length]))
}
