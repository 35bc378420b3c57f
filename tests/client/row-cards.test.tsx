/** A list on a phone: what a card says, in which order, and what a tick does to what was chosen on other pages. */
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { type Chosen, type Columns, RowCards, ticked } from '../../src/ui/table/row-cards.tsx'

type Line = { id: string; name: string; phone: string; place: string; left?: boolean }
const lines: Line[] = [
  { id: 'a', name: '赵一', phone: '138****0001', place: '后厨' },
  { id: 'b', name: '一个名字很长很长的人', phone: '', place: '' },
]
const columns: Columns<Line> = [
  { title: '姓名', dataIndex: 'name', fixed: 'left', render: (name: string) => <b>{name}</b> },
  { title: '手机号', dataIndex: 'phone' },
  { title: '岗位', dataIndex: 'place', render: (text: string) => text || '—' },
  { title: '操作', key: 'acts', render: (_, line) => <button type="button">编辑 {line.name}</button> },
]
const drawn = (chosen?: Chosen<Line>): string =>
  renderToStaticMarkup((<RowCards {...{ list: lines, columns, rowKey: 'id', label: '名单', chosen }} />) as ReactNode)
const text = (html: string): string[] =>
  html
    .replace(/<[^>]+>/g, '|')
    .split('|')
    .filter((part) => part.trim() !== '')

describe('a card', () => {
  it('is headed by the first column, then says what can be done, then the others as pairs; nothing leaves no line', () => {
    const first = ['赵一', '编辑 赵一', '手机号', '138****0001', '岗位', '后厨']
    expect(text(drawn())).toEqual([...first, '一个名字很长很长的人', '编辑 一个名字很长很长的人'])
    expect(drawn()).toContain('<ul class="row-cards" aria-label="名单">')
    expect(drawn()).not.toContain('checkbox')
  })

  it('has a tick with a name of its own, which is off where it may not be chosen', () => {
    const html = drawn({
      keys: ['a'],
      onChange: () => undefined,
      disabled: ({ id }) => id === 'b',
      nameOf: ({ name }) => `选择 ${name}`,
    })
    const boxes = [...html.matchAll(/<input[^>]*>/g)].map(([box]) => ({
      name: /aria-label="([^"]*)"/.exec(box)?.[1] ?? '',
      checked: box.includes('checked=""'),
      off: box.includes('disabled=""'),
    }))
    expect(boxes).toEqual([
      // All that can be chosen is chosen.
      { name: '', checked: true, off: false },
      { name: '选择 赵一', checked: true, off: false },
      { name: '选择 一个名字很长很长的人', checked: false, off: true },
    ])
    expect(html).toContain('选择本页全部')
  })
})

describe('ticks', () => {
  it.each<[what: string, keys: string[], these: string[], on: boolean, then: string[]]>([
    ['one more', ['x'], ['a'], true, ['x', 'a']],
    ['one less', ['x', 'a'], ['a'], false, ['x']],
    ['all of a page, beside those of another', ['x', 'a'], ['a', 'b'], true, ['x', 'a', 'b']],
    ['none of a page: those of another stay', ['x', 'a', 'b'], ['a', 'b'], false, ['x']],
  ])('%s', (_, keys, these, on, then) => expect(ticked(keys, these, on)).toEqual(then))
})
