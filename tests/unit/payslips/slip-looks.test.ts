/** Which recipients an administrator must look at before a plan is sent. */
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
/** Only the looks with a specific reason; of a small sheet the others are included in the result, too. */
const notify = (all: readonly SpotCheckRow[]) =>
  selectSpotChecks(all).flatMap(({ row: at, reason }) => (reason === 'everybody' ? [] : [`${at} ${reason}`]))
const fresh = { wasPaidBefore: false }

describe('recipients to look at before sending', () => {
  it.each<[string, SpotCheckRow[], string[]]>([
    ['last month tells: nobody', rows(2, 20), []],
    ['half of them new, the others tell', [...rows(2, 11), ...rows(12, 21, fresh)], []],
    [
      'a first sheet: the last, and those paid unlike the others',
      rows(2, 20, fresh).map((one) => (one.row === 7 ? { ...one, net_fen: 9 } : one)),
      ['2 unusual', '7 unusual', '20 last'],
    ],
    [
      'two who changed places: each is paid unlike those who do the same, though others of the sheet have as much',
      rows(2, 20, fresh).map((one) => ({
        ...one,
        positions: [one.row % 2 ? '班长' : '操作工', '生产部'],
        net_fen: (one.row % 2) - Number(one.row === 6 || one.row === 9) * (one.row === 9 ? 1 : -1) ? 900_000 : 600_000,
      })),
      ['6 unusual', '9 unusual', '20 last'],
    ],
    [
      'whoever gets nothing, or less, before who gets much',
      rows(2, 20, fresh).map((one) =>
        one.row === 7 ? { ...one, net_fen: -9 } : one.row === 8 ? { ...one, net_fen: 9_000_000 } : one,
      ),
      ['7 unusual', '8 unusual', '20 last'],
    ],
    [
      'behind a gap',
      [...rows(2, 9, fresh), ...rows(12, 20, fresh)].map((one) => (one.row === 5 ? { ...one, net_fen: 9 } : one)),
      ['5 unusual', '12 gap', '20 last'],
    ],
    ['mostly new people', [...rows(2, 6), ...rows(7, 20, fresh)], ['2 unusual', '11 middle', '20 last']],
    ['one person', rows(2, 2, fresh), ['2 last']],
    [
      'two of whom it cannot be told, and the last',
      [...rows(2, 4), row(5, { isUnproven: true }), row(6), row(7, { isUnproven: true }), row(8)],
      ['5 unproven', '7 unproven', '8 last'],
    ],
    [
      'last month tells, and one new came by his name alone',
      [...rows(2, 8), row(9, { ...fresh, matchedByNameOnly: true })],
      ['9 name_only'],
    ],
    [
      'last month tells, and many new came by their names alone: the first, the middle and the last of them',
      [...rows(2, 20), ...rows(21, 30, { ...fresh, matchedByNameOnly: true })],
      ['21 name_only', '26 name_only', '30 name_only'],
    ],
    [
      'a first sheet of names alone: one of them, the last and the unusual',
      rows(2, 20, { ...fresh, matchedByNameOnly: true }).map((one) => (one.row === 7 ? { ...one, net_fen: 9 } : one)),
      ['2 name_only', '7 unusual', '20 last'],
    ],
    [
      'a first sheet in which one is in another department: he is looked at',
      [...rows(2, 10, fresh), row(11, { ...fresh, differsFromRoster: true }), ...rows(12, 20, fresh)].map((one) =>
        one.row === 7 ? { ...one, net_fen: 9 } : one,
      ),
      ['7 unusual', '11 differs', '20 last'],
    ],
    [
      'one moved to another department, and two have what is each other’s: one of these',
      [
        ...rows(2, 10, fresh),
        row(11, { ...fresh, differsFromRoster: true }),
        row(12, { ...fresh, differsFromRoster: true, swapRank: 1 }),
        ...rows(13, 20, fresh),
      ].map((one) => (one.row === 7 ? { ...one, net_fen: 9 } : one)),
      ['7 unusual', '12 differs', '20 last'],
    ],
    [
      'somebody paid little where much is usual, beside one who is paid so much that nobody is paid like him',
      rows(2, 20, fresh).map((one) => ({
        ...one,
        positions: [one.row % 2 ? '班长' : '操作工', '生产部'],
        net_fen: one.row === 5 ? 9_000_000 : one.row === 8 || (one.row % 2 && one.row !== 9) ? 900_000 : 600_000,
      })),
      ['5 unusual', '8 unusual', '20 last'],
    ],
    [
      'both: one of each, and the last',
      [
        ...rows(2, 10, { ...fresh, matchedByNameOnly: true }),
        row(11, { ...fresh, differsFromRoster: true, matchedByNameOnly: true }),
        ...rows(12, 20, fresh),
      ],
      ['2 name_only', '11 differs', '20 last'],
    ],
    [
      'two who changed places come before those who are only far off',
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
      'of several pairs the likeliest',
      [5, 8, 3, 2, 7, 4].map((exchanged, at) => row(at + 2, { isUnproven: true, swapRank: exchanged })),
      ['4 unproven', '5 unproven', '7 unproven'],
    ],
    [
      'of whom it cannot be told comes before whom only his name found',
      [row(2, { isUnproven: true }), ...rows(3, 8), row(9, { ...fresh, matchedByNameOnly: true }), row(10, { isUnproven: true })],
      ['2 unproven', '9 name_only', '10 unproven'],
    ],
    ['many of whom it cannot be told', rows(2, 20, { isUnproven: true }), ['2 unproven', '11 unproven', '20 unproven']],
  ])('%s', (_, all, expected) => expect(notify(all)).toEqual(expected))

  it.each<[string, SpotCheckRow[], number]>([
    ['a small first sheet: everybody', rows(2, maxRowsToCheckAll + 1, fresh), maxRowsToCheckAll],
    ['one more than that: three', rows(2, maxRowsToCheckAll + 2, fresh), 3],
    ['mostly new people: everybody', [...rows(2, 9), ...rows(10, 20, fresh)], 19],
    ['last month tells of half of them: only of whom it does not', [...rows(2, 10), row(11, { isUnproven: true })], 3],
    ['nobody is new: nobody', rows(2, 20), 0],
  ])('%s', (_, all, count) => {
    const views = selectSpotChecks(all)
    expect(views).toHaveLength(count)
    // Each once, in the order of the sheet, which is shown beside them.
    expect(views.map((one) => one.row)).toEqual([...new Set(views.map((one) => one.row))].toSorted((a, b) => a - b))
  })
})
