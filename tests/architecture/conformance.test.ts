/** The tables of conformance and of findings are complete, and name files that exist. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './source.ts'

const page = readFileSync(join(root, 'docs/development/spec-conformance.md'), 'utf8')
const rows = [...page.matchAll(/^\| ((?:\d|C)\.\d+) \| (.+) \| (\w+) \| (.+) \|$/gm)].map(
  ([, id = '', , result = '', reference = '']) => ({
    id,
    result,
    reference,
  }),
)
/** How many rows the audit has in each section. */
const sizes = { 1: 13, 2: 54, 3: 15, 4: 14, 5: 16, 6: 7, 7: 20, 8: 10, 9: 11, C: 18 }

const findPaths = (text: string): string[] => [
  ...[...text.matchAll(/(?<![\w/.])((?:e2e|api|client|unit|contract|platform|architecture)\/[\w./-]+\.test\.tsx?)/g)].map(
    ([, path = '']) => `tests/${path}`,
  ),
  ...[...text.matchAll(/`((?:src|server|platform|build|docs)\/[\w./$-]*)`/g)].map(([, path = '']) => path),
  ...[...text.matchAll(/docs\/[\w./-]+\.md/g)].map(([path]) => path),
]

describe('the table of conformance', () => {
  it('has every row of the audit once', () => {
    const expected = Object.entries(sizes).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, at) => `${section}.${at + 1}`),
    )
    expect(rows.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
  })

  it('states exact or justified, and where it is shown or why', () => {
    for (const { id, result, reference } of rows) {
      expect(['exact', 'justified'], id).toContain(result)
      if (result === 'exact')
        expect(
          findPaths(reference).length + (/`package.json`|`vite.config.ts`|as 3\.13/.test(reference) ? 1 : 0),
          id,
        ).toBeGreaterThan(0)
      else
        expect(reference.replace(/\S+\.(?:test\.tsx?|md)\b/g, '').length + findPaths(reference).length * 20, id).toBeGreaterThan(
          20,
        )
    }
  })

  it('names files that exist', () =>
    expect(
      [...new Set(rows.flatMap(({ reference }) => findPaths(reference)))].filter((path) => !existsSync(join(root, path))),
    ).toEqual([]))
})

describe('the table of findings', () => {
  const findings = readFileSync(join(root, 'docs/development/findings.md'), 'utf8')
  const findingRows = findings.split('\n').filter((row) => /^\| (?!id |---)/.test(row))

  it('has every finding once, with its state', () => {
    const ids = findingRows.map((row) => row.split(' | ')[0])
    expect(findingRows.length).toBeGreaterThan(100)
    expect(new Set(ids).size).toBe(ids.length)
    for (const row of findingRows) expect(row).toMatch(/ \| (closed|open|kept) \| /)
  })

  it('names for every closed one the file that shows it, and only files that exist', () => {
    for (const row of findingRows.filter((one) => one.includes(' | closed | ')))
      expect(findPaths(row).length + (/\b[\da-f]{9}\b/.test(row) ? 1 : 0), row).toBeGreaterThan(0)
    expect(findPaths(findings).filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
