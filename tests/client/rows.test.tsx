/** A list on desktop: cells in their columns, fixed columns, and selectable rows. */
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { Columns, RowSelection } from '../../src/components/table/card-list.tsx'
import { TableRows } from '../../src/components/table/table-rows.tsx'

type Line = { id: string; name: string; pay: number }
const lines: Line[] = [
  { id: 'a', name: '赵一', pay: 12 },
  { id: 'b', name: '钱二', pay: 7 },
  { id: 'c', name: '孙三', pay: 9 },
]
const columns: Columns<Line> = [
  { title: '姓名', dataIndex: 'name', fixed: 'left', width: 96 },
  { title: '实发', dataIndex: 'pay', align: 'right', from: 'md' },
  { title: '操作', key: 'acts', fixed: 'right', render: (_, { name }) => <button type="button">编辑 {name}</button> },
]
const render = (selected?: RowSelection<Line>): string =>
  renderToStaticMarkup(
    (<TableRows {...{ list: lines, columns, rowKey: 'id', label: '名单', selection: selected }} />) as ReactNode,
  )
/** The cells of each row in reading order, with the side to which they are fixed. */
const getCells = (html: string): string[][] =>
  [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd]([^>]*)>(.*?)<\/t[hd]>/g)].map(([, marks = '', cell = '']) =>
      [/data-side="(\w+)"/.exec(marks)?.[1], cell.replace(/<[^>]+>/g, '')].filter(Boolean).join(' '),
    ),
  )

it('renders a cell for each column and marks the fixed ones', () => {
  expect(getCells(render())).toEqual([
    ['start 姓名', '实发', 'end 操作'],
    ['start 赵一', '12', 'end 编辑 赵一'],
    ['start 钱二', '7', 'end 编辑 钱二'],
    ['start 孙三', '9', 'end 编辑 孙三'],
  ])
  expect(render()).toContain('aria-label="名单"')
  expect(render()).not.toContain('checkbox')
  expect([...render().matchAll(/<td[^>]*data-from="md"[^>]*style="text-align:right"/g)]).toHaveLength(3)
})

it.each<[what: string, keys: string[], all: boolean]>([
  ['nobody', [], false],
  ['one', ['a'], false],
  ['all selectable rows', ['a', 'c'], true],
  ['all rows and one of another page', ['x', 'a', 'c'], true],
])('shows the checkbox for %s as selected', (_, keys, all) => {
  const html = render({
    keys,
    onChange: () => undefined,
    disabled: ({ id }) => id === 'b',
    getLabel: ({ name }) => `选择 ${name}`,
  })
  const boxes = [...html.matchAll(/<input[^>]*>/g)].map(([box]) => [
    /aria-label="([^"]*)"/.exec(box)?.[1],
    box.includes('checked=""'),
    box.includes('disabled=""'),
  ])
  expect(boxes).toEqual([
    ['选择本页全部', all, false],
    ['选择 赵一', keys.includes('a'), false],
    ['选择 钱二', false, true],
    ['选择 孙三', keys.includes('c'), false],
  ])
  expect([...html.matchAll(/data-row="(\w+)" data-chosen="true"/g)].map(([, id]) => id)).toEqual(
    keys.filter((key) => key !== 'x'),
  )
})
