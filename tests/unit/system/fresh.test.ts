/** Build output is used only while its sources have the content from which it was built. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  getReaderFolder,
  hashSources,
  isUpToDate,
  readerProgramPath,
  readerSources,
} from '../../../server/shared/build-output.ts'
import { resolveReaderProgram } from '../../../server/spreadsheets/child/reader-program.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'xinhan-fresh-'))
})
afterEach(() => rmSync(root, { recursive: true }))
function put(path: string, at_s: number, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  utimesSync(join(root, path), at_s, at_s)
}

describe('build output', () => {
  const sources = ['rules', 'lock.json']
  const writeSources = (): void => {
    put('rules/one.ts', 20, 'one')
    put('rules/deep/two.ts', 20, 'two')
    put('lock.json', 20, '{}')
    put('out/digest', 10, `${hashSources(root, sources)}\n`)
  }
  const table: [what: string, change: () => void, fresh: boolean][] = [
    ['is older than its sources, as after a checkout', () => undefined, true],
    ['was built from a file of other content', () => put('rules/one.ts', 5, 'other'), false],
    ['was built from a file of other content in a folder in a folder', () => put('rules/deep/two.ts', 5, 'other'), false],
    ['was built from another lock file', () => put('lock.json', 5, '{ }'), false],
    ['was built with a source more', () => rmSync(join(root, 'rules/one.ts')), false],
    ['was built with a source less', () => put('rules/three.ts', 5), false],
    ['is missing', () => rmSync(join(root, 'out/digest')), false],
  ]
  it.each(table)('%s', (_, change, fresh) => {
    writeSources()
    change()
    expect(isUpToDate(root, 'out/digest', sources)).toBe(fresh)
  })
})

describe('spreadsheet reader program', () => {
  const release = (text: string, at_s: number): string => {
    put('server/spreadsheets/one.ts', at_s, text)
    const name = hashSources(root, readerSources)
    put(`${getReaderFolder(name)}/child.mjs`, at_s + 1)
    put(readerProgramPath, at_s + 1, name)
    return name
  }

  it('keeps the reader program of the running server when another release is built', () => {
    const before = release('before', 10)
    const program = resolveReaderProgram(root)
    const after = release('after', 20)
    expect(program.entry).toBe(`.cache/reader/${before}/child.mjs`)
    expect(program.readable).toEqual([`.cache/reader/${before}/`])
    expect(program.assertUnchanged).not.toThrow()
    expect(resolveReaderProgram(root).entry).toBe(`.cache/reader/${after}/child.mjs`)
  })

  it('does not start a removed reader program, and asks to restart the server', () => {
    const name = release('before', 10)
    const { assertUnchanged } = resolveReaderProgram(root)
    rmSync(join(root, getReaderFolder(name)), { recursive: true })
    expect(assertUnchanged).toThrow('请联系系统管理员重启服务后重试')
  })

  it('is the sources where no build of them exists, as long as they do not change', () => {
    release('before', 10)
    put('server/spreadsheets/one.ts', 30, 'after')
    const { entry, assertUnchanged } = resolveReaderProgram(root)
    expect(entry).toBe('server/spreadsheets/child/child.ts')
    expect(assertUnchanged).not.toThrow()
    // After a checkout, an older release has older files.
    put('server/spreadsheets/one.ts', 5)
    expect(assertUnchanged).toThrow('请联系系统管理员重启服务后重试')
  })

  it('names the reader program by the content of its sources, not by their time', () => {
    put('rules/one.ts', 10, 'a')
    const name = hashSources(root, ['rules'])
    put('rules/one.ts', 99, 'a')
    expect(hashSources(root, ['rules', 'nowhere'])).toBe(name)
    put('rules/one.ts', 99, 'b')
    expect(hashSources(root, ['rules'])).not.toBe(name)
  })
})
