/** Several rosters in one workbook: which is read, which are not, and which can be combined. */
import { expect, test } from 'vitest'
import { type RosterCase, rosterMessage } from '../../support/sheets/roster/drawn.ts'

const header = '工号 | 姓名 | 部门 | 手机号'
const headquarters = `${header}
    A01 | 水灵 | 财务部 | '13912370101
    A02 | 谷雨 | 市场部 | '13912370102`
const branch = `${header}
    B01 | 白露 | 财务部 | '13912370103
    B02 | 霜降 | 仓储部 | '1391237`
const leavers = `${header}
    A09 | 立冬 | 财务部 | '13912370109`
const elsewhere = `姓名 | 手机号 | 工号
    小满 | '13912370104 | C01`
const ownAndHired = `姓名 | 职务 | 电话
    水灵 | 会计 | '13912370101
    谷雨 | 销售 | '13912370102

    临时工
    姓名 | 岗位 | 手机号
    白露 | 搬运 | '13912370103`
const parted = (...sheets: string[]) => sheets.join('\n    -----\n    ')

const cases: RosterCase[] = [
  [
    'two lists of equal rank: the first is read and the other reported',
    parted(headquarters, branch),
    `是 roster
   表 总部
   人员 2 3
   张 总部 2 读；分公司 2`,
    ['总部', '分公司'],
  ],
  [
    'as one list: each row states its sheet, and each cell its row there',
    parted(headquarters, branch),
    `是 roster
   表 总部
   人员 总部!2 总部!3 分公司!2 分公司!3
   列 A=employee_no B=name C=department D=mobile
   人 水灵 13912370101 A01 财务部；谷雨 13912370102 A02 市场部；白露 13912370103 B01 财务部；霜降 B02 仓储部
   张 总部 2 读；分公司 2 读
   错 1000003D`,
    ['总部', '分公司'],
    ['分公司', '总部'],
  ],
  [
    'the other list alone',
    parted(headquarters, branch),
    `表 分公司
   人员 2 3
   张 总部 2；分公司 2 读
   错 3D`,
    ['总部', '分公司'],
    ['分公司'],
  ],
  [
    'a sheet of instructions is no list, terminated members and other columns are separate lists',
    parted('说明\n    一人一行', headquarters, leavers, elsewhere),
    `表 总部
   张 总部 2 读；离职人员 1 离职；外包 1 列不同`,
    ['填写说明', '总部', '离职人员', '外包'],
  ],
  [
    'members on the sheet of terminated ones are terminated, whatever their columns omit',
    parted(headquarters, leavers),
    `表 离职人员
   人 立冬 13912370109 A09 财务部 离职
   张 总部 2；离职人员 1 读 离职`,
    ['总部', '离职人员'],
    ['离职人员'],
  ],
  [
    'terminated members among active ones: the sheet does not state which',
    headquarters,
    `人 水灵 13912370101 A01 财务部；谷雨 13912370102 A02 市场部`,
    ['在职及离职人员'],
  ],
  [
    'other columns are not combined with these',
    parted(headquarters, elsewhere),
    `是 not_a_roster
   因 「外包」的列和「总部」不一样，不能合在一起导入，请分开导入`,
    ['总部', '外包'],
    ['总部', '外包'],
  ],
  [
    'a sheet without members',
    parted(headquarters, '事项 | 日期\n    年会 | 2026-12-31'),
    `是 not_a_roster
   因 「安排」里没有员工名单，不能合在一起导入，请重新选择`,
    ['总部', '安排'],
    ['总部', '安排'],
  ],
  [
    'a nonexistent sheet',
    headquarters,
    `是 not_a_roster
   因 没有名为「分公司」的工作表，请重新选择`,
    ['总部'],
    ['总部', '分公司'],
  ],
  [
    'one more column on the right of one sheet',
    parted(headquarters, `${header} | 邮箱\n    B01 | 白露 | 财务部 | '13912370103 | bl@a.example`),
    `人员 总部!2 总部!3 分公司!2
   列 A=employee_no B=name C=department D=mobile E=email`,
    ['总部', '分公司'],
    ['总部', '分公司'],
  ],
  [
    'row numbers in one sheet are treated as in the larger one',
    parted(
      `编号 | 姓名 | 手机号\n    1 | 水灵 | '13912370101\n    2 | 谷雨 | '13912370102`,
      `编号 | 姓名 | 手机号\n    K7 | 白露 | '13912370103\n    K9 | 霜降 | '13912370104\n    K3 | 小满 | '13912370105`,
    ),
    `列 A=employee_no B=name C=mobile
   人 水灵 13912370101 1；谷雨 13912370102 2；白露 13912370103 K7；霜降 13912370104 K9；小满 13912370105 K3`,
    ['甲', '乙'],
    ['甲', '乙'],
  ],
  [
    'one sheet per department, without a department column',
    parted(`姓名 | 手机号\n    水灵 | '13912370101`, `姓名 | 手机号\n    谷雨 | '13912370102`),
    `人员 财务部!2 一车间!2
   人 水灵 13912370101 财务部；谷雨 13912370102 一车间`,
    ['财务部', '一车间'],
    ['财务部', '一车间'],
  ],
  [
    'the department of a single selected sheet',
    parted(`姓名 | 手机号\n    水灵 | '13912370101`, `姓名 | 手机号\n    谷雨 | '13912370102`),
    `人 水灵 13912370101 财务部
   张 财务部 1 读；一车间 1`,
    ['财务部', '一车间'],
  ],
  [
    'sheets with other names are no departments',
    parted(`姓名 | 手机号\n    水灵 | '13912370101`, `姓名 | 手机号\n    谷雨 | '13912370102`),
    '人 水灵 13912370101；谷雨 13912370102',
    ['财务部', 'Sheet2'],
    ['财务部', 'Sheet2'],
  ],
  [
    'terminated members below under another header: a separate list named by the text above it',
    `${headquarters}

    离职人员
    工号 | 姓名 | 离职日期 | 手机号
    A09 | 立冬 | 2026-03-01 | '13912370109`,
    `表 总部
   人员 2 3
   张 总部 2 读；总部 · 离职人员 1 离职`,
    ['总部'],
  ],
  [
    'the list of terminated members alone',
    `${headquarters}

    离职人员
    工号 | 姓名 | 离职日期 | 手机号
    A09 | 立冬 | 2026-03-01 | '13912370109`,
    `表 总部 · 离职人员
   人员 7
   人 立冬 13912370109 A09 离职
   张 总部 2 列不同；总部 · 离职人员 1 读 离职`,
    ['总部'],
    ['总部 · 离职人员'],
  ],
  [
    'more members below than above: the sheet is named after the lower list',
    `姓名 | 电话 | 职务
    大雪 | '13912370108 | 主任

    工号 | 姓名 | 部门 | 手机号
    A01 | 水灵 | 财务部 | '13912370101
    A02 | 谷雨 | 市场部 | '13912370102`,
    `表 总部
   人员 5 6
   张 总部 · 第 1 张表 1 列不同；总部 2 读`,
    ['总部'],
  ],
  [
    'other labels of the same roles below: both are read as one list',
    ownAndHired,
    `人员 总部!2 总部!3 总部 · 临时工!7
   人 水灵 13912370101 会计；谷雨 13912370102 销售；白露 13912370103 搬运
   张 总部 2 读；总部 · 临时工 1 读`,
    ['总部'],
  ],
  [
    'one of the combined lists alone',
    ownAndHired,
    `人员 2 3
   张 总部 2 读；总部 · 临时工 1`,
    ['总部'],
    ['总部'],
  ],
  [
    'a nonexistent lower list',
    headquarters,
    `是 not_a_roster
   因 没有名为「总部 · 第 2 张表」的工作表，请重新选择`,
    ['总部'],
    ['总部 · 第 2 张表'],
  ],
  [
    'members next to each other on one sheet, and another sheet',
    parted(
      `姓名 | 部门 | 手机号 | 姓名 | 部门 | 手机号\n    水灵 | 财务部 | '13912370101 | 谷雨 | 市场部 | '13912370102\n    立春 | 财务部 | '13912370106 | 雨水 | 市场部 | '13912370107`,
      `姓名 | 部门 | 手机号 | 姓名 | 部门 | 手机号\n    白露 | 财务部 | '13912370103 | 霜降 | 市场部 | '13912370104\n    大雪 | 财务部 | '13912370108 | 冬至 | 市场部 | '139`,
    ),
    `人员 甲!2 甲!3 甲!2 甲!3 乙!2 乙!3 乙!2 乙!3
   张 甲 4 读；乙 4 读
   错 3000003F`,
    ['甲', '乙'],
    ['甲', '乙'],
  ],
]

test.each(cases)('%s', (_, sheet, expected, names, request) => {
  const { messages, requested } = rosterMessage(sheet, expected, names, request)
  expect(messages).toEqual(requested)
})
