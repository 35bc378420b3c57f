/** What was built is used only while nothing that it was built from is younger. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isFresh } from '../../server/runtime/fresh.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'xinhan-fresh-'))
})
afterEach(() => rmSync(root, { recursive: true }))
function put(path: string, at_s: number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), '')
  utimesSync(join(root, path), at_s, at_s)
}

describe('what was built', () => {
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
    expect(isFresh(root, 'out/a.mjs', ['rules', 'lock.json'])).toBe(fresh)
  })
})
