/** Determines the program that opens files: the one present when this server started, and no other while it runs. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getReaderFolder, isUpToDate, readerProgramPath, readerSources } from '../../shared/build-output.ts'
import { UnreadableSheetError, unreadableMessages } from '../read/unreadable-error.ts'

export interface ReaderProgram {
  /** Relative to the root. */
  readonly entry: string
  /** The only paths the child may read: no company data, no writing, no environment. */
  readonly readable: readonly string[]
  /**
   * The server understands the responses of this program only: another release may use the same position in a line
   * differently. Throws `UnreadableSheetError` if the program is gone or its sources have changed.
   */
  assertUnchanged(): void
}

/** Returns the built program if up to date, in a folder no later build touches; otherwise its slower-starting sources. */
export function resolveReaderProgram(root: string): ReaderProgram {
  if (!isUpToDate(root, readerProgramPath, readerSources)) return createSourceProgram(root)
  const folder = getReaderFolder(readFileSync(join(root, readerProgramPath), 'utf8').trim())
  const entry = `${folder}/child.mjs`
  return existsSync(join(root, entry))
    ? { entry, readable: [`${folder}/`], assertUnchanged: () => assertSameProgram(existsSync(join(root, entry))) }
    : createSourceProgram(root)
}

const getNewestMtime = (path: string): number =>
  !existsSync(path)
    ? 0
    : statSync(path).isDirectory()
      ? Math.max(0, ...readdirSync(path).map((name) => getNewestMtime(join(path, name))))
      : statSync(path).mtimeMs

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
