/** Cells as Excel and WPS put them on the clipboard. */
import { describe, expect, it } from 'vitest'
import { createPastedFile, fillMergedCells, isTableData, parsePastedText } from '../../src/features/sheets/upload/pasted-cells.ts'

describe('pasted cells', () => {
  it.each([
    ['a row', '姓名\t实发', [['姓名', '实发']]],
    [
      'rows with Windows line endings',
      '姓名\t实发\r\n张三\t1\r\n',
      [
        ['姓名', '实发'],
        ['张三', '1'],
      ],
    ],
    [
      'a pasted cell with a line break',
      '"基本\n工资"\t实发\n1\t2',
      [
        ['基本\n工资', '实发'],
        ['1', '2'],
      ],
    ],
    ['quotes within quotes', '"他说""好"""\t1', [['他说"好"', '1']]],
    [
      'an unclosed quote',
      '"5寸\t1\n2\t3',
      [
        ['"5寸', '1'],
        ['2', '3'],
      ],
    ],
    ['a pasted quote within a cell', '5"管\t1', [['5"管', '1']]],
    [
      'pasted empty cells',
      'a\t\tb\n\t\t1',
      [
        ['a', '', 'b'],
        ['', '', '1'],
      ],
    ],
    ['a whole column with its empty rows', '姓名\n张三\n\n\n\n', [['姓名'], ['张三']]],
    ['nothing', '', []],
  ])('%s', (_what, text, cells) => {
    expect(parsePastedText(text)).toEqual(cells)
  })

  it.each([
    ['a single copied word', '张三', false],
    ['two cells in a row', '张三\t1', true],
    ['two rows', '张三\n李四', true],
    ['a word and empty rows', '张三\n\n\n', false],
  ])('recognizes %s as a table: %s', (_what, text, table) => {
    expect(isTableData(parsePastedText(text))).toBe(table)
  })

  it('uploads pasted cells as a file that reads back as the same cells', async () => {
    const cells = [
      ['姓名', '基本\n工资', '他说"好"'],
      ['张三', '1', ''],
    ]
    const file = createPastedFile(cells)
    expect(file.name).toBe('粘贴的表格.tsv')
    expect(parsePastedText((await file.text()).replace('\ufeff', ''))).toEqual(cells)
  })
})

describe('headings merged over several columns', () => {
  const rows = [
    ['十月工资', '', '', ''],
    ['姓名', '应发', '', '实发'],
    ['', '基本', '绩效', ''],
  ]
  it('applies merged headings to each of their columns, unlike a title over the whole table', () => {
    expect(
      fillMergedCells(rows, [
        { row: 0, left: 0, right: 3 },
        { row: 1, left: 1, right: 2 },
      ]),
    ).toEqual([
      ['十月工资', '', '', ''],
      ['姓名', '应发', '应发', '实发'],
      ['', '基本', '绩效', ''],
    ])
  })

  it('fills neither a cell with content nor a missing row', () => {
    expect(
      fillMergedCells(
        [['a', 'b', '', 'c']],
        [
          { row: 0, left: 0, right: 2 },
          { row: 9, left: 0, right: 1 },
        ],
      ),
    ).toEqual([['a', 'b', 'a', 'c']])
  })
})
