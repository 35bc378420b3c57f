/** The issue workbook: every cell as uploaded, a comment and a color at each issue, and no formulas. */
import { read as otherReader } from '@e965/xlsx'
import { beforeAll, describe, expect, test } from 'vitest'
import { annotateSheet, type CellEdit, type CellIssue } from '../../../server/spreadsheets/annotate/annotate-sheet.ts'
import { readSheet, UnreadableSheetError } from '../../../server/spreadsheets/child/read-sheet.ts'
import { type Grid, getCell } from '../../../server/spreadsheets/grid.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { makeXlsx, type XlsxCell, zipEntries } from '../../support/files/xlsx.ts'

const rows: XlsxCell[][] = [
  ['十月工资表'],
  ['姓名', '身份证号', '入职日期', '比例', '打卡', '奖金', '备注', '实发工资'],
  [
    '张三',
    '110101199003074477',
    new Date(Date.UTC(2024, 1, 29)),
    { raw: '0.085', format: 'percent' },
    true,
    { error: '#REF!' },
    '=HYPERLINK("http://a.cn","x")',
    0.1 + 0.2,
  ],
  [' 李四 ', '007', new Date(Date.UTC(1990, 0, 1, 8, 30)), 1.5, false, { formula: 'H3+1' }, '<b>&"两\n行', -1234.56],
  ['王五', { raw: '622202123456789012' }, '2024/3/1', 3, null, { formula: 'VLOOKUP(A1,B:C,2)' }, '+86', { raw: '1e21' }],
]
const original = makeXlsx({
  sheets: [
    { name: '说明', rows: [['填表说明']] },
    { name: "工资 A's", rows, merges: ['A1:H1'], hidden_columns: [4], hidden_rows: [4], widths: { 2: 21.5 } },
    { name: '草稿', rows: [['x', 1]], hidden: true },
  ],
})
const at = (row: number, column: number | null, text: string, level: CellIssue['level'] = 'error'): CellIssue => ({
  sheet: "工资 A's",
  row,
  column,
  level,
  text,
})
const problems = [
  at(3, 5, '「奖金」是错误值 #REF!'),
  at(5, 1, '最后几位已经丢失', 'warning'),
  at(5, 1, '不是身份证号'),
  at(4, null, '和第 3 行是同一个人', 'warning'),
  at(5, 4, '没有填'),
  at(1, 6, '标题里没有月份', 'warning'),
  { ...at(1, 0, '<空>'), sheet: '别处' },
]

let answer: Buffer
let sections: Map<string, string>
beforeAll(async () => {
  answer = await annotateSheet(original, { issues: problems, edits: [] })
  sections = unpacked(answer)
})
const styleAt = (sheet: string, position: string) => Number(new RegExp(`<c r="${position}" s="(\\d+)"`).exec(sheet)?.[1])
const getFill = (style: number) => {
  const xfs = [...(sections.get('xl/styles.xml')?.split('<cellXfs')[1] ?? '').matchAll(/<xf [^>]*fillId="(\d+)"/g)]
  const fills = [...(sections.get('xl/styles.xml') ?? '').matchAll(/<fill><patternFill[^>]*>(?:<fgColor rgb="(\w+)")?/g)]
  return fills[Number(xfs[style]?.[1])]?.[1]
}

describe('issue workbook', () => {
  test('contains every sheet unchanged', async () => {
    const before = await readGrids(original)
    const after = await readGrids(answer)
    expect(after.map(({ name, hidden }) => [name, hidden])).toEqual([
      ['问题清单', false],
      ['说明', false],
      ["工资 A's", false],
      ['草稿', true],
    ])
    const computed = { F4: '1.3', F5: '=VLOOKUP(A1,B:C,2)' } as Record<string, string>
    for (const [index, grid] of before.entries()) {
      const again = after[index + 1] as Grid
      grid.rows.forEach((row, r) =>
        row?.forEach((_, c) => {
          const was = getCell(grid, r, c)
          const is = getCell(again, r, c)
          if (was.uncached) expect(is.text).toBe(computed[`${'ABCDEFGH'[c]}${r + 1}`])
          else expect(is).toEqual(was)
        }),
      )
      expect(again.merges).toEqual(grid.merges)
      expect(again.hidden_columns).toEqual(grid.hidden_columns)
      expect(again.hidden_rows).toEqual(grid.hidden_rows)
      expect(again.widths).toEqual(grid.widths)
    }
  })

  test('shows each issue as a comment in its cell, with a box that Excel and WPS draw', () => {
    const comments = sections.get('xl/comments3.xml') ?? ''
    const matches = [...comments.matchAll(/<comment ref="(\w+)".*?<t [^>]*>([\s\S]*?)<\/t>/g)].map(([, ref, text]) => [ref, text])
    expect(matches).toEqual([
      ['A1', '标题里没有月份'],
      ['F3', '「奖金」是错误值 #REF!'],
      ['A4', '和第 3 行是同一个人'],
      ['B5', '最后几位已经丢失\n不是身份证号'],
      ['E5', '没有填'],
    ])
    const vml = sections.get('xl/drawings/vmlDrawing3.vml') ?? ''
    const boxes = [...vml.matchAll(/<x:Row>(\d+)<\/x:Row><x:Column>(\d+)</g)].map(([, row, column]) => [
      Number(row),
      Number(column),
    ])
    expect(boxes).toEqual([
      [0, 0],
      [2, 5],
      [3, 0],
      [4, 1],
      [4, 4],
    ])
    expect(sections.get('xl/worksheets/sheet3.xml')).toContain('<legacyDrawing r:id="rId1"/>')
    expect(sections.get('xl/worksheets/_rels/sheet3.xml.rels')).toContain(
      'Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/vmlDrawing" Target="../drawings/vmlDrawing3.vml"',
    )
    expect(sections.get('[Content_Types].xml')).toContain('/xl/comments3.xml')
    expect(sections.has('xl/comments2.xml')).toBe(false)
  })

  test('writes comments that another reader finds, too', () => {
    const sheet = otherReader(answer, { cellStyles: true }).Sheets["工资 A's"]
    expect(sheet?.['F3']?.c?.[0]?.t).toBe('「奖金」是错误值 #REF!')
    expect(sheet?.['E5']?.c?.[0]?.t).toBe('没有填')
    expect(sheet?.['H3']).toMatchObject({ t: 'n', v: 0.1 + 0.2 })
    expect(sheet?.['H3']?.c).toBeUndefined()
  })

  test('marks errors red and warnings yellow, and leaves the rest unchanged', () => {
    const sheet = sections.get('xl/worksheets/sheet3.xml') ?? ''
    expect(['F3', 'B5', 'E5'].map((position) => getFill(styleAt(sheet, position)))).toEqual(['FFFFC7CE', 'FFFFC7CE', 'FFFFC7CE'])
    expect(['A1', 'A4'].map((position) => getFill(styleAt(sheet, position)))).toEqual(['FFFFEB9C', 'FFFFEB9C'])
    expect(getFill(styleAt(sheet, 'H3'))).toBeUndefined()
  })

  test('lists position, issue and fix, and links to the cell', async () => {
    const [list] = await readGrids(answer)
    expect(list?.rows[0]).toEqual(['工作表', '行', '列', '程度', '问题', '怎么办'])
    expect(list?.rows).toHaveLength(problems.length + 1)
    expect(list?.rows[1]).toEqual(["工资 A's", 3, 'F', '必须修改', '「奖金」是错误值 #REF!', '请改正后重新上传'])
    expect(list?.rows[4]?.slice(2, 4)).toEqual(['整行', '请确认'])
    expect(list?.rows[7]?.slice(0, 5)).toEqual(['别处', 1, 'A', '必须修改', '<空>'])
    expect(sections.get('xl/worksheets/sheet1.xml')).toContain(`<hyperlink ref="C2" location="'工资 A''s'!F3"/>`)
  })

  test('contains no formulas in the issue workbook', () => {
    for (const [name, text] of sections) if (/worksheets\/sheet/.test(name)) expect(text).not.toMatch(/<f[\s>]/)
    const quoted = (sections.get('xl/styles.xml') ?? '').split('<cellXfs')[1]?.match(/<xf [^>]*>/g) ?? []
    expect(quoted[styleAt(sections.get('xl/worksheets/sheet3.xml') ?? '', 'G3')]).toContain('quotePrefix="1"')
    // A number stored as text stays text when a user edits the cell.
    const digits = /<c r="\w+" s="(\d+)" t="inlineStr"><is><t[^>]*>(?:007|110101199003074477)</g
    const styles = [...(sections.get('xl/worksheets/sheet3.xml') ?? '').matchAll(digits)].map((match) => quoted[Number(match[1])])
    expect(styles).toEqual([expect.stringContaining('numFmtId="49"'), expect.stringContaining('numFmtId="49"')])
    expect(quoted[styleAt(sections.get('xl/worksheets/sheet3.xml') ?? '', 'F5')]).toContain('quotePrefix="1"')
  })

  test('recognises the issue workbook as before when it is uploaded again', async () => {
    const before = (await readSheet(original, { file_name: 'a.xlsx' })).recognition
    const after = (await readSheet(answer, { file_name: 'a.xlsx' })).recognition
    expect(after).toMatchObject({ kind: before.kind, sheet: before.sheet, people: before.people, header: before.header })
  })

  test('numbers thousands of comments uniquely', async () => {
    const many = Array.from({ length: 2_500 }, (_, n) => at(n + 3, 0, `第 ${n} 个`))
    const vml = unpacked(
      await annotateSheet(original, { issues: [...many, { ...at(1, 0, '另一张'), sheet: '说明' }], edits: [] }),
    )
    expect(vml.get('xl/drawings/vmlDrawing2.vml')).toContain('data="1"')
    expect(vml.get('xl/drawings/vmlDrawing3.vml')).toContain('data="2,3,4"')
    const ids = [2, 3].flatMap((n) =>
      [...(vml.get(`xl/drawings/vmlDrawing${n}.vml`) ?? '').matchAll(/id="_x0000_s(\d+)"/g)].map(([, id]) => id),
    )
    expect(new Set(ids).size).toBe(2_501)
  })

  test('shows online corrections green in their cells, amounts as numbers, and lists those without a cell', async () => {
    const edit = (row: number | null, column: number | null, value: string, isAmount = false): CellEdit => ({
      sheet: "工资 A's",
      row,
      column,
      value,
      isAmount,
      description: '「赵一」的「餐补」',
    })
    const made = await annotateSheet(original, {
      issues: [at(3, 0, '还不对')],
      edits: [
        edit(3, 5, '1,300.50', true),
        edit(3, 1, '12345678901234567', true),
        edit(3, 0, '0012'),
        edit(90, 2, '=1+1'),
        edit(null, null, '300'),
      ],
    })
    const after = (await readGrids(made)).find(({ name }) => name === "工资 A's") as Grid
    expect([after.rows[2]?.[5], after.rows[2]?.[1], after.rows[2]?.[0], after.rows[89]?.[2]]).toEqual([
      1300.5,
      '12345678901234567',
      '0012',
      '=1+1',
    ])
    expect(getCell(after, 2, 5)).toMatchObject({ kind: 'number' })
    const [list] = await readGrids(made)
    const notified = list?.rows.slice(1).map((row) => row?.slice(1, 5)) ?? []
    expect(notified).toContainEqual([3, 'F', '已改正', '在薪函中改正，原来是「#REF!」'])
    expect(notified).toContainEqual([90, 'C', '已改正', '在薪函中填写，原来是空的'])
    expect(notified).toContainEqual(['—', '—', '已改正', '「赵一」的「餐补」在薪函中改为「300」'])
    const before = sections
    sections = unpacked(made)
    const sheet = sections.get('xl/worksheets/sheet3.xml') ?? ''
    expect(['F3', 'A3'].map((position) => getFill(styleAt(sheet, position)))).toEqual(['FFC6EFCE', 'FFFFC7CE'])
    expect(sheet).not.toMatch(/<f[\s>]/)
    sections = before
  })

  test('creates the issue workbook from a text file, too', async () => {
    const grids = await readGrids(await annotateSheet(Buffer.from('姓名,实发工资\n张三,"1,234.50"\n'), { issues: [], edits: [] }))
    expect(grids[1]?.rows).toEqual([
      ['姓名', '实发工资'],
      ['张三', '1,234.50'],
    ])
  })

  test('fails with a message for unreadable files and stops on an abort signal', async () => {
    await expect(annotateSheet(original.subarray(0, 900), { issues: [], edits: [] })).rejects.toThrow(UnreadableSheetError)
    await expect(annotateSheet(original.subarray(0, 900), { issues: [], edits: [] })).rejects.toThrow(/损坏/)
    const leaving = new AbortController()
    const reading = annotateSheet(original, { issues: [], edits: [], signal: leaving.signal })
    setImmediate(() => leaving.abort(new Error('gone')))
    await expect(reading).rejects.toThrow('gone')
  })
})

const unpacked = (file: Buffer) =>
  new Map(Object.entries(zipEntries(file)).map(([name, bytes]) => [name, bytes.toString('utf8')]))
