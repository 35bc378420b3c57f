/**
 * Findings from public sheets: lists that are not about pay, labels that are no amounts, and the owner of a row. A
 * small sheet for each.
 */
import { describe, expect, test } from 'vitest'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { decodeText } from '../../../server/spreadsheets/read/text.ts'
import { asExpected, getLines, readLayout } from '../../support/sheets/drawn.ts'

const bills = '这像是发票或账单，不是工资表；请上传一人一行的工资表'

const cases: readonly [what: string, sheet: string, expected: string][] = [
  [
    'staff with many unknown columns',
    `
      username | password | employee_number | role
      ivan | 1234 | '001 | user
      maria | 5678 | '002 | user`,
    `是 member_list
      列 username=info password=info employee_number=employee_no role=info`,
  ],
  [
    'short numbers, phone lines and badges, which are no pay',
    `
      姓名 | 手机 | 短号 | 座机 | Badge号 | QQ | 所属部门 | 邮编
      胡一 | '13912370001 | 633527 | 22555 | 64997 | 1596913 | 政企部 | 15160
      宁二 | '13912370002 | 633519 | 22556 | 47496 | 1596914 | 政企部 | 15160`,
    `是 member_list
      列 姓名=name 手机=mobile 短号=info 座机=info Badge号=employee_no QQ=info 所属部门=department 邮编=info`,
  ],
  [
    'an account next to a name, which is no name',
    `
      用户名 | 真实姓名 | 手机号
      user001 | 张三 | '13912370011
      user002 | 李四 | '13912370012`,
    `是 member_list
      列 用户名=employee_no 真实姓名=name 手机号=mobile`,
  ],
  [
    'leave applications, which are no pay list',
    `
      审批编号 | 标题 | 发起人工号 | 发起人姓名 | 发起人部门 | 请假类型
      '20260001 | 方一提交的请假 | '42 | 方一 | 销售部 | 年假
      '20260002 | 石二提交的请假 | '43 | 石二 | 市场部 | 病假`,
    '是 not_a_wage_sheet',
  ],
  [
    'a template into which a program will write names',
    `
      序号 | 员工姓名 | 联系电话 | 实发工资
      {no} | {name} | {phone} | {net}`,
    `是 template
      人员`,
  ],
  [
    'insurance by kind, which is no pay',
    `
      社会保险费月报
      项目 | 养老 | 失业 | 工伤 | 合计
      单位缴纳 | 1200.5 | 60 | 20 | 1280.5
      个人缴纳 | 600 | 30 | 0 | 630
      补缴 | 100 | 5 | 1 | 106`,
    '是 not_a_wage_sheet',
  ],
  [
    'a staff export with insurance and termination data',
    `
      姓名 | 月度薪酬 | 试用期(月) | 离职原因 | 社保缴纳组织 | 社保申报基数 | 社保最后缴纳月 | 公积金申报基数 | 纳税地区 | 绩效等级 | 考评得分
      张一 | 8000 | 3 | | 总公司 | 8000 | | 8000 | | A | 95
      王二 | 9000 | 6 | 个人原因 | 总公司 | 9000 | | 9000 | 上海 | B | 88`,
    `列 姓名=name 月度薪酬=earning 试用期(月)=info 离职原因=info 社保缴纳组织=info 社保申报基数=info 社保最后缴纳月=info 公积金申报基数=info 纳税地区=info 绩效等级=info 考评得分=info`,
  ],
  [
    'the shop by its name, not by its number',
    `
      员工编号 | 员工姓名 | 店铺编号 | 店铺名称 | 结算所属期 | 基本工资 | 实发工资
      31 | 张三 | 10 | 南店 | 2026 年 1 月 | 5000 | 4800
      33 | 李四 | 11 | 北店 | 2026 年 1 月 | 5200 | 5000`,
    `列 员工编号=employee_no 员工姓名=name 店铺编号=info 店铺名称=department 结算所属期=info 基本工资=earning 实发工资=net
      实发 9800`,
  ],
  [
    'names under 名称, the month in each row',
    `
      序号 | 月 | 名称 | 证件号 | 约定工资 | 实发工资
      1 | 7 | 刘小一 | | 10012 | 8000
      2 | 7 | 刘小二 | | 10013 | 8100
      3 | 7 | 王小三 | | 10014 | 8200`,
    `人员 2 3 4
      列 序号=info 月=info 名称=name 证件号=id_card 约定工资=earning 实发工资=net
      实发 24300`,
  ],
  [
    'Vietnamese without diacritics, with its currency',
    `
      ID | Ten nhan vien | Thang | Nam | Tong luong | Khau tru | Luong thuc nhan
      1 | Nguyễn Văn A | 12 | 2025 | 500,000 VNĐ | 200,000 VNĐ | 300,000 VNĐ
      2 | Lê Văn B | 12 | 2025 | 100,000 VNĐ | 50,000 VNĐ | 50,000 VNĐ`,
    `人员 2 3
      列 ID=employee_no Ten nhan vien=name Thang=info Nam=info Tong luong=gross Khau tru=deduction Luong thuc nhan=net
      实发 350000`,
  ],
  [
    'a count behind two empty columns, which belongs to no column',
    `
      ID | ФИО | Должность | Стаж | | | Всего: | 1
      1 | Василий Пупкин | Сварщик | 4`,
    `是 member_list
      列 ID=employee_no ФИО=name Должность=info Стаж=info`,
  ],
  [
    'days repeated under each group of hours and pay',
    `
      Employee Payroll
      | | | Hours Worked | | Pay | | Total Pay |  | | January Pay
      Last Name | First Name | Hourly Wage | 2026-01-01 | 2026-01-08 | 2026-01-01 | 2026-01-08 | 2026-01-01 | 2026-01-08
      Kern | Jon | 15.9 | 41 | 42 | 651.9 | 667.8 | 659.85 | 683.7 | | 1343.55
      Howard | Gloria | 10 | 42 | 41 | 420 | 410 | 430 | 415 | | 845
      Total | | | | | 1071.9 | 1077.8 | 1089.85 | 1098.7 | | 2188.55`,
    `表头 2 3
      人员 4 5
      列 Last Name=last_name First Name=first_name Hourly Wage=info Hours Worked / 2026-01-01=info Hours Worked / 2026-01-08=info Pay / 2026-01-01=earning Pay / 2026-01-08=earning Total Pay / 2026-01-01=info Total Pay / 2026-01-08=info January Pay=earning`,
  ],
  [
    'the net pay before its items',
    `
      Employee No | Full Name | Working Days | Net Salary | Basic Salary | House Rent | Medical | Lunch | Advance | Income Tax
      EMP0027 | Sajjad Ali | 30 | 42000 | 30000 | 8000 | 3000 | 2500 | 500 | 1000
      EMP0002 | Abuzar Khan | 30 | 60000 | 44000 | 9000 | 4000 | 3500 | 0 | 500`,
    `列 Employee No=employee_no Full Name=name Working Days=info Net Salary=net Basic Salary=earning House Rent=earning Medical=earning Lunch=earning Advance=deduction Income Tax=tax
      实发 102000`,
  ],
  [
    'personal details, which are no basic pay',
    `
      BASIC DETAILS | < | < | SALARY DETAILS | <
      Employee Name | Father Name | Blood Group | Basic | Net Pay`,
    `是 template
      列 BASIC DETAILS / Employee Name=name BASIC DETAILS / Father Name=info BASIC DETAILS / Blood Group=info SALARY DETAILS / Basic=earning SALARY DETAILS / Net Pay=net`,
  ],
  [
    'invoices, whose numbers and totals are no pay',
    `
      Invoice No | Date | Customer Name | Amount | Tax | Total
      INV-001 | 2026-10-01 | John Smith | 100 | 13 | 113
      INV-002 | 2026-10-02 | Mary Jones | 200 | 26 | 226`,
    `是 not_a_wage_sheet
      原因 ${bills}`,
  ],
  [
    'a register of invoices',
    `
      发票号码 | 开票日期 | 经办人 | 购买方名称 | 金额 | 税额 | 价税合计
      '12345678 | 2026-10-01 | 张一 | 星河科技有限公司 | 1000 | 130 | 1130
      '12345679 | 2026-10-02 | 王二 | 云上贸易有限公司 | 2000 | 260 | 2260
      合计 | | | | 3000 | 390 | 3390`,
    `是 not_a_wage_sheet
      原因 ${bills}`,
  ],
  [
    'one invoice, whose goods are no department',
    `
      增值税发票 | < | < | < | < | < | < | <
      货物或应税劳务名称 | 规格型号 | 单位 | 数量 | 单价 | 金额 | 税率 | 税额
      软件服务 | | 项 | 1 | 1000 | 1000 | '6% | 60
      咨询服务 | | 项 | 2 | 500 | 1000 | '6% | 60
      合计 | | | | | 2000 | | 120`,
    `是 not_a_wage_sheet
      原因 ${bills}`,
  ],
  [
    'invoices of individuals',
    `
      账单号 | 姓名 | 手机号 | 账单金额 | 合计
      ZD001 | 张一 | '13912370021 | 1000 | 1000
      ZD002 | 王二 | '13912370022 | 2000 | 2000`,
    `是 not_a_wage_sheet
      原因 ${bills}`,
  ],
  [
    'meter readings',
    `
      编号 | 户名 | 上期读数 | 本期读数 | 用量 | 单价 | 应缴金额 | 合计
      '0001 | 张一 | 100 | 120 | 20 | 3.5 | 70 | 70
      '0002 | 王二 | 90 | 100 | 10 | 3.5 | 35 | 35`,
    `是 not_a_wage_sheet
      原因 ${bills}`,
  ],
  [
    'pay with an invoice',
    `
      姓名 | 劳务报酬 | 发票号码 | 开票日期 | 价税合计 | 个税 | 实发金额
      张一 | 1000 | '123 | 2026-10-01 | 1010 | 0 | 1000
      王二 | 2000 | '124 | 2026-10-01 | 2020 | 240 | 1760`,
    `是 wage
      实发 2760`,
  ],
  [
    'payments to a card, whatever the label of the adjacent number',
    `
      账单编号 | 姓名 | 身份证号 | 金额 | 合计
      ZD001 | 张一 | '330106198501011223 | 1000 | 1000
      ZD002 | 王二 | '320501199003150039 | 2000 | 2000`,
    '是 wage',
  ],
  [
    'piece work with an order, a price and an amount',
    `
      姓名 | 订单号 | 工序 | 数量 | 单价 | 金额
      张一 | D01 | 打磨 | 100 | 2 | 200
      王二 | D02 | 抛光 | 50 | 3 | 150`,
    '是 wage',
  ],
]

test.each(cases)('%s', (_, sheet, expected) =>
  expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
)

describe('text encodings', () => {
  const encoded = (bytes: readonly number[]) => Uint8Array.from(bytes)
  /** 氏名 in Shift_JIS, 이름 in EUC-KR, 電話 in Big5. */
  test.each([
    [
      'Shift_JIS',
      [0x8e, 0x81, 0x96, 0xbc, 0x2c, 0x95, 0x94, 0x8f, 0x90, 0x0a, 0x93, 0x63, 0x92, 0x86, 0x2c, 0x81, 0x81],
      '氏名,部署\n田中,＝',
    ],
    ['EUC-KR', [0xc0, 0xcc, 0xb8, 0xa7, 0x2c, 0xba, 0xce, 0xbc, 0xad, 0x0a, 0xc8, 0xab, 0x2c, 0xb0, 0xa1], '이름,부서\n홍,가'],
    ['Big5', [0xa9, 0x6d, 0xa6, 0x57, 0x2c, 0xb3, 0xa1, 0xaa, 0xf9, 0x0a, 0xa4, 0xfd, 0x2c, 0xa4, 0x40], '姓名,部門\n王,一'],
    ['GBK', [0xd0, 0xd5, 0xc3, 0xfb, 0x2c, 0xb2, 0xbf, 0xc3, 0xc5, 0x0a, 0xcd, 0xf5, 0x2c, 0xd2, 0xbb], '姓名,部门\n王,一'],
  ])('detects %s by its labels', (_, bytes, text) => expect(decodeText(encoded(bytes))).toBe(text))

  test('reads ="…", which protects text from conversion to a number, as its text', async () => {
    const [grid] = await readGrids(Buffer.from('工号,姓名,实发工资\n="0001",张一,100\n="0002",王二,200'))
    expect(grid?.rows.slice(1).map((row) => row?.[0])).toEqual(['0001', '0002'])
  })

  test('treats rows with an equal number of columns as a table, however long one cell is', async () => {
    const many = Array.from({ length: 20 }, (_, at) => `all${at}@a.example`).join('; ')
    const line = (name: string, mail: string) => `,,${name},,${mail},,,`
    const text = [
      '名字,姓氏,显示名称,昵称,主要电子邮件,备用电子邮件,工作电话,移动电话号码',
      line('全体', many),
      line('方一', 'f@a.example'),
    ]
    const grids = await readGrids(Buffer.from(text.join('\r\n')))
    expect(recognizeWorkbook(grids).recognition.columns.find(({ role }) => role === 'email')?.label).toBe('主要电子邮件')
  })
})
