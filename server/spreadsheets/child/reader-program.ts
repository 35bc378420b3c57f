/** Which program opens files: the one that lay there when this server was started, and no other for as long as it runs. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UnreadableSheetError, unreadableMessages } from '../read/unreadable-error.ts'
import { getNewestMtime, getReaderFolder, isUpToDate, readerProgramPath, readerSources } from './build-freshness.ts'

export interface ReaderProgram {
  /** Below the root. */
  readonly entry: string
  /** It may read this and nothing else: nothing of the company's, nothing to write, no environment. */
  readonly readable: readonly string[]
  /**
   * The server reads the answers of this program alone: what another release's means by the same place in a line is not known here. Throws
   * `UnreadableSheetError` where the program is gone, or its sources are others by now.
   */
  assertUnchanged(): void
}

/**
 * Its code where it was built since it changed, in a folder that no later build touches; else its sources and what they use: the same program,
 * slower to begin.
 */
export function resolveReaderProgram(root: string): ReaderProgram {
  if (!isUpToDate(root, readerProgramPath, readerSources)) return createSourceProgram(root)
  const folder = getReaderFolder(readFileSync(join(root, readerProgramPath), 'utf8').trim())
  const entry = `${folder}/child.mjs`
  return existsSync(join(root, entry))
    ? { entry, readable: [`${folder}/`], assertUnchanged: () => assertSameProgram(existsSync(join(root, entry))) }
    : createSourceProgram(root)
}

function createSourceProgram(root: string): ReaderProgram {
  const age = (): number => Math.max(...readerSources.map((path) => getNewestMtime(join(root, path))))
  const started = age()
  return {
    entry: 'server/spreadsheets/child/child.ts',
    readable: [
      'server/spreadsheets/',
      'server/contract/',
      'server/rules/',
      'server/files/xlsx-writer.ts',
      'server/files/zip-writer.ts',
      'node_modules/papaparse/',
      'package.json',
    ],
    assertUnchanged: () => assertSameProgram(age() === started),
  }
}

function assertSameProgram(isAsStarted: boolean): void {
  if (!isAsStarted) throw new UnreadableSheetError(unreadableMessages.renewed)
}
