/** Issues with the amounts of a row, as the issue page shows them: one table per kind. */
import { describe, expect, it } from 'vitest'
import { getProblems, getRead, type Input } from '../../support/clerk.ts'

type Case = [situation: string, given: Input, read: string[]]
const reads = (cases: Case[]) => it.each(cases)('%s', (_, provided, expected) => expect(getRead(provided)).toEqual(expected))
const head = '姓名 | 应发 | 社保 | 个税 | 实发 | 备注'
const sum = '实发 = 应发 − 社保 − 个税'
/** One row of 张三 under the usual headers. */
const row = (line: string, more: Partial<Input> = {}): Input => ({ sheet: `${head}\n张三 | ${line}`, sum, ...more })

describe('金额不是数字', () =>
  reads([
    [
      'a remark in place of an amount',
      row('见备注 | 500 | 10 | 7490 |'),
      ['必须处理 金额不是数字：第 2 行 张三（应发 见备注） 「应发」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
    [
      'in the net pay',
      row('8000 | 500 | 10 | 待定 |'),
      ['必须处理 金额不是数字：第 2 行 张三（实发 待定） 「实发」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
    [
      'two points',
      row('8000 | 5.0.0 | 10 | 7490 |'),
      ['必须处理 金额不是数字：第 2 行 张三（社保 5.0.0） 「社保」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
    [
      'two at once: each is told, the sum is not asked',
      row('待补 | 待补 | 10 | 7490 |'),
      [
        '必须处理 金额不是数字：第 2 行 张三（应发 待补） 「应发」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人',
        '必须处理 金额不是数字：第 2 行 张三（社保 待补） 「社保」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人',
      ],
    ],
    ['an amount with its unit is one', row('8000元 | 500 | 10 | 7490 |'), []],
    ['a dash, a bracket, a word for nothing are amounts', row('8000 | (500) | - | 8500 | 无'), []],
    ['full width, with a currency and thousands', row('￥８，０００.00 | 500 | 10 | 7,490.00 |'), []],
    [
      'more than anybody’s pay: a card number slipped into the column',
      { sheet: '姓名 | 实发\n张三 | 900,000,000.01' },
      [
        '必须处理 金额不是数字：第 2 行 张三（实发 900,000,000.01） 「实发」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人',
      ],
    ],
    ['words in a remark are none of ours', row('8000 | 500 | 10 | 7490 | 待定'), []],
    ['left out', row('见备注 | 500 | 10 | 7490 |', { skipped: [2] }), []],
    [
      'cannot be accepted',
      row('见备注 | 500 | 10 | 7490 |', { accepted: { 2: ['not_a_number:c1'] } }),
      ['必须处理 金额不是数字：第 2 行 张三（应发 见备注） 「应发」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
  ]))

describe('公式出错', () =>
  reads([
    [
      'an error of Excel',
      row('8000 | #REF! | 10 | 7490 |'),
      [
        '必须处理 公式出错：第 2 行 张三（社保 #REF!） 「社保」是公式错误或没有计算结果；请填写金额，或在 Excel 中重新计算并保存后再上传 → 修改单元格｜跳过此人',
      ],
    ],
    [
      'a formula that was never computed',
      row('8000 | 500 | 10 | 没有结果 |'),
      [
        '必须处理 公式出错：第 2 行 张三（实发 空） 「实发」是公式错误或没有计算结果；请填写金额，或在 Excel 中重新计算并保存后再上传 → 修改单元格｜跳过此人',
      ],
    ],
    ['in a remark it is no amount', row('8000 | 500 | 10 | 7490 | #REF!'), []],
  ]))

describe('长号码末尾丢失', () =>
  reads([
    [
      'a bank account: only asked, it is not what is sent',
      { sheet: '姓名 | 银行卡号 | 实发\n张三 | 丢了末尾 | 5000' },
      [
        '请确认 长号码末尾丢失：第 2 行 张三（银行卡号 123456789012345680） 「银行卡号」超过 15 位，在 Excel 中末尾几位已经丢失；请核对原件 → 修改单元格｜接受',
      ],
    ],
    [
      'an amount: never sent',
      row('8000 | 500 | 10 | 丢了末尾 |'),
      [
        '必须处理 长号码末尾丢失：第 2 行 张三（实发 123456789012345680） 「实发」的数字超过 15 位，末尾几位已经丢失；请填写正确的金额 → 修改单元格｜跳过此人',
      ],
    ],
    ['a bank account written as text', { sheet: '姓名 | 银行卡号 | 实发\n张三 | 6222020000000000001 | 5000' }, []],
    ['accepted', { sheet: '姓名 | 银行卡号 | 实发\n张三 | 丢了末尾 | 5000', accepted: { 2: ['damaged_number:c1'] } }, []],
  ]))

describe('没有实发金额', () =>
  reads([
    [
      'empty',
      row('8000 | 500 | 10 | |'),
      ['必须处理 没有实发金额：第 2 行 张三（实发 空） 「实发」是空的；请填写金额，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
    [
      'a dash',
      row('8000 | 500 | 10 | - |'),
      ['必须处理 没有实发金额：第 2 行 张三（实发 -） 「实发」是空的；请填写金额，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
    ['zero is an amount', row('510 | 500 | 10 | 0 |'), []],
    [
      'cannot be accepted',
      row('8000 | 500 | 10 | |', { accepted: { 2: ['missing_net:c4'] } }),
      ['必须处理 没有实发金额：第 2 行 张三（实发 空） 「实发」是空的；请填写金额，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
  ]))

describe('没有任何金额', () =>
  reads([
    [
      'nothing but a remark',
      row('| | | | 离职'),
      ['必须处理 没有任何金额：第 2 行 张三（实发 空） 这一行没有任何金额；请跳过，或填写实发金额 → 修改单元格｜跳过此人'],
    ],
    [
      'dashes all along',
      row('- | - | - | - |'),
      ['必须处理 没有任何金额：第 2 行 张三（实发 -） 这一行没有任何金额；请跳过，或填写实发金额 → 修改单元格｜跳过此人'],
    ],
    [
      'cannot be accepted: its list offers no such way out',
      row('| | | | 离职', { accepted: { 2: ['empty_row:c4'] } }),
      ['必须处理 没有任何金额：第 2 行 张三（实发 空） 这一行没有任何金额；请跳过，或填写实发金额 → 修改单元格｜跳过此人'],
    ],
    ['a zero is something', row('0 | 0 | 0 | 0 |'), []],
    [
      'a word in place of an amount is told as such',
      row('待定 | | | |'),
      [
        '必须处理 金额不是数字：第 2 行 张三（应发 待定） 「应发」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人',
        '必须处理 没有实发金额：第 2 行 张三（实发 空） 「实发」是空的；请填写金额，或跳过这一行 → 修改单元格｜跳过此人',
      ],
    ],
    [
      'a word for nothing is nothing',
      row('无 | | | |'),
      ['必须处理 没有任何金额：第 2 行 张三（实发 空） 这一行没有任何金额；请跳过，或填写实发金额 → 修改单元格｜跳过此人'],
    ],
  ]))

describe('相差几分', () =>
  reads([
    [
      'several rows within half a fen a term are one note, more than that is told row by row',
      {
        sheet: `${head}\n张三 | 8000 | 500 | 10 | 7490.01 |\n李四 | 8000 | 500 | 10 | 7489.98 |\n王五 | 8000 | 500 | 10 | 7489.97 |`,
        sum,
      },
      [
        '请确认 相差几分：整张表 第 2 行等 2 行各项相加和表里写的最多差 0.02 元，是 Excel 没有四舍五入；按表里写的发 → 接受',
        '必须处理 实发对不上：第 4 行 王五（实发 7489.97） 各项相加得 7,490.00，「实发」写的是 7,489.97，相差 0.03 → 改为 7,490.00｜修改单元格｜接受｜跳过此人',
      ],
    ],
    ['accepted for the sheet', row('8000 | 500 | 10 | 7490.01 |', { accepted: { 0: ['rounding:'] } }), []],
  ]))

describe('工资条各项对不上', () => {
  const sheet = '姓名 | 岗位工资 | 基本工资 | 社保 | 实发\n张三 | 12000 | 8000 | 500 | 7500\n李四 | 13000 | 9000 | 500 | 8500'
  reads([
    [
      'an earning that the relation of the sheet leaves out blocks the sheet once, and cannot be accepted',
      { sheet, sum: '实发 = 基本工资 − 社保', accepted: { 0: ['slip_mismatch:'] } },
      [
        '必须处理 工资条各项对不上：整张表 第 2 行等 2 行工资条上各项相加得 19,500.00，实发的算式得 7,500.00；「岗位工资」没有算进实发，请把用途改为「说明」 → ',
      ],
    ],
    ['a sheet without a relation is not asked', { sheet }, []],
    [
      'a line that is no amount is an issue of its own and says nothing about the sum',
      {
        sheet:
          '姓名 | 基本工资 | 加班费 | 应发 | 社保 | 实发\n张三 | 8000 | 见备注 | 8100 | 500 | 7600\n李四 | 9000 | 100 | 9100 | 500 | 8600',
        sum: '实发 = 应发 − 社保',
        subtotals: ['应发 = 基本工资 + 加班费'],
      },
      ['必须处理 金额不是数字：第 2 行 张三（加班费 见备注） 「加班费」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
    ['nor one whose rows mostly do not keep it', { sheet, sum: '实发 = 基本工资 − 社保，9 行中 3 行' }, []],
    [
      'nor one whose gross pay is not known to be made of its items',
      {
        sheet: '姓名 | 岗位工资 | 应发 | 社保 | 实发\n张三 | 12000 | 8000 | 500 | 7500',
        sum: '实发 = 应发 − 社保',
      },
      [],
    ],
  ])
})

describe('实发对不上', () =>
  reads([
    [
      'a fen too much',
      row('8000 | 500 | 10 | 7490.01 |'),
      ['请确认 相差几分：整张表 第 2 行各项相加和表里写的最多差 0.01 元，是 Excel 没有四舍五入；按表里写的发 → 接受'],
    ],
    [
      'a fen too little',
      row('8000 | 500 | 10 | 7489.99 |'),
      ['请确认 相差几分：整张表 第 2 行各项相加和表里写的最多差 0.01 元，是 Excel 没有四舍五入；按表里写的发 → 接受'],
    ],
    ['half a fen is rounded away from zero, as everywhere', row('8000 | 500 | 9.995 | 7490 |'), []],
    [
      'digits changed places',
      row('8000 | 500 | 10 | 7940 |'),
      [
        '必须处理 实发对不上：第 2 行 张三（实发 7940） 各项相加得 7,490.00，「实发」写的是 7,940.00，相差 450.00 → 改为 7,490.00｜修改单元格｜接受｜跳过此人',
      ],
    ],
    ['accepted', row('8000 | 500 | 10 | 7940 |', { accepted: { 2: ['sum_mismatch:c4'] } }), []],
    [
      'accepted for another cell',
      row('8000 | 500 | 10 | 7940 |', { accepted: { 2: ['sum_mismatch:c1'] } }),
      [
        '必须处理 实发对不上：第 2 行 张三（实发 7940） 各项相加得 7,490.00，「实发」写的是 7,940.00，相差 450.00 → 改为 7,490.00｜修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'four rows of five keep the sum: an error',
      row('8000 | 500 | 10 | 7940 |', { sum: `${sum}，100 行中 80 行` }),
      [
        '必须处理 实发对不上：第 2 行 张三（实发 7940） 各项相加得 7,490.00，「实发」写的是 7,940.00，相差 450.00 → 改为 7,490.00｜修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'fewer: only asked',
      row('8000 | 500 | 10 | 7940 |', { sum: `${sum}，100 行中 79 行` }),
      [
        '请确认 实发对不上：第 2 行 张三（实发 7940） 各项相加得 7,490.00，「实发」写的是 7,940.00，相差 450.00 → 改为 7,490.00｜修改单元格｜接受｜跳过此人',
      ],
    ],
    ['no sum is known: nothing is asked', { sheet: `${head}\n张三 | 8000 | 500 | 10 | 7940 |` }, []],
    ['nothing is asked of a row of another sheet’s sum', row('8000 | 500 | 10 | 7940 |', { sum: '备注 = 应发 − 社保' }), []],
    [
      'the gross pay and its parts',
      { sheet: '姓名 | 基本工资 | 奖金 | 应发 | 实发\n张三 | 7000 | 1000 | 8100 | 8100', subtotals: ['应发 = 基本工资 + 奖金'] },
      [
        '必须处理 实发对不上：第 2 行 张三（应发 8100） 各项相加得 8,000.00，「应发」写的是 8,100.00，相差 100.00 → 改为 8,000.00｜修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'parts that hold in too few rows',
      {
        sheet: '姓名 | 基本工资 | 奖金 | 应发 | 实发\n张三 | 7000 | 1000 | 8100 | 8100',
        subtotals: ['应发 = 基本工资 + 奖金，9 行中 3 行'],
      },
      [
        '请确认 实发对不上：第 2 行 张三（应发 8100） 各项相加得 8,000.00，「应发」写的是 8,100.00，相差 100.00 → 改为 8,000.00｜修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'parts of which one is no amount: told once',
      { sheet: '姓名 | 基本工资 | 奖金 | 应发 | 实发\n张三 | 7000 | 待定 | 8100 | 8100', subtotals: ['应发 = 基本工资 + 奖金'] },
      ['必须处理 金额不是数字：第 2 行 张三（奖金 待定） 「奖金」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
    [
      'a subtotal that is not written',
      { sheet: '姓名 | 基本工资 | 奖金 | 应发 | 实发\n张三 | 7000 | 1000 | | 8000', subtotals: ['应发 = 基本工资 + 奖金'] },
      [],
    ],
    [
      'a column of a sum must be amounts, whatever it is for',
      { sheet: '姓名 | 备注 | 应发 | 实发\n张三 | 现金 | 8000 | 8000', sum: '实发 = 应发 + 备注' },
      ['必须处理 金额不是数字：第 2 行 张三（备注 现金） 「备注」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
  ]))

describe('实发为负', () =>
  reads([
    [
      'a fen below',
      { sheet: '姓名 | 实发\n张三 | -0.01' },
      ['请确认 实发为负：第 2 行 张三（实发 -0.01） 实发是负数，请确认 → 修改单元格｜接受｜跳过此人'],
    ],
    [
      'in brackets',
      { sheet: '姓名 | 实发\n张三 | (510.00)' },
      ['请确认 实发为负：第 2 行 张三（实发 (510.00)） 实发是负数，请确认 → 修改单元格｜接受｜跳过此人'],
    ],
    ['zero', { sheet: '姓名 | 实发\n张三 | 0.00' }, []],
    ['accepted', { sheet: '姓名 | 实发\n张三 | -510', accepted: { 2: ['negative_net:c1'] } }, []],
    [
      'wrong and negative: both are told',
      row('100 | 500 | 10 | -400 |'),
      [
        '必须处理 实发对不上：第 2 行 张三（实发 -400） 各项相加得 −410.00，「实发」写的是 −400.00，相差 10.00 → 改为 −410.00｜修改单元格｜接受｜跳过此人',
        '请确认 实发为负：第 2 行 张三（实发 -400） 实发是负数，请确认 → 修改单元格｜接受｜跳过此人',
      ],
    ],
  ]))

describe('amounts without an issue', () =>
  reads([
    ['all is well', row('8000 | 500 | 10 | 7490 |'), []],
    ['an empty cell counts nothing', row('8000 | 510 | | 7490 |'), []],
    [
      'the employer’s share is no part of the net pay',
      { sheet: '姓名 | 应发 | 公司社保 | 实发\n张三 | 8000 | 1200 | 8000', sum: '实发 = 应发' },
      [],
    ],
    ['the most that is anybody’s pay, to the fen', { sheet: '姓名 | 实发\n张三 | 900,000,000.00' }, []],
  ]))

describe('合计', () => {
  const totals = (provided: Input) => getProblems(provided).check.totals
  it.each<[string, Input, ReturnType<typeof totals>]>([
    [
      'rows that count, to the fen',
      { sheet: `${head}\n张三 | 8000.10 | | 10.05 | 7990.05 |\n李四 | 9000.20 | | | 9000.20 |` },
      { people: 2, gross_fen: 1_700_030, tax_fen: 1_005, net_fen: 1_699_025 },
    ],
    [
      'a skipped row',
      { sheet: `${head}\n张三 | 8000 | | 10 | 7990 |\n李四 | 9000 | | | 9000 |`, skipped: [3] },
      { people: 1, gross_fen: 800_000, tax_fen: 1_000, net_fen: 799_000 },
    ],
    [
      'a sheet without such columns',
      { sheet: '姓名 | 实发\n张三 | 5' },
      { people: 1, gross_fen: null, tax_fen: null, net_fen: 500 },
    ],
    [
      'a refunded tax, text in place of an amount',
      { sheet: `${head}\n张三 | 8000 | | -10 | 8010 |\n李四 | 待定 | | 5 | 9000 |` },
      { people: 2, gross_fen: 800_000, tax_fen: -500, net_fen: 1_701_000 },
    ],
    [
      'two tax columns are added, two of gross pay are not',
      { sheet: '姓名 | 应发 | 应发 | 个税 | 个税 | 实发\n张三 | 8000 | 9000 | 10 | 5 | 7985' },
      { people: 1, gross_fen: 800_000, tax_fen: 1_500, net_fen: 798_500 },
    ],
  ])('%s', (_, provided, expected) => expect(totals(provided)).toEqual(expected))
})
