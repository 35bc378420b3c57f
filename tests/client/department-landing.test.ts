/** Where a dropped department lands, and what one step up or down does. */
import { describe, expect, it } from 'vitest'
import type { Department } from '../../server/contract/directory/members.ts'
import {
  buildDepartmentTree,
  type DropZone,
  filterTree,
  findDepartment,
  getDropZone,
  getInitiallyCollapsedIds,
  resolveDrop,
  resolveMove,
} from '../../src/features/directory/tree/drop-target.ts'

/** Uses names as ids: a(b c) means that b and c are children of a. */
const node = (NAME: string, ...child: Department[]): Department => ({ ID: NAME, NAME, count: 0, child })
const company = [
  node('总部', node('研发', node('前端'), node('后端'), node('测试')), node('销售', node('华北'), node('华南')), node('门店')),
]
const tree = buildDepartmentTree(company)

describe('dropping a department', () => {
  it.each<[string, string, DropZone, string, unknown]>([
    ['门店', '研发', 'on', '在它下面，排最后', { pid: '研发', before_id: null }],
    ['门店', '前端', 'before', '在它前面', { pid: '研发', before_id: '前端' }],
    ['门店', '前端', 'behind', '在它后面', { pid: '研发', before_id: '后端' }],
    ['门店', '测试', 'behind', '在最后一个后面', { pid: '研发', before_id: null }],
    ['测试', '前端', 'before', '在同级里往前', { pid: '研发', before_id: '前端' }],
    ['前端', '测试', 'behind', '在同级里到最后', { pid: '研发', before_id: null }],
    ['前端', '后端', 'behind', '跳过一个', { pid: '研发', before_id: '测试' }],
    ['前端', '后端', 'before', '就在原处', null],
    ['后端', '前端', 'behind', '就在原处', null],
    ['后端', '研发', 'on', '已经在它下面', null],
    ['后端', '后端', 'on', '自己', null],
    ['研发', '前端', 'on', '自己的下级', '「前端」是「研发」的下级部门，不能把部门移到自己的下级里'],
    ['研发', '前端', 'before', '自己的下级中间', '不能把「研发」移到它自己下面'],
    ['门店', '总部', 'before', '最上级旁边', '不能移到最上级'],
    ['总部', '研发', 'on', '最上级自己', '最上级部门不能移动'],
    ['不存在', '研发', 'on', '已经删除', null],
  ])('moves department %s over %s, zone %s: %s', (id, over, gap, _, expected) => {
    expect(resolveDrop(tree, id, { id: over, zone: gap })).toEqual(expected)
  })

  it('drops behind an expanded department as its first child, where the line is drawn', () => {
    expect(resolveDrop(tree, '门店', { id: '销售', zone: 'behind', isExpanded: true })).toEqual({
      pid: '销售',
      before_id: '华北',
    })
    expect(resolveDrop(tree, '门店', { id: '销售', zone: 'behind', isExpanded: false })).toBeNull()
    expect(resolveDrop(tree, '研发', { id: '销售', zone: 'behind', isExpanded: false })).toEqual({
      pid: '总部',
      before_id: '门店',
    })
    expect(resolveDrop(tree, '华北', { id: '销售', zone: 'behind', isExpanded: true })).toBeNull()
    expect(resolveDrop(tree, '华南', { id: '销售', zone: 'behind', isExpanded: true })).toEqual({
      pid: '销售',
      before_id: '华北',
    })
  })

  it('derives before, on or behind from the quarter of the row', () => {
    const row = { top: 100, height: 40 }
    expect([101, 109, 111, 129, 131, 139].map((y) => getDropZone(y, row))).toEqual([
      'before',
      'before',
      'on',
      'on',
      'behind',
      'behind',
    ])
  })
})

describe('moving a department by keyboard', () => {
  it.each<[string, -1 | 1, unknown]>([
    ['后端', -1, { pid: '研发', before_id: '前端' }],
    ['后端', 1, { pid: '研发', before_id: null }],
    ['前端', 1, { pid: '研发', before_id: '测试' }],
    ['前端', -1, '已经是第一个'],
    ['测试', 1, '已经是最后一个'],
    ['总部', 1, '最上级部门不能移动'],
  ])('moves department %s by %i', (id, channel, expected) => {
    expect(resolveMove(tree, id, channel)).toEqual(expected)
  })
})

describe('searching the tree', () => {
  const names = (all: readonly Department[]): string =>
    all.map(({ NAME, child }) => (child.length > 0 ? `${NAME}(${names(child)})` : NAME)).join(' ')
  it('shows departments that match the search with all their descendants and ancestors', () => {
    expect(names(filterTree(company, '华'))).toBe('总部(销售(华北 华南))')
    expect(names(filterTree(company, '研发'))).toBe('总部(研发(前端 后端 测试))')
    expect(names(filterTree([node('A', node('Web'), node('App'))], 'wEb'))).toBe('A(Web)')
    expect(filterTree(company, '没有')).toEqual([])
  })
})

it('expands a small tree fully and a large one to two levels', () => {
  expect(getInitiallyCollapsedIds(company)).toEqual([])
  const wide = [node('总部', ...Array.from({ length: 100 }, (_, at) => node(`部${at}`, node(`组${at}`), node(`队${at}`))))]
  expect(getInitiallyCollapsedIds(wide)).toHaveLength(100)
  expect(getInitiallyCollapsedIds(wide)).not.toContain('总部')
})

it.each([
  ['总部', '总部'],
  ['华南', '华南'],
  ['不存在', undefined],
])('finds %s at any depth of the tree', (id, name) => expect(findDepartment(company, id)?.NAME).toBe(name))
