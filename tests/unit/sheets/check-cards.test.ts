/** Bank cards of a sheet compared with the roster, as the issue page shows it. */
import { describe, expect, it } from 'vitest'
import { getProblems, getRead, getRoster, type Input } from '../../support/clerk.ts'

const card = (at: number): string => `62220200000000${String(at).padStart(5, '0')}`
const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六', '郑七', '王八']
const rosterWith = (cards: readonly string[], more: readonly string[] = []) =>
  getRoster(`
    姓名 | 手机号 | 银行卡号 | 情况
    ${names.map((name, at) => `${name} | 1380000000${at} | ${cards[at]} |`).join('\n')}
    ${more.join('\n')}
  `)
const own = names.map((_, at) => card(at))
const roster = rosterWith(own)
const getSheet = (cards: readonly string[], more: Omit<Input, 'sheet'> = {}): Input => ({
  roster,
  ...more,
  sheet: `姓名 | 手机号 | 银行卡号 | 实发\n${names.map((name, at) => `${name} | 1380000000${at} | ${cards[at]} | ${5_000 + at * 310}`).join('\n')}`,
})
const put = (at: number, text: string, list: readonly string[] = own) =>
  list.map((one, position) => (position === at ? text : one))
const turned = (by: number) => own.map((_, at) => own[(at + by + own.length) % own.length] ?? '')
type Case = [situation: string, given: Input, read: string[]]
const reads = (cases: Case[]) => it.each(cases)('%s', (_, provided, expected) => expect(getRead(provided)).toEqual(expected))

describe('bank cards without an issue', () =>
  reads([
    ['everybody has his own', getSheet(own), []],
    ['however it is written', getSheet(put(0, `${card(0).slice(0, 4)} ${card(0).slice(4, 8)}-${card(0).slice(8)}`)), []],
    ['an empty cell', getSheet(put(2, '')), []],
    ['a word', getSheet(put(2, '现金')), []],
    ['what is no card', getSheet(put(2, '62220')), []],
    ['the roster knows no card', getSheet(turned(1), { roster: rosterWith(names.map(() => '')) }), []],
    [
      'of few the roster knows cards: nobody is asked to enter the others',
      getSheet(own, { roster: rosterWith(own.slice(0, 3).concat(names.map(() => ''))) }),
      [],
    ],
    [
      'a card that husband and wife share',
      getSheet(put(1, card(0)), {
        roster: rosterWith(put(1, card(0))),
        accepted: { 2: ['same_number:c2'], 3: ['same_number:c2'] },
      }),
      [],
    ],
    ['left out', getSheet(put(2, card(7)), { skipped: [4], accepted: { 9: ['same_number:c2'] } }), []],
    ['an administrator chose him', getSheet(put(2, '6222020000000099999'), { selected: { 4: '孙三' } }), []],
  ]))

describe('银行卡号与花名册不同', () =>
  reads([
    [
      'another card than the one that is known: a quiet word, and what helps',
      getSheet(put(2, '6222020000000099999')),
      [
        '请确认 银行卡号与花名册不同：第 4 行 孙三（银行卡号 6222020000000099999） 表里的银行卡号和花名册里登记的不同；换了卡的请让花名册改用此卡号，写错的请改正 → 花名册改用此卡号｜修改单元格｜接受',
      ],
    ],
    [
      'a first card, where those of most are known',
      getSheet(own, { roster: rosterWith(put(2, '')) }),
      [
        `请确认 银行卡号与花名册不同：第 4 行 孙三（银行卡号 ${card(2)}） 花名册里还没有此人的银行卡号；确认是本人的，请记入花名册 → 花名册改用此卡号｜修改单元格｜接受`,
      ],
    ],
  ]))

describe('银行卡号是别人的', () =>
  reads([
    [
      'a card of somebody else stops the sheet',
      { ...getSheet(put(2, card(7))), accepted: { 4: ['same_number:c2'], 9: ['same_number:c2'] } },
      [
        `必须处理 银行卡号是别人的：第 4 行 孙三（银行卡号 ${card(7)}） 第 4 行的银行卡号在花名册里是「王八」的，表里写的是「孙三」，可能错行了；请核对这一行的姓名、金额和卡号 → 修改单元格｜接受｜跳过此人`,
      ],
    ],
    [
      'nobody out of reach is named',
      {
        ...getSheet(put(2, '6222020000000055555'), {
          roster: rosterWith(own, ['外人 | 13900000000 | 6222020000000055555 | 不归我管']),
        }),
      },
      [
        '必须处理 银行卡号是别人的：第 4 行 孙三（银行卡号 6222020000000055555） 第 4 行的银行卡号在花名册里是别人的，表里写的是「孙三」，可能错行了；请核对这一行的姓名、金额和卡号 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'a card of who has left is nobody’s',
      getSheet(put(2, '6222020000000055555'), {
        roster: rosterWith(own, ['走了 | 13900000000 | 6222020000000055555 | 离职']),
        accepted: { 4: ['card_new:c2'] },
      }),
      [],
    ],
    [
      'two who have each other’s',
      getSheet(put(5, card(1), put(1, card(5)))),
      [
        `必须处理 银行卡号是别人的：第 3 行 钱二（银行卡号 ${card(5)}） 第 3 行的银行卡号在花名册里是「吴六」的，表里写的是「钱二」，可能错行了；请核对这一行的姓名、金额和卡号 → 修改单元格｜接受｜跳过此人`,
        `必须处理 银行卡号是别人的：第 7 行 吴六（银行卡号 ${card(1)}） 第 7 行的银行卡号在花名册里是「钱二」的，表里写的是「吴六」，可能错行了；请核对这一行的姓名、金额和卡号 → 修改单元格｜接受｜跳过此人`,
      ],
    ],
    ['accepted', getSheet(put(5, card(1), put(1, card(5))), { accepted: { 3: ['card_moved:c2'], 7: ['card_moved:c2'] } }), []],
  ]))

describe('银行卡号是别人的: 整张表', () =>
  reads([
    [
      'slipped by a row',
      getSheet(turned(1)),
      [
        '必须处理 银行卡号是别人的：整张表 「银行卡号」和姓名对不上：可以对照的 8 人中有 8 人写着别人的卡号，多半是下一行的人的，像是整体错位。例如第 2 行「赵一」写的在花名册里是「钱二」的。请在表里对齐后重新上传；确实都用别人的卡收款的才接受 → 接受',
      ],
    ],
    [
      'slipped up by two rows',
      getSheet(turned(-2)),
      [expect.stringMatching(/8 人中有 8 人写着别人的卡号，多半是上方第 2 行的人的，像是整体错位。/) as unknown as string],
    ],
    [
      'in another order',
      getSheet([3, 0, 1, 2, 7, 4, 5, 6].map(card)),
      [expect.stringMatching(/^必须处理 银行卡号是别人的：整张表 .*8 人中有 8 人写着别人的卡号/) as unknown as string],
    ],
    ['slipped, and accepted', getSheet(turned(1), { accepted: { 0: ['card_moved:'] } }), []],
  ]))

it('requires a review of a moved card, accepted or not, and accepts an own card as proof in addition to the name', () => {
  const provided = getSheet(put(5, card(1), put(1, card(5))), { accepted: { 3: ['card_moved:c2'], 7: ['card_moved:c2'] } })
  const rows = getProblems({ ...provided, sheet: provided.sheet.replaceAll(/1380000000\d/g, '') }).check.rows
  expect(
    rows.map(
      ({ row, differsFromRoster, swapRank, matchedByNameOnly }) => `${row} ${differsFromRoster} ${swapRank} ${matchedByNameOnly}`,
    ),
  ).toEqual(names.map((_, at) => (at === 1 || at === 5 ? `${at + 2} true 1 true` : `${at + 2} false 0 false`)))
})

it('does not treat a card whose last digit Excel dropped as another card', () => {
  const sheet = `姓名 | 手机号 | 银行卡号 | 实发\n赵一 | 13800000000 | 丢了末尾 | 5000`
  expect(getRead({ roster, sheet }).filter((line) => /花名册|别人/.test(line))).toEqual([])
})
