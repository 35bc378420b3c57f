/** What an import shows about the sheets of its file. */
import { describe, expect, it } from 'vitest'
import type { ImportSheet } from '../../server/contract/directory/import.ts'
import { allSheetsValue, describeSheets, formatSkippedSheets } from '../../src/features/directory/import/sheet-labels.ts'

const sheet = (name: string, people: number, read: boolean, separate: ImportSheet['excluded_reason'] = null): ImportSheet => ({
  name,
  member_count: people,
  is_included: read,
  excluded_reason: separate,
})
const later = '不能和别的合在一起读：这次导入之后，再选一次这个文件单独读。'

describe('sheets of an import', () => {
  it.each<[string, ImportSheet[], Partial<ReturnType<typeof describeSheets>>]>([
    [
      'one of two lists',
      [sheet('总部', 1_200, true), sheet('分公司', 30, false)],
      {
        message: '现在只读「总部」。',
        left: '这个文件里还有 1 份像员工名单的表没有读：「分公司」30 人。',
        hint: null,
        value: '总部',
      },
    ],
    [
      'both',
      [sheet('总部', 1_200, true), sheet('分公司', 30, true)],
      { message: '2 份名单合在一起读：「总部」1,200 人、「分公司」30 人。', left: '', hint: null, value: allSheetsValue },
    ],
    [
      'further separate lists',
      [sheet('总部', 2, true), sheet('外包', 3, false, 'columns'), sheet('离职', 1, false, 'left')],
      { hint: `「外包」的列不一样，「离职」里是离职的人，${later}`, joint: [sheet('总部', 2, true)] },
    ],
    [
      'more lists than are named',
      [sheet('甲', 1, true), ...['乙', '丙', '丁', '戊', '己'].map((name) => sheet(name, 1, false))],
      { left: '这个文件里还有 5 份像员工名单的表没有读：「乙」1 人、「丙」1 人、「丁」1 人、「戊」1 人等 5 份。' },
    ],
    [
      'forms of one member each, next to a list',
      [sheet('名单', 4, false, 'columns')],
      { message: '现在读的是一人一张的登记表。', value: null },
    ],
  ])('%s', (_, sheets, message) => expect(describeSheets(sheets)).toMatchObject(message))

  it('lists the sheets that were left out after the import, or nothing', () => {
    expect(formatSkippedSheets([sheet('总部', 2, true), sheet('分公司', 3, false)])).toBe(
      '这个文件里的「分公司」3 人还没有导入：再导入一次这个文件，单独读。',
    )
    expect(formatSkippedSheets([sheet('总部', 2, true)])).toBeNull()
  })
})
