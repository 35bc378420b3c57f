/** Chat platform accounts in a sheet, compared with those that members have signed in with, as the issue page shows it. */
import { describe, expect, it } from 'vitest'
import { toPlatformAccountKey } from '../../../server/modules/sheets/rules/check/owner-comparison.ts'
import { getProblems, getRead, getRoster, type Input } from '../../support/clerk.ts'

const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六', '郑七', '王八']
const ids = names.map((_, at) => `staff${at}`)
const linked = (texts: readonly string[], more: readonly string[] = []) =>
  getRoster(`
    姓名 | 手机号 | 平台账号 | 情况
    ${names.map((name, at) => `${name} | 1380000000${at} | ${texts[at]} |`).join('\n')}
    ${more.join('\n')}
  `)
const wecom = ids.map((id) => toPlatformAccountKey('wecom', id))
const roster = linked(wecom)
const getSheet = (cells: readonly string[], more: Omit<Input, 'sheet'> = {}, label = '企业微信账号'): Input => ({
  roster,
  ...more,
  sheet: `姓名 | 手机号 | ${label} | 实发\n${names.map((name, at) => `${name} | 1380000000${at} | ${cells[at]} | ${5_000 + at * 310}`).join('\n')}`,
})
const put = (at: number, text: string, list: readonly string[] = ids) =>
  list.map((one, position) => (position === at ? text : one))
const turned = (by: number) => ids.map((_, at) => ids[(at + by + ids.length) % ids.length] ?? '')
type Case = [situation: string, given: Input, read: string[]]
const reads = (cases: Case[]) => it.each(cases)('%s', (_, provided, expected) => expect(getRead(provided)).toEqual(expected))

describe('platform accounts without an issue', () =>
  reads([
    ['everybody has his own', getSheet(ids), []],
    ['however it is written', getSheet(put(0, ' STAFF0 ')), []],
    ['an empty cell', getSheet(put(2, '')), []],
    ['a sentence', getSheet(put(2, '还没有，下月再补')), []],
    ['nobody has signed in', getSheet(turned(1), { roster: linked(names.map(() => '')) }), []],
    ['of somebody no account is known', getSheet(put(2, 'staff99'), { roster: linked(put(2, '', wecom)) }), []],
    // Lark reports an open id while sheets use another kind of id: that says nothing about a member.
    ['ids of another kind', getSheet(ids.map((id) => `ou_${id}`)), []],
    ['ids at another platform', getSheet(turned(1), {}, '飞书用户ID'), []],
    [
      'a number that has lost its zeros',
      getSheet(
        names.map((_, at) => `${7_001 + at}`),
        { roster: linked(names.map((_, at) => toPlatformAccountKey('dingtalk', `0${7_001 + at}`))) },
        '钉钉UserID',
      ),
      [],
    ],
    ['left out', getSheet(put(2, 'staff7'), { skipped: [4] }), []],
    ['an administrator chose him', getSheet(put(2, 'staff7'), { selected: { 4: '孙三' } }), []],
    [
      'the account of who has left is nobody’s',
      getSheet(put(2, 'staff50'), {
        roster: linked(wecom, [`走了 | 13900000000 | ${toPlatformAccountKey('wecom', 'staff50')} | 离职`]),
        accepted: { 4: ['account_other:c2'] },
      }),
      [],
    ],
  ]))

describe('办公平台账号是别人的', () =>
  reads([
    [
      'the account of somebody else stops the sheet',
      getSheet(put(2, 'staff7')),
      [
        '必须处理 办公平台账号是别人的：第 4 行 孙三（企业微信账号 staff7） 第 4 行的企业微信账号在花名册里是「王八」的，表里写的是「孙三」，可能错行了；请核对这一行的姓名、金额和账号 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'where messages of the platform go counts as well, whatever the column is called',
      getSheet(put(2, 'staff7'), { roster: linked(ids.map((id) => toPlatformAccountKey('any', id))) }, '飞书用户ID'),
      [
        expect.stringMatching(
          /^必须处理 办公平台账号是别人的：第 4 行 孙三.*飞书用户ID在花名册里是「王八」的/,
        ) as unknown as string,
      ],
    ],
    [
      'nobody out of reach is named',
      getSheet(put(2, 'staff50'), {
        roster: linked(wecom, [`外人 | 13900000000 | ${toPlatformAccountKey('wecom', 'staff50')} | 不归我管`]),
      }),
      [
        '必须处理 办公平台账号是别人的：第 4 行 孙三（企业微信账号 staff50） 第 4 行的企业微信账号在花名册里是别人的，表里写的是「孙三」，可能错行了；请核对这一行的姓名、金额和账号 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    ['accepted', getSheet(put(2, 'staff7'), { accepted: { 4: ['account_moved:c2'] } }), []],
    [
      'slipped by a row: the sheet as a whole',
      getSheet(turned(1)),
      [
        '必须处理 办公平台账号是别人的：整张表 「企业微信账号」和姓名对不上：可以对照的 8 人中有 8 人写着别人的账号，多半是下一行的人的，像是整体错位。例如第 2 行「赵一」写的在花名册里是「钱二」的。请在表里对齐后重新上传；确认每个人都对才接受 → 接受',
      ],
    ],
    ['slipped, and accepted', getSheet(turned(1), { accepted: { 0: ['account_moved:'] } }), []],
  ]))

describe('办公平台账号与登录的不同', () =>
  reads([
    [
      'another one than he signs in by, in a column that agrees with others',
      getSheet(put(2, 'staff99')),
      [
        '请确认 办公平台账号与登录的不同：第 4 行 孙三（企业微信账号 staff99） 表里的账号和此人登录薪函用的不同；写错的请改正，换了账号的确认即可 → 修改单元格｜接受',
      ],
    ],
  ]))

it('requires a review of a moved account, accepted or not, and accepts an own account as proof in addition to the name', () => {
  const provided = getSheet(put(5, 'staff1', put(1, 'staff5')), {
    accepted: { 3: ['account_moved:c2'], 7: ['account_moved:c2'] },
  })
  const rows = getProblems({ ...provided, sheet: provided.sheet.replaceAll(/1380000000\d/g, '') }).check.rows
  expect(
    rows.map(
      ({ row, differsFromRoster, swapRank, matchedByNameOnly }) => `${row} ${differsFromRoster} ${swapRank} ${matchedByNameOnly}`,
    ),
  ).toEqual(names.map((_, at) => (at === 1 || at === 5 ? `${at + 2} true 1 true` : `${at + 2} false 0 false`)))
})
