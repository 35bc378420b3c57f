/** Who is new, missing or paid very differently, compared with the previous pay run. */
import { expect, it } from 'vitest'
import type { Issue } from '../../../server/contract/sheets/sheet.ts'
import { MemberAmounts, summaryItems } from '../../../server/modules/sheets/rules/check/member-amounts.ts'
import { compareWithPreviousRun } from '../../../server/modules/sheets/rules/check/previous-run.ts'
import type { CheckedRow } from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import { staff } from '../../support/check.ts'

const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六', '郑七', '王八']
const members = staff(names)
const getId = (name: string): string => members.find((member) => member.name === name)?.id ?? ''
const getRow = (row: number, name: string, net_fen: number, more: Partial<CheckedRow> = {}): CheckedRow => ({
  row,
  name,
  member_id: getId(name),
  skipped: false,
  matchedByNameOnly: false,
  differsFromRoster: false,
  swapRank: 0,
  net_fen,
  gross_fen: null,
  tax_fen: null,
  ...more,
})
function getRun(pay: Readonly<Record<string, number>>, item: string = summaryItems.net) {
  const amounts = new MemberAmounts()
  const positions = amounts.addItems([item])
  for (const [name, fen] of Object.entries(pay)) amounts.add(getId(name), positions, [fen])
  return { title: '九月', month: '2026-09', people: 1, gross_fen: null, tax_fen: null, net_fen: null, amounts }
}
const openIssue = (row: number, candidates: readonly string[]): Issue => ({
  id: `${row}:several_persons:`,
  row,
  name: '',
  column: null,
  level: 'error',
  kind: 'several_persons',
  message: '',
  fix: ['match'],
  candidates: candidates.map((name) => ({ member_id: getId(name), name, mobile_masked: '', departments: '' })),
})

it('does not call members missing while a row that may be theirs is open', () => {
  const run = getRun({ 赵一: 1, 钱二: 1, 孙三: 1, 李四: 1, 周五: 1 })
  const rows = [
    getRow(2, '赵一', 1),
    getRow(3, '钱 二', 1, { member_id: null, name: '钱二' }),
    getRow(4, '某人', 1, { member_id: null }),
    // Skipped on purpose: this member receives nothing.
    getRow(5, '李四', 1, { member_id: null, skipped: true }),
  ]
  const { missing } = compareWithPreviousRun({ rows, issues: [openIssue(4, ['孙三']), openIssue(5, ['李四'])] }, members, run)
  expect(missing.map(({ name }) => name)).toEqual(['李四', '周五'])
})

it('lists the five largest changes of net pay, largest first', () => {
  const run = getRun(Object.fromEntries(names.map((name) => [name, 100_000])))
  const nets = [100_000, 130_000, 60_000, 100_001, 0, 190_000, 110_000, 80_000]
  const rows = names.map((name, at) => getRow(at + 2, name, nets[at] ?? 0, name === '吴六' ? { skipped: true } : {}))
  expect(
    compareWithPreviousRun({ rows, issues: [] }, members, run).largest_changes.map(({ name, net_fen }) => [name, net_fen]),
  ).toEqual([
    ['周五', 0],
    ['孙三', 60_000],
    ['钱二', 130_000],
    ['王八', 80_000],
    ['郑七', 110_000],
  ])
})

it('lists no changes where the earlier pay run has no net pay, or the member is out of scope', () => {
  const rows = [getRow(2, '赵一', 5)]
  expect(compareWithPreviousRun({ rows, issues: [] }, members, getRun({ 赵一: 1 }, summaryItems.gross)).largest_changes).toEqual(
    [],
  )
  const hidden = members.map((member) => ({ ...member, in_scope: false }))
  expect(compareWithPreviousRun({ rows, issues: [] }, hidden, getRun({ 赵一: 1 })).largest_changes).toEqual([])
})
