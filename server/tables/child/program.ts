/** Which program opens files: the one that lay there when this server was started, and no other for as long as it runs. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtChild, childFolder, childSources, isFresh, newestIn } from '../../runtime/process/fresh.ts'
import { SheetUnreadable, sentences } from '../read/unreadable.ts'

export interface Program {
  /** Below the root. */
  readonly entry: string
  /** It may read this and nothing else: nothing of the company's, nothing to write, no environment. */
  readonly readable: readonly string[]
  /**
   * The server reads the answers of this program alone: what another release's means by the same place in a line is not known here. Throws
   * `SheetUnreadable` where the program is gone, or its sources are others by now.
   */
  mustBeAsStarted(): void
}

/**
 * Its code where it was built since it changed, in a folder that no later build touches; else its sources and what they use: the same program,
 * slower to begin.
 */
export function programAt(root: string): Program {
  if (!isFresh(root, builtChild, childSources)) return ofSources(root)
  const folder = childFolder(readFileSync(join(root, builtChild), 'utf8').trim())
  const entry = `${folder}/child.mjs`
  return existsSync(join(root, entry))
    ? { entry, readable: [`${folder}/`], mustBeAsStarted: () => must(existsSync(join(root, entry))) }
    : ofSources(root)
}

function ofSources(root: string): Program {
  const age = (): number => Math.max(...childSources.map((path) => newestIn(join(root, path))))
  const started = age()
  return {
    entry: 'server/tables/child/child.ts',
    readable: [
      'server/tables/',
      'server/contract/',
      'server/rules/',
      'server/runtime/files/xlsx.ts',
      'server/runtime/files/zip.ts',
      'node_modules/papaparse/',
      'package.json',
    ],
    mustBeAsStarted: () => must(age() === started),
  }
}

function must(isAsStarted: boolean): void {
  if (!isAsStarted) throw new SheetUnreadable(sentences.renewed)
}
