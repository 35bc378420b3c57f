/** Whether something that was built is younger than all that it was built from. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const newestIn = (path: string): number =>
  !existsSync(path)
    ? 0
    : statSync(path).isDirectory()
      ? Math.max(0, ...readdirSync(path).map((name) => newestIn(join(path, name))))
      : statSync(path).mtimeMs

/** Paths of files and folders, from `root` on. What is not there was never built. */
export function isFresh(root: string, built: string, sources: readonly string[]): boolean {
  const there = join(root, built)
  return existsSync(there) && Math.max(...sources.map((path) => newestIn(join(root, path)))) <= statSync(there).mtimeMs
}
