/** Moving columns and groups of a payslip layout, and how templates are described. */
import { describe, expect, it } from 'vitest'
import {
  getGroupPosition,
  getMoveDirection,
  getUnusedGroupName,
  type LayoutItem,
  moveItem,
  moveItemByOne,
} from '../../src/features/sheets/arrange/arrange.ts'
import {
  formatColumnSummary,
  formatLastUse,
  formatTemplateName,
  getSameHeaderTemplateName,
} from '../../src/features/sheets/arrange/template/template-labels.ts'

const groups = [
  { class_id: 'earning', name: '应发' },
  { class_id: 'deduction', name: '扣款' },
]
const item = (key: string, class_id: string | null): LayoutItem => ({ key, value: key, status: true, class_id, note: '' })
const list = [item('a', 'earning'), item('b', 'earning'), item('c', 'deduction'), item('d', null)]
const display = (items: readonly LayoutItem[] | null) =>
  items?.map(({ key, class_id }) => `${key}:${class_id ?? '-'}`).join(' ') ?? null

describe('moving columns', () => {
  it.each([
    ['down within its group', 'b', -1, 'b:earning a:earning c:deduction d:-'],
    ['down within its group over a column', 'a', 1, 'b:earning a:earning c:deduction d:-'],
    ['into the next group, to its first position', 'b', 1, 'a:earning b:deduction c:deduction d:-'],
    ['into the previous group, to its last position', 'c', -1, 'a:earning b:earning c:earning d:-'],
    ['out of all groups', 'c', 1, 'a:earning b:earning c:- d:-'],
    ['nowhere from the top', 'a', -1, null],
    ['nowhere from the end', 'd', 1, null],
  ] as const)('moves a column one step %s', (_, key, direction, after) =>
    expect(display(moveItemByOne(groups, list, key, direction))).toBe(after),
  )

  it('moves a column before another one or to the end of a group', () => {
    expect(display(moveItem(list, 'd', 'earning', 'b'))).toBe('a:earning d:earning b:earning c:deduction')
    expect(display(moveItem(list, 'a', 'deduction', null))).toBe('b:earning c:deduction a:deduction d:-')
    expect(display(moveItem(list, 'a', 'earning', 'a'))).toBe(display(list))
  })
})

describe('moving groups', () => {
  it.each([
    ['deduction', 'earning', 0],
    ['earning', null, 1],
    ['earning', 'deduction', 0],
  ] as const)('moves group %s before %s to position %s', (class_id, before, position) =>
    expect(getGroupPosition(groups, class_id, before)).toBe(position),
  )
  it('gives a new group an unused name', () => {
    expect(getUnusedGroupName(groups)).toBe('新分组1')
    expect(getUnusedGroupName([...groups, { class_id: 'x', name: '新分组1' }])).toBe('新分组2')
  })
})

it('moves with Alt and an arrow key and leaves a plain arrow key to the field', () => {
  const getChannel = (key: string, altKey: boolean) => getMoveDirection({ key, altKey })
  expect([
    getChannel('ArrowUp', true),
    getChannel('ArrowDown', true),
    getChannel('ArrowUp', false),
    getChannel('a', true),
  ]).toEqual([-1, 1, null, null])
})

describe('templates', () => {
  const remembered = { template_id: '', name: '总部月薪', title: null, month: null, fresh: [], missing: [], renamed: [] }
  it('describes templates by their name or by their last use', () => {
    expect(formatTemplateName({ name: '总部月薪', title: '2026年10月工资' })).toBe('总部月薪')
    expect(formatTemplateName({ name: null, title: '2026年10月工资' })).toBe('未命名（2026年10月工资）')
    expect(formatTemplateName({ name: null, title: null })).toBe('未命名')
    expect(formatLastUse({ title: null, month: null })).toBe('还没有用过')
  })
  it('shows the first column names of a template without the groups, and the number of columns', () => {
    const labels = ['姓名', '应发 / 基本工资', '应发 / 绩效', '个税', '实发', '备注', '签字']
    expect(formatColumnSummary({ labels, column_count: 24 })).toBe('姓名、基本工资、绩效、个税、实发、备注… 共 24 列')
    expect(formatColumnSummary({ labels: ['姓名', '实发'], column_count: 2 })).toBe('姓名、实发，共 2 列')
  })
  it('returns the template name only for an identical header', () => {
    expect(getSameHeaderTemplateName(remembered)).toBe('总部月薪')
    expect(getSameHeaderTemplateName({ ...remembered, fresh: ['c3'] })).toBeNull()
    expect(getSameHeaderTemplateName({ ...remembered, name: null })).toBeNull()
    expect(getSameHeaderTemplateName(null)).toBeNull()
  })
})
