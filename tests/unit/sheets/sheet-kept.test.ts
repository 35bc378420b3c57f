/** A stored check: its form in chunks, and the version of the rules that produced it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { computeSourceVersion, versionedFolders } from '../../../server/modules/sheets/check/check-key.ts'
import type { CheckedRow } from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import { type CheckOutcome, packOutcome, unpackOutcome } from '../../../server/modules/sheets/rules/outcome.ts'
import { needs, readSources } from '../../architecture/source.ts'

const getRow = (at: number): CheckedRow => ({
  row: at + 2,
  name: `员工${at}`,
  member_id: at % 7 === 0 ? null : `m${at}`,
  skipped: at % 5 === 0,
  matchedByNameOnly: at % 3 === 0,
  differsFromRoster: at % 11 === 0,
  swapRank: at % 13 === 0 ? at : 0,
  net_fen: at % 4 === 0 ? null : at * 100,
  gross_fen: at,
  tax_fen: null,
})
function getOutcome(rows: number, problems: number): CheckOutcome {
  const all = Array.from({ length: rows }, (_, at) => getRow(at))
  return {
    checked: {
      rows: all,
      issues: Array.from({ length: problems }, (_, at) => ({
        id: `${at}:not_a_number:c1`,
        row: at,
        name: '',
        column: 'c1',
        level: at % 2 ? 'error' : 'warning',
        kind: 'not_a_number',
        message: '「实发」不是数字',
        fix: ['edit'],
        candidates: [],
        ...(at % 3 === 0 && { expected_fen: at }),
      })),
      totals: { people: rows, gross_fen: 1, tax_fen: null, net_fen: -2 },
      skipped: 3,
      unproven: [4, 5],
    },
    last: rows % 2 ? { title: '工资', month: '2026-09', people: 1, gross_fen: null, tax_fen: 0, net_fen: 7 } : null,
    paidBefore: new Set(all.filter(({ row }) => row % 2).map(({ row }) => row)),
    joined: [{ name: '新' }],
    missing: [{ member_id: 'm1', name: '缺' }],
    largest_changes: [{ row: 4, name: '变', net_fen: 3, previous_net_fen: 1 }],
    comparison_others: null,
    same_file: { title: '工资', month: '', by: 'content' },
    content: 'a-b',
  }
}

describe('chunks of a stored check', () => {
  it.each([
    [0, 0],
    [1, 0],
    [3, 2],
    [2_000, 2_001],
    [4_500, 6],
  ])('restores %i rows and %i issues from chunks', (rows, problems) => {
    const outcome = getOutcome(rows, problems)
    const segments: Parameters<typeof unpackOutcome>[0] = [...packOutcome(outcome)].map((piece) =>
      JSON.parse(JSON.stringify(piece)),
    )
    expect(unpackOutcome(segments)).toEqual(outcome)
    expect(segments.every((piece) => (piece.rows ?? piece.problems ?? []).length <= 2_000)).toBe(true)
    // With one chunk missing there is no result: an incomplete check is computed again.
    for (const at of segments.keys()) expect(unpackOutcome(segments.toSpliced(at, 1))).toBe(null)
  })
})

describe('version of the rules', () => {
  it('changes the version of the rules with a file of the rules', () => {
    const folder = mkdtempSync(join(tmpdir(), 'xinhan-rules-'))
    try {
      mkdirSync(join(folder, 'law'))
      writeFileSync(join(folder, 'law/tables.ts'), 'export const basic = 5000')
      writeFileSync(join(folder, 'readme.md'), 'one')
      const before = computeSourceVersion([folder])
      writeFileSync(join(folder, 'readme.md'), 'other')
      expect(computeSourceVersion([folder])).toBe(before)
      writeFileSync(join(folder, 'law/tables.ts'), 'export const basic = 6000')
      const after = computeSourceVersion([folder])
      expect(after).not.toBe(before)
      writeFileSync(join(folder, 'law/more.ts'), '')
      expect(computeSourceVersion([folder])).not.toBe(after)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('covers every file that the check depends on, except technical infrastructure', () => {
    const files = readSources()
    const viewed = new Set<string>()
    const waiting = ['server/modules/sheets/check/stored-check.ts']
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (viewed.has(path) || /^server\/(crypto|database|files|http|jobs|observability|outbox|shared)\//.test(path)) continue
      viewed.add(path)
      waiting.push(...needs(path, files[path] ?? '').filter((to) => to in files))
    }
    expect(viewed.size).toBeGreaterThan(40)
    expect([...viewed].filter((path) => !versionedFolders.some((folder) => path.startsWith(`${folder}/`)))).toEqual([])
  })
})
