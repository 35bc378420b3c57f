/** The meaning of labels with a remark, columns under a pay label that are no pay, and the choice of the net column. */
import { describe, expect, test } from 'vitest'
import { getLabelMeaning } from '../../../server/spreadsheets/recognise/label-meaning.ts'
import { asExpected, getLines, readLayout } from '../../support/sheets/drawn.ts'

type Case = [what: string, sheet: string, expected: string]
const notify = (cases: readonly Case[]) =>
  test.each(cases)('%s', (_, sheet, expected) =>
    expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
  )

const labels = {
  姓名: 'name',
  工号: 'employee_no',
  手机号: 'mobile',
  身份证号: 'id_card',
  部门: 'department',
  银行卡号: 'bank_account',
  企业微信账号: 'platform_account',
  飞书账号: 'platform_account',
  实发工资: 'net',
  实发: 'net',
  应发工资: 'gross',
  应发合计: 'gross',
  基本工资: 'earning',
  岗位工资: 'earning',
  绩效: 'earning',
  个税: 'tax',
  社保: 'deduction',
  公积金: 'deduction',
} as const
/** Remarks that users write behind a label. */
const remarks = [
  '（请核对）',
  '(含补贴)',
  '【见说明】',
  '（以财务为准',
  '—本月',
  ' -- 含节日',
  '：见附件',
  '\n（2026年10月）',
  '\n按入职登记',
  ' 税法口径',
  '(元)（四舍五入）',
  '（与入职登记表上的一致，请勿修改）',
  '=按公式',
]
describe.each(Object.entries(labels))('%s', (label, role) => {
  test.each(remarks)('reads a label with the remark %j', (remark) => {
    expect(getLabelMeaning([`${label}${remark}`]).role).toBe(role)
    expect(getLabelMeaning([`${label}${remark}`]).confidence).toBeGreaterThanOrEqual(0.6)
  })
})

describe('text that is no remark', () => {
  test.each([
    ['加班（小时）', 'info'],
    ['加班\n天数', 'info'],
    ['绩效（比例）', 'info'],
    ['实发工资（签字）', 'info'],
    ['实发工资（上月）', 'info'],
    ['上月实发工资', 'info'],
    ['实发工资（累计）', 'info'],
    ['工资（税后）', 'net'],
    ['工资（实发）', 'net'],
    ['工资（应发）', 'gross'],
    ['收入（税前）', 'gross'],
    ['实发工资（已扣个税）', 'net'],
    ['实发工资（不含补发）', 'net'],
    ['实发=应发-社保-个税', 'net'],
    ['社保（个人）', 'deduction'],
    ['社保（单位）', 'employer'],
    ['公积金-单位', 'employer'],
    ['公积金—个人', 'deduction'],
    ['手机号（紧急联系人）', 'info'],
    ['养老保险（基数）', 'info'],
    ['补贴（扣）', 'deduction'],
    ['E-mail', 'email'],
    ['Net Pay (CNY)', 'net'],
    ['Employee Name (as in passport)', 'name'],
  ])('reads %j as %s', (text, role) => expect(getLabelMeaning([text]).role).toBe(role))
  test('accepts a remark in a separate row under the label', () => {
    expect(getLabelMeaning(['姓名', '（与身份证一致）']).role).toBe('name')
    expect(getLabelMeaning(['实发工资', '（已扣社保）']).role).toBe('net')
  })
})

describe('dates as labels are attendance', () => {
  test.each(['1', '15', '31', '1日', '31号', '10月1日', '10/31', '2026-10-01', '周一', '星期日'])('%s', (label) =>
    expect(getLabelMeaning([label])).toMatchObject({ role: 'info', nature: 'info' }),
  )
  test.each(['32', '0', '13薪', '1月工资'])('does not read %s as a date', (label) =>
    expect(getLabelMeaning([label]).nature).not.toBe('info'),
  )
  notify([
    [
      'between amounts they stay days',
      `姓名 | 基本工资 | 1 | 2 | 3 | 加班费 | 实发工资
       张三 | 5000 | 8 | 8 | 7.5 | 100 | 5100
       李四 | 6000 | 8 | 0 | 8 | 50 | 6050`,
      '表头 1\n人员 2 3\n列 姓名=name 基本工资=earning 1=info 2=info 3=info 加班费=earning 实发工资=net',
    ],
    [
      'dates as labels too',
      `姓名 | 基本工资 | 2026-10-01 | 2026-10-02 | 实发工资
       张三 | 5000 | 8 | 8 | 5000
       李四 | 6000 | 8 | 4 | 6000`,
      '表头 1\n人员 2 3\n列 姓名=name 基本工资=earning 2026-10-01=info 2026-10-02=info 实发工资=net',
    ],
  ])
})

describe('numbers under a pay label that are no pay', () => {
  const table = (label: string, a: string, b: string) => `
    姓名 | ${label} | 基本工资 | 实发工资
    张三 | ${a} | 5000 | 5000
    李四 | ${b} | 6000 | 6000`
  notify(
    [
      ['a month', '工资', '202610', '202610', 'info'],
      ['a year', '工资年度', '2026', '2026', 'info'],
      ['two years', '奖金（年度）', '2025', '2026', 'info'],
      ['a date', '奖金', '2026-10-31', '2026-10-30', 'info'],
      ['an account', '代发工资', "'6222021234567890128", "'6222021234567890136", 'info'],
      ['an account that looks like an amount', '工资', "'110101199001011", "'110101199001022", 'info'],
      ['a phone', '津贴', "'13812345678", "'13812345679", 'mobile'],
      ['an amount', '奖金', '2026', '2027', 'earning'],
      ['the same amount for everybody', '奖金', '2000', '2000', 'earning'],
      ['a large amount', '年终奖', '202610', '198000', 'earning'],
      ['eleven digits of fen', '奖金', '13812.35', '13812.36', 'earning'],
    ].map(
      ([what = '', label = '', a = '', b = '', role]): Case => [
        what,
        table(label, a, b),
        `列 姓名=name ${label}=${role} 基本工资=earning 实发工资=net`,
      ],
    ),
  )
})

describe('choice of the net column', () => {
  notify([
    [
      'none says so: the gross pay where nothing is taken off',
      `姓名 | 基本工资 | 奖金 | 应发工资
       张三 | 5000 | 100 | 5100
       李四 | 6000 | 200 | 6200`,
      '必答 net→net:c3\n实发 无',
    ],
    [
      'arithmetic comes first: what is left after the deductions, wherever it stands',
      `姓名 | 结余奖 | 应发工资 | 社保 | 个税 | 其他奖金
       张三 | 4790 | 5100 | 300 | 10 | 88
       李四 | 5780 | 6200 | 400 | 20 | 66`,
      '必答 net→net:c1',
    ],
    [
      'suggests nothing that neither the sums nor a label prove, like an amount behind the deductions',
      `姓名 | 基本工资 | 奖金 | 社保 | 奖金余额 | 社保基数
       张三 | 5000 | 100 | 300 | 77 | 4000
       李四 | 6000 | 200 | 400 | 66 | 4000`,
      '必答 net→无建议',
    ],
    [
      'a lone column of pay',
      `姓名 | 部门 | 奖金
       张三 | 财务 | 500
       李四 | 销售 | 600`,
      '必答 net→net:c2\n是 wage',
    ],
    [
      'several of them, with different amounts',
      `姓名 | 基本工资 | 实发工资 | 实发金额
       张三 | 1 | 500 | 600
       李四 | 2 | 900 | 1100`,
      '必答 net→无建议\n实发 1700',
    ],
    [
      'the only total',
      `姓名 | 底薪 | 总计
       张三 | 100 | 500
       李四 | 200 | 900`,
      '必答 role:c2→net',
    ],
    [
      'no amounts at all: only that there is none can be said',
      `姓名 | 邮箱 | 绩效 | 薪酬
       张三 | a@example.com | 甲 | 乙
       李四 | b@example.com | 丙 | 丁`,
      '必答 net→无建议',
    ],
    [
      'last month is no rival',
      `姓名 | 上月实发 | 基本工资 | 实发工资
       张三 | 500 | 600 | 600
       李四 | 900 | 700 | 700`,
      '必答\n实发 1300',
    ],
  ])
})
