/** Which department a roster row means, with the tree 总公司 / 研发 (前端, 测试) · 销售 (华东, 测试). */
import { describe, expect, it } from 'vitest'
import { createPathResolver, type PlacedDepartment } from '../../../server/modules/directory/rules/import-departments.ts'

const tree: PlacedDepartment[] = [
  { id: 'root', parent_id: null, name: '总公司' },
  { id: 'dev', parent_id: 'root', name: '研发' },
  { id: 'front', parent_id: 'dev', name: '前端' },
  { id: 'test', parent_id: 'dev', name: '测试' },
  { id: 'sales', parent_id: 'root', name: '销售' },
  { id: 'east', parent_id: 'sales', name: '华东' },
  { id: 'sales-test', parent_id: 'sales', name: '测试' },
]
const parsePaths = (text: string) => text.split(' · ').map((one) => one.split('/'))
const notify = (requested: string, current: ReadonlySet<string> | null = null) => {
  const placed = createPathResolver(parsePaths(requested), tree, current)
  return parsePaths(requested)
    .map((path) => placed(path))
    .map((one) => ('why' in one ? one.why : `${one.isNew ? '+' : ''}${one.path.join('/')}`))
}

describe('scope over all departments', () => {
  it.each([
    ['the full path', '研发/前端', ['研发/前端']],
    ['the full path after the company', '总公司/研发/前端', ['研发/前端']],
    ['the company itself', '总公司', ['']],
    ['the last name alone', '前端', ['研发/前端']],
    ['a different spelling', '研发 / 前端 ', ['研发/前端']],
    ['a name that two departments have', '测试', ['有 2 个「测试」，请写完整，例如「研发/测试」']],
    ['the same name with its full path', '销售/测试', ['销售/测试']],
    ['a nonexistent department', '财务', ['+财务']],
    ['a new department below an existing one', '前端/组件组', ['+研发/前端/组件组']],
    ['a new department below an ambiguous name', '测试/一组', ['有 2 个「测试」，请写完整，例如「研发/测试」']],
    ['a department created by one row, used by the next', '财务/出纳 · 财务', ['+财务/出纳', '+财务']],
    [
      'a department created by one row that makes another row ambiguous',
      '华东 · 研发/华东',
      ['有 2 个「华东」，请写完整，例如「销售/华东」', '+研发/华东'],
    ],
    ['a name that is too long', 'x'.repeat(51), [`部门名称最多 50 个字：「${'x'.repeat(20)}…」`]],
  ])('%s', (_, requested, expected) => expect(notify(requested)).toEqual(expected))

  it('refuses a department path that is too deep', () =>
    expect(notify(Array.from({ length: 15 }, (_, at) => `级${at}`).join('/'))[0]).toContain('最多 15 级'))
})

describe('scope over 销售 and the departments below it', () => {
  const current = new Set(['sales', 'east', 'sales-test'])
  it.each([
    ['a department in scope', '销售/华东', ['销售/华东']],
    ['an ambiguous name with one department in scope', '测试', ['销售/测试']],
    ['a department out of scope', '研发/前端', ['部门「研发/前端」不在您的管理范围，请核对']],
    ['a new department below one out of scope', '研发/新组', ['部门「研发/新组」不在您的管理范围，请核对']],
    ['the company', '总公司', ['销售']],
    ['a nonexistent department, created below the highest one in scope', '新组', ['+销售/新组']],
  ])('%s', (_, requested, expected) => expect(notify(requested, current)).toEqual(expected))

  it('refuses a new department name with two top departments in scope', () =>
    expect(notify('新组', new Set(['front', 'east']))).toEqual(['部门「新组」不在您的管理范围，请核对']))
})

describe('two departments that differ only in letter case', () => {
  const twins: PlacedDepartment[] = [
    { id: 'root', parent_id: null, name: '总公司' },
    { id: 'mine', parent_id: 'root', name: 'HR' },
    { id: 'other', parent_id: 'root', name: 'hr' },
    { id: 'below', parent_id: 'other', name: '一组' },
  ]
  const why = '有几个部门都叫「HR」，只差大小写或空格，请先给它们改名'
  it.each([
    ['the department in scope', 'HR'],
    ['the other department', 'hr'],
    ['a new department below the other one', 'HR/二组'],
    ['the company, whose department is in scope', '总公司'],
    ['a new department below the highest one', '三组'],
  ])('reports %s as ambiguous and never assigns it to the other department', (_, path) => {
    expect(createPathResolver(parsePaths(path), twins, new Set(['mine']))(parsePaths(path)[0] ?? [])).toEqual({ why })
  })
})
