/** Build output is used only while none of its sources is newer. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  getReaderFolder,
  hashSources,
  isUpToDate,
  readerProgramPath,
} from '../../../server/spreadsheets/child/build-freshness.ts'
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
  const table: [what: string, times: Record<string, number>, fresh: boolean][] = [
    ['is younger than every source', { 'out/a.mjs': 30, 'rules/one.ts': 20, 'rules/deep/two.ts': 29, 'lock.json': 10 }, true],
    ['is as old as the youngest: of one checkout', { 'out/a.mjs': 30, 'rules/one.ts': 30, 'lock.json': 30 }, true],
    ['is older than a file of a folder in a folder', { 'out/a.mjs': 30, 'rules/deep/two.ts': 31, 'lock.json': 10 }, false],
    ['is older than a file that is named itself', { 'out/a.mjs': 30, 'rules/one.ts': 20, 'lock.json': 31 }, false],
    ['is not there', { 'rules/one.ts': 20 }, false],
    ['has lost a source: nothing there is younger', { 'out/a.mjs': 30, 'lock.json': 10 }, true],
  ]
  it.each(table)('%s', (_, times, fresh) => {
    for (const [path, at] of Object.entries(times)) put(path, at)
    expect(isUpToDate(root, 'out/a.mjs', ['rules', 'lock.json'])).toBe(fresh)
  })
})

describe('spreadsheet reader program', () => {
  const released = (name: string, at_s: number): void => {
    put('server/spreadsheets/one.ts', at_s, name)
    put(`${getReaderFolder(name)}/child.mjs`, at_s + 1)
    put(readerProgramPath, at_s + 1, name)
  }

  it('stays the one that the server was started with when another release is built', () => {
    released('before', 10)
    const program = resolveReaderProgram(root)
    released('after', 20)
    expect(program.entry).toBe('.cache/reader/before/child.mjs')
    expect(program.readable).toEqual(['.cache/reader/before/'])
    expect(program.assertUnchanged).not.toThrow()
    expect(resolveReaderProgram(root).entry).toBe('.cache/reader/after/child.mjs')
  })

  it('is not started after its removal: the upload fails with a request to restart the server', () => {
    released('before', 10)
    const { assertUnchanged } = resolveReaderProgram(root)
    rmSync(join(root, getReaderFolder('before')), { recursive: true })
    expect(assertUnchanged).toThrow('请联系系统管理员重启服务后重试')
  })

  it('is the sources where no newer build exists, as long as they do not change', () => {
    released('before', 10)
    put('server/spreadsheets/one.ts', 30)
    const { entry, assertUnchanged } = resolveReaderProgram(root)
    expect(entry).toBe('server/spreadsheets/child/child.ts')
    expect(assertUnchanged).not.toThrow()
    // After a checkout an older release has older files.
    put('server/spreadsheets/one.ts', 5)
    expect(assertUnchanged).toThrow('请联系系统管理员重启服务后重试')
  })

  it('is named by the content of its sources, not by their time', () => {
    put('rules/one.ts', 10, 'a')
    const name = hashSources(root, ['rules'])
    put('rules/one.ts', 99, 'a')
    expect(hashSources(root, ['rules', 'nowhere'])).toBe(name)
    put('rules/one.ts', 99, 'b')
    expect(hashSources(root, ['rules'])).not.toBe(name)
  })
})
