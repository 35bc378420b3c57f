/** Rosters of every layout, generated from seeds so that no rule can know them. */
import { describe, expect, it } from 'vitest'
import { recognizeRoster } from '../../../server/spreadsheets/profiles/roster/roster.ts'
import { grid } from '../../support/files/grid.ts'
import { rosterLayout } from '../../support/sheets/roster/layouts.ts'

const layouts = 300
/** Each test takes a sample of seeds; the first failure names its seed. */
describe('rosters of every layout', () => {
  it.each(Array.from({ length: 12 }, (_, part) => part))('reads every roster of part %i', (part) => {
    for (let seed = part; seed < layouts; seed += 12) {
      const { what, rows, merges, truth } = rosterLayout(seed)
      const { columns, bad, ...read } = recognizeRoster([grid(rows, { merges })])
      const byRole: Record<string, string[]> = {}
      for (const { role, letter } of columns.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0)))
        if (role in truth.columns) byRole[role] = [...(byRole[role] ?? []), letter]
      const { rows: messages, ...rest } = truth
      expect({ ...read, columns: byRole, bad: bad.map(({ row, column }) => `${row} ${column}`).toSorted() }, what).toEqual({
        ...rest,
        kind: 'roster',
        sheet: 'Sheet1',
        people: messages.length,
        sheets: [{ name: 'Sheet1', member_count: messages.length, is_included: true, excluded_reason: null }],
        rows: messages,
        bad: truth.bad.toSorted(),
        entries_lost: 0,
      })
    }
  })
})
