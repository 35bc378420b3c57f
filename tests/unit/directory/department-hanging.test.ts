/** Where a department may be moved. */
import { describe, expect, it } from 'vitest'
import {
  canMoveDepartment,
  type DepartmentTree,
  maxDepartmentLevels,
} from '../../../server/contract/directory/department-tree.ts'

/** `总部 > 研发 > 前端`: each line is a path from the top. */
function getTree(...lines: string[]): DepartmentTree {
  const tree = new Map<string, { id: string; pid: string | null; name: string }>()
  for (const line of lines) {
    let pid: string | null = null
    for (const name of line.split(' > ')) {
      const id: string = pid === null ? name : `${pid}/${name}`
      tree.set(id, { id, pid, name })
      pid = id
    }
  }
  return tree
}

const tree = getTree('总部 > 研发 > 前端', '总部 > 研发 > 后端', '总部 > 销售 > 前端', '总部 > 门店')
const chain = (levels: number) => Array.from({ length: levels }, (_, at) => `${at + 1}级`).join(' > ')

describe('valid parents of a department', () => {
  it.each([
    ['below another department', '总部/门店', '门店', '总部/销售', true],
    ['below its present parent', '总部/门店', '门店', '总部', true],
    ['a department below itself', '总部/研发', '研发', '总部/研发', '不能把「研发」移到它自己下面'],
    [
      'a department below its own child',
      '总部/研发',
      '研发',
      '总部/研发/前端',
      '「前端」是「研发」的下级部门，不能把部门移到自己的下级里',
    ],
    ['not next to one with the same name', '总部/研发/前端', '前端', '总部/销售', '「销售」下面已经有一个「前端」，请换个名称'],
    [
      'not as a new department next to one with the same name',
      null,
      '研发',
      '总部',
      '「总部」下面已经有一个「研发」，请换个名称',
    ],
    ['as a new department with a name that exists elsewhere', null, '前端', '总部', true],
    ['not with the name of an adjacent department', '总部/研发', '销售', '总部', '「总部」下面已经有一个「销售」，请换个名称'],
  ])('%s', (_, id, name, pid, expected) => {
    expect(canMoveDepartment({ id, name }, pid, tree)).toBe(expected)
  })

  it('allows moving a department down to the last level, including its descendants', () => {
    const deep = getTree(chain(maxDepartmentLevels - 1), '另一 > 甲 > 乙')
    const last = [...deep.keys()][maxDepartmentLevels - 2] ?? ''
    expect(canMoveDepartment({ id: null, name: '新' }, last, deep)).toBe(true)
    expect(canMoveDepartment({ id: '另一/甲/乙', name: '乙' }, last, deep)).toBe(true)
    expect(canMoveDepartment({ id: '另一/甲', name: '甲' }, last, deep)).toMatch(/部门最多 15 级/)
    expect(canMoveDepartment({ id: null, name: '新' }, last, getTree(chain(maxDepartmentLevels)))).toBe(true)
    expect(
      canMoveDepartment({ id: null, name: '新' }, `${last}/${maxDepartmentLevels}级`, getTree(chain(maxDepartmentLevels))),
    ).toMatch(/部门最多 15 级/)
  })

  it('terminates for a department tree with a cycle', () => {
    const ring: DepartmentTree = new Map([
      ['a', { id: 'a', pid: 'b', name: '甲' }],
      ['b', { id: 'b', pid: 'a', name: '乙' }],
      ['c', { id: 'c', pid: null, name: '丙' }],
    ])
    expect(canMoveDepartment({ id: 'c', name: '丙' }, 'a', ring)).toBe(true)
    expect(canMoveDepartment({ id: 'a', name: '甲' }, 'b', ring)).toMatch(/下级/)
  })
})
