/** A list on mobile: the content and order of a card, and what a checkbox does to a selection on other pages. */
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { CardList, type Columns, type RowSelection, toggleKeys } from '../../src/components/table/card-list.tsx'

type Line = { id: string; name: string; phone: string; position: string; left?: boolean }
const lines: Line[] = [
  { id: 'a', name: '赵一', phone: '138****0001', position: '后厨' },
  { id: 'b', name: '一个名字很长很长的人', phone: '', position: '' },
]
const columns: Columns<Line> = [
  { title: '姓名', dataIndex: 'name', fixed: 'left', render: (name: string) => <b>{name}</b> },
  { title: '手机号', dataIndex: 'phone' },
  { title: '岗位', dataIndex: 'position', render: (text: string) => text || '—' },
  { title: '操作', key: 'acts', render: (_, line) => <button type="button">编辑 {line.name}</button> },
]
const render = (selected?: RowSelection<Line>, visible: Columns<Line> = columns): string =>
  renderToStaticMarkup(
    (<CardList {...{ list: lines, columns: visible, rowKey: 'id', label: '名单', selection: selected }} />) as ReactNode,
  )
const text = (html: string): string[] =>
  html
    .replace(/<[^>]+>/g, '|')
    .split('|')
    .filter((part) => part.trim() !== '')

describe('row card', () => {
  it('shows the first column as heading of a row card, then the actions, then the other columns as pairs, and omits empty ones', () => {
    const first = ['赵一', '编辑 赵一', '手机号', '138****0001', '岗位', '后厨']
    expect(text(render())).toEqual([...first, '一个名字很长很长的人', '编辑 一个名字很长很长的人'])
    expect(render()).toMatch(/<ul class="[^"]+" aria-label="名单">/)
    expect(render()).not.toContain('checkbox')
  })

  it('places columns of a row card as configured without repeating them, and gives screen readers the hidden headings', () => {
    const html = render(undefined, [
      { title: '姓名', dataIndex: 'name' },
      { title: '备注', key: 'note', card: 'wide', render: () => '看一下' },
      { title: '岗位', dataIndex: 'position', card: 'named' },
      { title: '编号', dataIndex: 'id', card: 'none' },
      { title: '状态', key: 'state', card: 'end', render: () => '在职' },
      { title: '手机号', dataIndex: 'phone', card: 'line' },
      { title: '应发', key: 'pay', card: ({ id }) => (id === 'a' ? 'side' : 'pair'), render: () => '8.00' },
    ])
    const first = ['赵一', '8.00', '岗位', '后厨', '手机号', '138****0001', '在职', '看一下']
    expect(text(html)).toEqual([...first, '一个名字很长很长的人', '在职', '看一下', '应发', '8.00'])
    expect(html).toMatch(/<dt class="[^"]*named[^"]*">岗位<\/dt>/)
    expect(html).toContain('<dt class="sr-only">手机号</dt>')
    expect(html).toMatch(/<span class="[^"]*side[^"]*">8\.00<\/span>/)
  })

  it('has a named checkbox in a row card that is disabled where the row may not be selected', () => {
    const html = render({
      keys: ['a'],
      onChange: () => undefined,
      disabled: ({ id }) => id === 'b',
      getLabel: ({ name }) => `选择 ${name}`,
    })
    const boxes = [...html.matchAll(/<input[^>]*>/g)].map(([box]) => ({
      name: /aria-label="([^"]*)"/.exec(box)?.[1] ?? '',
      checked: box.includes('checked=""'),
      off: box.includes('disabled=""'),
    }))
    expect(boxes).toEqual([
      // All selectable rows are selected.
      { name: '', checked: true, off: false },
      { name: '选择 赵一', checked: true, off: false },
      { name: '选择 一个名字很长很长的人', checked: false, off: true },
    ])
    expect(html).toContain('选择本页全部')
  })
})

describe('row selection', () => {
  it.each<[what: string, keys: string[], these: string[], on: boolean, then: string[]]>([
    ['one row more', ['x'], ['a'], true, ['x', 'a']],
    ['one row less', ['x', 'a'], ['a'], false, ['x']],
    ['all rows of a page, in addition to those of another', ['x', 'a'], ['a', 'b'], true, ['x', 'a', 'b']],
    ['no row of a page, while those of another stay', ['x', 'a', 'b'], ['a', 'b'], false, ['x']],
  ])('%s', (_, keys, these, on, then) => expect(toggleKeys(keys, these, on)).toEqual(then))
})
