/**
 * Details other than the key compared with the roster, and amounts paid by other administrators, as the issue page
 * shows it.
 */
import { describe, expect, it } from 'vitest'
import { roundCoarsely, roundToGrid } from '../../../server/modules/sheets/rules/check/month-comparison.ts'
import { parseDay } from '../../../server/modules/sheets/rules/check/roster-comparison.ts'
import { getProblems, getRead, getRoster, type Input } from '../../support/clerk.ts'

const roster = getRoster(`
  姓名 | 手机号      | 部门   | 上级部门 | 岗位 | 入职日期   | 情况
  赵一 | 13800000001 | 财务部 |          | 会计 | 2018-03-05 |
  钱二 | 13800000002 | 财务部 |          | 出纳 | 2019-07-01 |
  孙三 | 13800000003 | 销售部 |          | 经理 | 2016-01-11 |
  李四 | 13800000004 | 销售部 |          | 销售 | 2020-09-21 |
  周五 | 13800000005 | 销售部 |          | 销售 | 2021-02-18 |
  吴六 | 13800000006 | 一车间 | 生产部   | 工人 | 2022-05-30 |
  郑七 | 13800000007 | 一车间 | 生产部   | 工人 | 2022-06-13 |
  王八 | 13800000008 | 二车间 | 生产部   | 班长 | 2015-10-08 |
  冯九 | 13800000009 | 生产部 |          | 厂长 | 2012-04-02 |
  陈十 | 13800000010 | 仓库   |          |      |            | 离职
`)
type Case = [situation: string, given: Omit<Input, 'roster'>, read: string[]]
const reads = (cases: Case[]) =>
  it.each(cases)('%s', (_, provided, expected) => expect(getRead({ roster, ...provided })).toEqual(expected))
/**
 * All active members in the order of the roster, with the details in the sheet; the third of `details` is the third
 * member's.
 */
const working = roster.slice(0, 9)
const getSheet = (head: string, details: readonly string[], more: Omit<Input, 'sheet'> = {}): Input => ({
  ...more,
  sheet: [
    `姓名 | 手机号 | ${head} | 实发`,
    ...working.map(({ name, mobile }, at) => `${name} | ${mobile} | ${details[at]} | ${5_000 + at * 310}`),
  ].join('\n'),
})
const departments = ['财务部', '财务部', '销售部', '销售部', '销售部', '一车间', '一车间', '二车间', '生产部']
const put = (list: readonly string[], at: number, text: string) => list.map((one, position) => (position === at ? text : one))
const turned = (list: readonly string[], by: number) => list.map((_, at) => list[(at + by + list.length) % list.length] ?? '')

describe('与花名册不符', () => {
  describe('roster details without an issue', () =>
    reads([
      ['as the roster has it', getSheet('部门', departments), []],
      ['blanks, width and case are no difference', getSheet('部门', put(departments, 0, ' 财 务 部 ')), []],
      ['a path that ends in his department', getSheet('部门', put(departments, 5, '生产部/一车间')), []],
      [
        'what his department belongs to',
        getSheet('部门', ['财务部', '财务部', '销售部', '销售部', '销售部', '生产部', '生产部', '生产部', '生产部']),
        [],
      ],
      ['a part of his department', getSheet('部门', put(departments, 8, '二车间')), []],
      [
        'a cost centre that the roster does not know',
        getSheet(
          '部门',
          departments.map((_, at) => `成本中心${at % 3}`),
        ),
        [],
      ],
      [
        'nothing written',
        getSheet(
          '部门',
          departments.map(() => ''),
        ),
        [],
      ],
      ['a department in which only somebody who left was', getSheet('部门', put(departments, 2, '仓库')), []],
      ['a column that only sounds like it', getSheet('岗位补贴说明', departments), []],
      [
        'days however they are written',
        getSheet('入职日期', [
          '2018/3/5',
          '2019年7月1日',
          '20160111',
          '2020-09',
          '2021-02-18',
          '2022.5.30',
          '',
          '2015-10',
          '2012/04/02',
        ]),
        [],
      ],
      [
        'a day that is nobody’s',
        getSheet(
          '入职日期',
          put(
            working.map(({ entry_on }) => entry_on ?? ''),
            3,
            '2020-09-22',
          ),
        ),
        [],
      ],
    ]))

  describe('roster check of single members', () =>
    reads([
      [
        'one who moved',
        getSheet('部门', put(departments, 2, '财务部')),
        [
          '请确认 与花名册不符：第 4 行 孙三（部门 财务部） 表里的部门是「财务部」，花名册里是「销售部」；请确认这一行是本人的 → 接受｜跳过此人',
        ],
      ],
      [
        'a position',
        getSheet(
          '岗位',
          put(
            working.map(({ position }) => position ?? ''),
            0,
            '出纳',
          ),
        ),
        [
          '请确认 与花名册不符：第 2 行 赵一（岗位 出纳） 表里的岗位是「出纳」，花名册里是「会计」；请确认这一行是本人的 → 接受｜跳过此人',
        ],
      ],
      [
        'a day that is another’s',
        getSheet(
          '入职时间',
          put(
            working.map(({ entry_on }) => entry_on ?? ''),
            0,
            '2019-07-01',
          ),
        ),
        [
          '请确认 与花名册不符：第 2 行 赵一（入职时间 2019-07-01） 表里的入职日期是「2019-07-01」，花名册里是「2018-03-05」；请确认这一行是本人的 → 接受｜跳过此人',
        ],
      ],
      ['accepted', getSheet('部门', put(departments, 2, '财务部'), { accepted: { 4: ['roster_differs:c2'] } }), []],
      ['left out', getSheet('部门', put(departments, 2, '财务部'), { skipped: [4] }), []],
      ['an administrator chose him', getSheet('部门', put(departments, 2, '财务部'), { selected: { 4: '孙三' } }), []],
      [
        'two who changed places: a warning each, and both are looked at before sending',
        getSheet('部门', put(put(departments, 1, '销售部'), 3, '财务部')),
        [
          '请确认 与花名册不符：第 3 行 钱二（部门 销售部） 表里的部门是「销售部」，花名册里是「财务部」；请确认这一行是本人的 → 接受｜跳过此人',
          '请确认 与花名册不符：第 5 行 李四（部门 财务部） 表里的部门是「财务部」，花名册里是「销售部」；请确认这一行是本人的 → 接受｜跳过此人',
        ],
      ],
    ]))

  describe('roster check of the whole sheet', () =>
    reads([
      [
        'slipped by a row',
        getSheet('部门', turned(departments, 1)),
        [
          '必须处理 与花名册不符：整张表 「部门」和花名册大面积对不上：可以对照的 9 人中有 4 人不同，和下一行的人对照就一致，像是整体错位。例如第 3 行「钱二」表里的部门是「销售部」，花名册里是「财务部」。请在表里对齐后重新上传；只是花名册没更新的才接受 → 接受',
        ],
      ],
      ['slipped, and accepted', getSheet('部门', turned(departments, 1), { accepted: { 0: ['roster_differs:'] } }), []],
      [
        'department and position together are one question',
        getSheet(
          '部门 | 岗位',
          turned(
            working.map(({ departments: one, position }) => `${one} | ${position}`),
            4,
          ),
        ),
        [
          expect.stringMatching(
            /^必须处理 与花名册不符：整张表 「部门」「岗位」和花名册大面积对不上：可以对照的 9 人中有 9 人不同，.*。例如第 2 行「赵一」表里的部门是「销售部」，花名册里是「财务部」。.*→ 接受$/,
          ) as unknown as string,
        ],
      ],
    ]))

  const halves: readonly string[] = Array.from({ length: 40 }, (_, at) => (at < 20 ? '财务部' : '销售部'))
  const forty = getRoster(
    `姓名 | 手机号 | 部门\n${halves.map((one, at) => `员工${at} | 139${String(at).padStart(8, '0')} | ${one}`).join('\n')}`,
  )
  const ofForty = (details: readonly string[]): Input => ({
    roster: forty,
    sheet: `姓名 | 手机号 | 部门 | 实发\n${forty.map(({ name, mobile }, at) => `${name} | ${mobile} | ${details[at]} | 5000`).join('\n')}`,
  })
  const levels = (details: readonly string[]) => getProblems(ofForty(details)).problems.map(({ level, row }) => `${row} ${level}`)
  it('reports a shift of two of forty at the edge where every other row agrees one row further on', () =>
    expect(levels(turned(halves, 2))).toEqual(['0 error']))
  it('reports one moved member of forty', () => expect(levels(put(halves, 7, '销售部'))).toEqual(['9 warning']))
  it('reports each of five scattered moves', () =>
    expect(
      levels([3, 9, 15, 25, 31].reduce<readonly string[]>((all, at) => put(all, at, at < 20 ? '销售部' : '财务部'), halves)),
    ).toEqual([5, 11, 17, 27, 33].map((row) => `${row} warning`)))
  it('reports six of forty as one issue', () =>
    expect(
      levels([1, 5, 9, 13, 25, 31].reduce<readonly string[]>((all, at) => put(all, at, at < 20 ? '销售部' : '财务部'), halves)),
    ).toEqual(['0 error']))
  it('reports many moves in a large sheet in one row without blocking', () => {
    const large = getRoster(
      `姓名 | 手机号 | 部门\n${Array.from({ length: 200 }, (_, at) => `员工${at} | 137${String(at).padStart(8, '0')} | ${at % 2 ? '财务部' : '销售部'}`).join('\n')}`,
    )
    const sheet = `姓名 | 手机号 | 部门 | 实发\n${large.map(({ name, mobile, departments: one }, at) => `${name} | ${mobile} | ${at % 20 === 7 ? '销售部' : one} | 5000`).join('\n')}`
    expect(getRead({ roster: large, sheet })).toEqual([
      '请确认 与花名册不符：整张表 有 10 人的部门与花名册不同：第 9 行「员工7」表里的部门是「销售部」，花名册里是「财务部」；第 29 行「员工27」表里的部门是「销售部」，花名册里是「财务部」；第 49 行「员工47」表里的部门是「销售部」，花名册里是「财务部」；花名册没有更新的不影响发送，请确认没有错行 → 接受',
    ])
  })
  it('does not use the roster where last month supports the sheet', () => {
    const last = `姓名 | 实发\n${working.map(({ name }, at) => `${name} | ${5_000 + at * 300}`).join('\n')}`
    expect(getRead({ roster, ...getSheet('部门', turned(departments, 1), { last }) })).toEqual([])
  })

  it.each([
    ['2021年3月5日', '2021-03-05'],
    ['2021/3/5', '2021-03-05'],
    ['2021.03.05', '2021-03-05'],
    ['20210305', '2021-03-05'],
    ['2021-03-05 00:00:00', '2021-03-05'],
    ['2021年3月', '2021-03'],
    ['202103', '2021-03'],
    ['三年前', ''],
    ['', ''],
  ])('parses the date %s → %s', (text, day) => expect(parseDay(text)).toBe(day))
})

describe('members matched by name only', () => {
  const createCompany = (sheet: string, more: Partial<Input> = {}) =>
    getProblems({ roster, sheet, ...more }).check.rows.map(({ name, matchedByNameOnly, differsFromRoster }) =>
      [name, matchedByNameOnly && '只凭姓名', differsFromRoster && '不符'].filter(Boolean).join(' '),
    )
  it.each<[string, string, Partial<Input>, string[]]>([
    ['a name and nothing else', '姓名 | 实发\n赵一 | 5000', {}, ['赵一 只凭姓名']],
    ['a phone that the roster has', '姓名 | 手机号 | 实发\n赵一 | 13800000001 | 5000', {}, ['赵一']],
    [
      'an empty phone in this row',
      '姓名 | 手机号 | 实发\n赵一 | 13800000001 | 5000\n钱二 | | 5000',
      {},
      ['赵一', '钱二 只凭姓名'],
    ],
    ['a matching department', '姓名 | 部门 | 实发\n赵一 | 财务部 | 5000', {}, ['赵一']],
    ['a different department', '姓名 | 部门 | 实发\n赵一 | 销售部 | 5000', {}, ['赵一 只凭姓名 不符']],
    ['an unknown department', '姓名 | 部门 | 实发\n赵一 | 总部 | 5000', {}, ['赵一 只凭姓名']],
    ['a matching entry date', '姓名 | 入职日期 | 实发\n赵一 | 2018-03-05 | 5000', {}, ['赵一']],
    ['paid last month', '姓名 | 实发\n赵一 | 5000', { last: '姓名 | 实发\n赵一 | 5100' }, ['赵一']],
    ['another member paid last month', '姓名 | 实发\n赵一 | 5000', { last: '姓名 | 实发\n钱二 | 5100' }, ['赵一 只凭姓名']],
    ['an administrator chose him', '姓名 | 实发\n赵一 | 5000', { selected: { 2: '赵一' } }, ['赵一']],
  ])('%s', (_, sheet, more, expected) => expect(createCompany(sheet, more)).toEqual(expected))
})

describe('comparison with amounts paid by others of the company', () => {
  const note = '（与公司此前发过的工资比对，那次不由您经手，不显示金额）'
  const pay = [8_000, 9_500, 7_200, 12_000, 5_100, 6_100, 15_200, 6_600, 10_400]
  const months = (pays: readonly number[]) =>
    `姓名 | 基本工资 | 公积金 | 实发\n${working.map(({ name }, at) => `${name} | ${pays[at]} | ${(pays[at] ?? 0) * 0.05} | ${(pays[at] ?? 0) * 0.95}`).join('\n')}`
  const others = months(pay)
  const swapped = pay.map((one, at) => (at === 1 ? 7_200 : at === 2 ? 9_500 : one))
  reads([
    ['the same figures', { sheet: others, others }, []],
    [
      'two who changed places: who they are, and no amount',
      { sheet: months(swapped), others },
      [
        `必须处理 两人金额疑似互换：第 3 行 钱二 「钱二」（第 3 行）和「孙三」（第 4 行）的金额疑似互换：两人本月金额分别与对方上月接近；请核对，确认无误才接受${note} → 换回｜接受｜跳过此人`,
      ],
    ],
    [
      'three times as much: now, and not what it was',
      { sheet: months(pay.map((one, at) => (at === 4 ? one * 3 : one))), others },
      [
        `请确认 实发与上次相差很大：第 6 行 周五（实发 14535） 实发 14,535.00，与此人此前在公司的实发相差很大，请确认${note} → 修改单元格｜接受｜跳过此人`,
      ],
    ],
    ['a raise of a tenth for everybody', { sheet: months(pay.map((one) => one * 1.1)), others }, []],
    [
      'a hundred times as much',
      { sheet: months(pay.map((one) => one * 100)), others },
      [expect.stringMatching(/^必须处理 金额单位变了：.*是上次的 100 倍（元与分），.*不显示金额）/)],
    ],
    [
      'two people known are too few: a question would be an answer about one of them',
      { sheet: '姓名 | 实发\n赵一 | 9500\n钱二 | 30000', others: '姓名 | 实发\n赵一 | 30000\n钱二 | 9500' },
      [],
    ],
  ])
  it('reveals a step and not the amount to a user who tries amounts until the question changes', () => {
    /** The highest net pay of 周五 that leads to no question. */
    const edge = (was: number): number => {
      let [low, high] = [was, was * 4]
      while (high - low > 0.01) {
        const middle = Math.round(((low + high) / 2) * 100) / 100
        if (middle === low || middle === high) break
        const sheet = months(pay).replace(/周五 .*/, `周五 | 5100 | 255 | ${middle}`)
        const base = months(pay).replace(/周五 .*/, `周五 | 5100 | 255 | ${was}`)
        if (getRead({ roster, sheet, others: base }).some((line) => line.includes('周五'))) high = middle
        else low = middle
      }
      return low
    }
    expect(new Set([4_500, 4_700, 4_845, 5_000].map(edge)).size).toBeLessThan(3)
  })
  it.each([
    [800_000, 795_000, true],
    [800_000, 840_000, false],
    [0, 0, true],
    [-5_000, -5_000, true],
  ])('treats on the grid of 2 %%: %d and %d as the same: %s', (one, other, isSame) =>
    expect(roundToGrid(one) === roundToGrid(other)).toBe(isSame),
  )
  it('rounds coarsely in steps of a quarter', () =>
    expect(Math.round(roundCoarsely(500_000))).toBe(Math.round(roundCoarsely(530_000))))
})
