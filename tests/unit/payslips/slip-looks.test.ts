/** Which recipients an administrator must review before a plan is sent. */
import { describe, expect, it } from 'vitest'
import { maxRowsToCheckAll, type SpotCheckRow, selectSpotChecks } from '../../../server/modules/payslips/rules/spot-checks.ts'

const row = (at: number, options: Partial<SpotCheckRow> = {}): SpotCheckRow => ({
  row: at,
  net_fen: 600_000 + at,
  wasPaidBefore: true,
  isUnproven: false,
  matchedByNameOnly: false,
  differsFromRoster: false,
  swapRank: 0,
  positions: [],
  ...options,
})
const rows = (from: number, to: number, options: Partial<SpotCheckRow> = {}): SpotCheckRow[] =>
  Array.from({ length: to - from + 1 }, (_, at) => row(from + at, options))
/** Only the reviews with a specific reason; of a small sheet the others are included in the result, too. */
const notify = (all: readonly SpotCheckRow[]) =>
  selectSpotChecks(all).flatMap(({ row: at, reason }) => (reason === 'everybody' ? [] : [`${at} ${reason}`]))
const fresh = { wasPaidBefore: false }

describe('recipients to review before sending', () => {
  it.each<[string, SpotCheckRow[], string[]]>([
    ['nobody if last month confirms every row', rows(2, 20), []],
    ['half of the members are new, the others confirmed by last month', [...rows(2, 11), ...rows(12, 21, fresh)], []],
    [
      'a first sheet: the last member and those paid unlike the others',
      rows(2, 20, fresh).map((one) => (one.row === 7 ? { ...one, net_fen: 9 } : one)),
      ['2 unusual', '7 unusual', '20 last'],
    ],
    [
      'two swapped members, each paid unlike those with the same work, though others have similar amounts',
      rows(2, 20, fresh).map((one) => ({
        ...one,
        positions: [one.row % 2 ? '班长' : '操作工', '生产部'],
        net_fen: (one.row % 2) - Number(one.row === 6 || one.row === 9) * (one.row === 9 ? 1 : -1) ? 900_000 : 600_000,
      })),
      ['6 unusual', '9 unusual', '20 last'],
    ],
    [
      'members with no or negative pay before highly paid ones',
      rows(2, 20, fresh).map((one) =>
        one.row === 7 ? { ...one, net_fen: -9 } : one.row === 8 ? { ...one, net_fen: 9_000_000 } : one,
      ),
      ['7 unusual', '8 unusual', '20 last'],
    ],
    [
      'members behind a gap',
      [...rows(2, 9, fresh), ...rows(12, 20, fresh)].map((one) => (one.row === 5 ? { ...one, net_fen: 9 } : one)),
      ['5 unusual', '12 gap', '20 last'],
    ],
    ['mostly new members', [...rows(2, 6), ...rows(7, 20, fresh)], ['2 unusual', '11 middle', '20 last']],
    ['a single member', rows(2, 2, fresh), ['2 last']],
    [
      'two members that nothing confirms, and the last',
      [...rows(2, 4), row(5, { isUnproven: true }), row(6), row(7, { isUnproven: true }), row(8)],
      ['5 unproven', '7 unproven', '8 last'],
    ],
    [
      'one new member matched by name only, while last month confirms the others',
      [...rows(2, 8), row(9, { ...fresh, matchedByNameOnly: true })],
      ['9 name_only'],
    ],
    [
      'many new members matched by name only: the first, the middle and the last of them',
      [...rows(2, 20), ...rows(21, 30, { ...fresh, matchedByNameOnly: true })],
      ['21 name_only', '26 name_only', '30 name_only'],
    ],
    [
      'a first sheet with names only: one of them, the last and the unusual',
      rows(2, 20, { ...fresh, matchedByNameOnly: true }).map((one) => (one.row === 7 ? { ...one, net_fen: 9 } : one)),
      ['2 name_only', '7 unusual', '20 last'],
    ],
    [
      'a first sheet with one member in another department, who is reviewed',
      [...rows(2, 10, fresh), row(11, { ...fresh, differsFromRoster: true }), ...rows(12, 20, fresh)].map((one) =>
        one.row === 7 ? { ...one, net_fen: 9 } : one,
      ),
      ['7 unusual', '11 differs', '20 last'],
    ],
    [
      'one member moved to another department, and two with exchanged values: one of these',
      [
        ...rows(2, 10, fresh),
        row(11, { ...fresh, differsFromRoster: true }),
        row(12, { ...fresh, differsFromRoster: true, swapRank: 1 }),
        ...rows(13, 20, fresh),
      ].map((one) => (one.row === 7 ? { ...one, net_fen: 9 } : one)),
      ['7 unusual', '12 differs', '20 last'],
    ],
    [
      'a low amount among usual ones, and an amount far above all others',
      rows(2, 20, fresh).map((one) => ({
        ...one,
        positions: [one.row % 2 ? '班长' : '操作工', '生产部'],
        net_fen: one.row === 5 ? 9_000_000 : one.row === 8 || (one.row % 2 && one.row !== 9) ? 900_000 : 600_000,
      })),
      ['5 unusual', '8 unusual', '20 last'],
    ],
    [
      'both kinds: one of each, and the last',
      [
        ...rows(2, 10, { ...fresh, matchedByNameOnly: true }),
        row(11, { ...fresh, differsFromRoster: true, matchedByNameOnly: true }),
        ...rows(12, 20, fresh),
      ],
      ['2 name_only', '11 differs', '20 last'],
    ],
    [
      'two swapped members before outliers',
      [
        row(2, { isUnproven: true }),
        ...rows(3, 8),
        row(9, { isUnproven: true, swapRank: 1 }),
        ...rows(10, 14),
        row(15, { isUnproven: true, swapRank: 2 }),
        ...rows(16, 20, { isUnproven: true }),
      ],
      ['2 unproven', '9 unproven', '15 unproven'],
    ],
    [
      'the likeliest of several pairs',
      [5, 8, 3, 2, 7, 4].map((exchanged, at) => row(at + 2, { isUnproven: true, swapRank: exchanged })),
      ['4 unproven', '5 unproven', '7 unproven'],
    ],
    [
      'unconfirmed members before those matched by name only',
      [row(2, { isUnproven: true }), ...rows(3, 8), row(9, { ...fresh, matchedByNameOnly: true }), row(10, { isUnproven: true })],
      ['2 unproven', '9 name_only', '10 unproven'],
    ],
    ['many unconfirmed members', rows(2, 20, { isUnproven: true }), ['2 unproven', '11 unproven', '20 unproven']],
  ])('%s', (_, all, expected) => expect(notify(all)).toEqual(expected))

  it.each<[string, SpotCheckRow[], number]>([
    ['a small first sheet: all members', rows(2, maxRowsToCheckAll + 1, fresh), maxRowsToCheckAll],
    ['one member more than a small sheet: three', rows(2, maxRowsToCheckAll + 2, fresh), 3],
    ['mostly new members: all members', [...rows(2, 9), ...rows(10, 20, fresh)], 19],
    ['half confirmed by last month: only the others', [...rows(2, 10), row(11, { isUnproven: true })], 3],
    ['no new members: nobody', rows(2, 20), 0],
  ])('%s', (_, all, count) => {
    const views = selectSpotChecks(all)
    expect(views).toHaveLength(count)
    // Each recipient occurs once, in the order of the sheet.
    expect(views.map((one) => one.row)).toEqual([...new Set(views.map((one) => one.row))].toSorted((a, b) => a - b))
  })
})
