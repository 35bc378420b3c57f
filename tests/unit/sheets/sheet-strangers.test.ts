/** Complete wage sheets as strangers design them: positions, employees, net pay and questions. */
import { describe, expect, test } from 'vitest'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { asExpected, getLines, getSheets, readLayout } from '../../support/sheets/drawn.ts'
import { staffAndLabour } from '../../support/sheets/tables.ts'
import { getFile } from '../../support/sheets/written.ts'

type Case = [what: string, sheet: string, expected: string]
const cases: readonly Case[] = [
  [
    'header of 3 rows with a side block',
    `
      2026年10月份工资发放明细表 | < | < | < | < | < | < | < | < | | 本月汇总
      编制部门：人力资源部 | | | | | | 单位：元 | | | | 项目 | 金额
      序号 | 姓名 | 应发部分 | < | < | 代扣部分 | < | < | 实发金额 | | 应发合计 | 33000
      ^ | ^ | 岗位工资 | 绩效工资 | 小计 | 社保 | 个税 | 小计 | ^ | | 扣款合计 | 1830
      1 | 王建国 | 8000 | 2000 | 10000 | 500 | 90 | 590 | 9410 | | 实发合计 | 31170
      2 | 李秀英 | 9000 | 3000 | 12000 | 600 | 120 | 720 | 11280 | | 人数 | 3
      3 | 张伟 | 7000 | 4000 | 11000 | 500 | 20 | 520 | 10480
      合计 | | 24000 | 9000 | 33000 | 1600 | 230 | 1830 | 31170
      制表：刘芳 | | | 审核：王强 | | | 批准： | | 日期：2026.11.5`,
    `
      表头 3 4
      人员 5 6 7
      列 序号=info 姓名=name 应发部分 / 岗位工资=earning 应发部分 / 绩效工资=earning 应发部分 / 小计=subtotal 代扣部分 / 社保=deduction 代扣部分 / 个税=tax 代扣部分 / 小计=subtotal 实发金额=net
      必答
      实发 31170`,
  ],
  [
    'two tables one below the other with different headers (staff and labour)',
    `${staffAndLabour}
      总计 | | | | 22100`,
    `
      表头 8
      人员 9 10
      列 姓名=name 出勤天数=info 日工资=info 应发=gross 实发=net
      必答 several_tables→one
      实发 8400`,
  ],
  [
    'form of one employee',
    `
      员工工资单 | <
      姓名 | 李雷 | 部门 | 销售部
      工号 | A001 | 月份 | 2026-10
      基本工资 | 8000 | 养老保险 | 640
      绩效 | 2000 | 医疗保险 | 160
      应发合计 | 10000 | 扣款合计 | 800
      实发工资 | 9200 | 签字 |`,
    `
      是 not_a_wage_sheet`,
  ],
  [
    'several months on one sheet, one row per employee, columns by month',
    `
      姓名 | 2026年8月 | < | 2026年9月 | < | 2026年10月 | <
      ^ | 应发 | 实发 | 应发 | 实发 | 应发 | 实发
      吴磊 | 8000 | 7500 | 8100 | 7600 | 8200 | 7700
      郑爽 | 9000 | 8400 | 9000 | 8400 | 9500 | 8900
      王芳 | 7000 | 6600 | 7000 | 6600 | 7000 | 6600`,
    `
      表头 1 2
      人员 3 4 5
      列 姓名=name 2026年8月 / 应发=gross 2026年8月 / 实发=info 2026年9月 / 应发=info 2026年9月 / 实发=info 2026年10月 / 应发=info 2026年10月 / 实发=net
      必答 net→无建议
      实发 23200`,
  ],
  [
    'several months one below the other with a month column',
    `
      月份 | 姓名 | 基本工资 | 奖金 | 实发工资
      2026年9月 | 吴磊 | 8000 | 100 | 8100
      2026年9月 | 郑爽 | 9000 | 200 | 9200
      2026年10月 | 吴磊 | 8000 | 300 | 8300
      2026年10月 | 郑爽 | 9000 | 400 | 9400`,
    `
      表头 1
      人员 4 5
      列 月份=info 姓名=name 基本工资=earning 奖金=earning 实发工资=net
      必答 several_tables→one
      实发 17700`,
  ],
  [
    'negative pay and remarks, footer notes',
    `
      XX餐饮店10月工资
      姓名 | 职位 | 底薪 | 提成 | 借支 | 罚款 | 实领 | 备注
      陈大明 | 厨师 | 6000 | 500 | 7000 | 0 | -500 | 上月借支未还清
      刘小红 | 服务员 | 3500 | 200 | 0 | 50 | 3650 | 迟到1次
      马超 | 店长 | 8000 | 1500 | 0 | 0 | 9500 |
      合计 | | 17500 | 2200 | 7000 | 50 | 12650
      注：1.工资于每月15日发放；2.有疑问请联系财务。`,
    `
      表头 2
      人员 3 4 5
      列 姓名=name 职位=info 底薪=earning 提成=earning 借支=deduction 罚款=deduction 实领=net 备注=info
      必答
      实发 12650`,
  ],
  [
    'amounts in ten thousands of yuan',
    `
      高管薪酬表（单位：万元）
      姓名 | 职务 | 月固定薪酬 | 绩效薪酬 | 税前合计 | 个税 | 税后实得
      王总 | 总经理 | 5.5 | 2.25 | 7.75 | 1.2345 | 6.5155
      李总 | 副总 | 4.2 | 1.5 | 5.7 | 0.8123 | 4.8877
      张总 | 财务总监 | 3.8 | 1.2 | 5 | 0.65 | 4.35`,
    `
      表头 2
      人员 3 4 5
      列 姓名=name 职务=info 月固定薪酬=earning 绩效薪酬=earning 税前合计=gross 个税=tax 税后实得=net
      必答 unit→wan
      实发 15.76`,
  ],
  [
    'names split with spaces, numbers first, empty rows and page subtotals',
    `
      序号 | 姓  名 | 基本工资 | 工龄工资 | 应发工资 | 扣保险 | 实发工资 | 领款人签字
      1 | 王  伟 | 3000 | 100 | 3100 | 300 | 2800 |
      2 | 李娜 | 3200 | 200 | 3400 | 300 | 3100 |
      本页小计 | | 6200 | 300 | 6500 | 600 | 5900
      序号 | 姓  名 | 基本工资 | 工龄工资 | 应发工资 | 扣保险 | 实发工资 | 领款人签字
      3 | 张军 | 3300 | 100 | 3400 | 300 | 3100 |
      4 | 刘洋 | 3100 | 0 | 3100 | 300 | 2800 |
      本页小计 | | 6400 | 100 | 6500 | 600 | 5900
      累计 | | 12600 | 400 | 13000 | 1200 | 11800`,
    `
      表头 1
      人员 2 3 6 7
      列 序号=info 姓 名=name 基本工资=earning 工龄工资=earning 应发工资=gross 扣保险=deduction 实发工资=net 领款人签字=info
      必答
      实发 11800`,
  ],
  [
    'piece work with quantities and unit prices',
    `
      姓名 | 工序 | 数量 | 单价 | 金额 | 工序 | 数量 | 单价 | 金额 | 合计金额
      黄强 | 车缝 | 500 | 2.5 | 1250 | 包装 | 300 | 0.8 | 240 | 1490
      林静 | 裁剪 | 800 | 1.2 | 960 | 质检 | 200 | 1 | 200 | 1160
      何平 | 车缝 | 620 | 2.5 | 1550 | 包装 | 100 | 0.8 | 80 | 1630`,
    `
      表头 1
      人员 2 3 4
      列 姓名=name 工序=info 数量=info 单价=info 金额=earning 工序=info 数量=info 单价=info 金额=earning 合计金额=net
      必答 about_pay→无建议
      实发 4280`,
  ],
  [
    'construction site: team, bank card, id card, attendance days grid',
    `
      农民工工资发放表
      工程名称：某某花园二期 | | | | | 2026年10月
      序号 | 班组 | 姓名 | 身份证号码 | 1 | 2 | 3 | 4 | 5 | 出勤合计 | 日工资（元/天） | 应发金额 | 已借支 | 实发金额 | 银行卡号 | 开户行 | 本人签字
      1 | 木工班 | 罗建军 | '51010119800101123X | 1 | 1 | 0.5 | 1 | 1 | 4.5 | 300 | 1350 | 200 | 1150 | '6222021234567890123 | 工行成都支行
      2 | 木工班 | 谢小军 | '510101198502021239 | 1 | 1 | 1 | 1 | 1 | 5 | 300 | 1500 | 0 | 1500 | '6222021234567890124 | 工行成都支行
      3 | 钢筋班 | 唐勇 | '510101197903031234 | 1 | 0 | 1 | 1 | 1 | 4 | 350 | 1400 | 100 | 1300 | '6222021234567890125 | 建行
      合计 | | | | | | | | | 13.5 | | 4250 | 300 | 3950`,
    `
      表头 3
      人员 4 5 6
      列 序号=info 班组=department 姓名=name 身份证号码=id_card 1=info 2=info 3=info 4=info 5=info 出勤合计=info 日工资（元/天）=info 应发金额=gross 已借支=deduction 实发金额=net 银行卡号=bank_account 开户行=info 本人签字=info
      必答
      实发 3950`,
  ],
  [
    'school: performance, teacher names, no label for net pay',
    `
      2026年10月课时津贴发放表
      姓名 | 学科 | 周课时 | 课时津贴 | 班主任津贴 | 早晚自习 | 总计 | 签名
      曾老师 | 语文 | 12 | 1200 | 500 | 300 | 2000
      彭丽 | 数学 | 14 | 1400 | 0 | 300 | 1700
      萧红 | 英语 | 10 | 1000 | 500 | 0 | 1500`,
    `
      表头 2
      人员 3 4 5
      列 姓名=name 学科=info 周课时=info 课时津贴=earning 班主任津贴=earning 早晚自习=earning 总计=net 签名=info
      必答
      实发 5200`,
  ],
  [
    'foreign names, bilingual labels',
    `
      PAYROLL 工资表 Oct-2026
      No. | Name 姓名 | Dept 部门 | Basic Salary 基本工资 | Allowance 津贴 | Gross 应发 | Social Ins. 社保 | IIT 个税 | Net Pay 实发
      1 | Tom Smith | Sales | 20000 | 1000 | 21000 | 2000 | 900 | 18100
      2 | 陈晓 | HR | 12000 | 500 | 12500 | 1200 | 200 | 11100
      3 | Anna Müller | IT | 25000 | 1000 | 26000 | 2500 | 1500 | 22000`,
    `
      表头 2
      人员 3 4 5
      列 No.=info Name 姓名=name Dept 部门=department Basic Salary 基本工资=earning Allowance 津贴=earning Gross 应发=gross Social Ins. 社保=deduction IIT 个税=tax Net Pay 实发=net
      必答
      实发 51200`,
  ],
  [
    'total in the first column, department headings between employees',
    `
      姓名 | 岗位工资 | 绩效 | 应发 | 五险一金 | 实发
      办公室
      冯刚 | 5000 | 1000 | 6000 | 800 | 5200
      于洋 | 5200 | 900 | 6100 | 800 | 5300
      生产车间
      董明 | 4500 | 1500 | 6000 | 700 | 5300
      袁华 | 4600 | 1600 | 6200 | 700 | 5500
      总计 | 19300 | 5000 | 24300 | 3000 | 21300`,
    `
      表头 1
      人员 3 4 6 7
      列 姓名=name 岗位工资=earning 绩效=earning 应发=gross 五险一金=deduction 实发=net
      必答
      实发 21300`,
  ],
  [
    'signature on the right and merged departments on the left',
    `
      部门 | 姓名 | 基本工资 | 补贴 | 实发
      销售部 | 邓超 | 5000 | 500 | 5500
      ^ | 许晴 | 5200 | 300 | 5500
      ^ | 傅明 | 5100 | 100 | 5200
      技术部 | 沈阳 | 8000 | 200 | 8200
      ^ | 曾志 | 8100 | 300 | 8400`,
    `
      表头 1
      人员 2 3 4 5 6
      列 部门=department 姓名=name 基本工资=earning 补贴=earning 实发=net
      必答
      实发 32800`,
  ],
  [
    'bonus with before/after tax',
    `
      2025年度年终奖发放表
      工号 | 姓名 | 年终奖税前金额 | 应纳税额 | 税后奖金 | 发放方式
      '00123 | 彭宇 | 30000 | 900 | 29100 | 银行转账
      '00124 | 吕布 | 20000 | 600 | 19400 | 银行转账
      '00130 | 苏轼 | 50000 | 4790 | 45210 | 现金`,
    `
      表头 2
      人员 3 4 5
      列 工号=employee_no 姓名=name 年终奖税前金额=gross 应纳税额=tax 税后奖金=net 发放方式=info
      必答
      实发 93710`,
  ],
  [
    'numbers as text with yuan signs and commas, dashes for zero',
    `
      姓名 | 手机 | 基本工资 | 全勤 | 扣款 | 应发工资 | 实发工资
      卢伟 | '138 0000 1111 | '¥8,000.00 | '— | '(200.00) | '¥8,000.00 | '¥7,800.00
      蒋欣 | '13900002222 | '¥9,000.00 | '200 | '— | '¥9,200.00 | '¥9,200.00
      蔡明 | '未登记 | '¥7,500.00 | '200 | '(100.00) | '¥7,700.00 | '¥7,600.00`,
    `
      表头 1
      人员 2 3 4
      列 姓名=name 手机=mobile 基本工资=earning 全勤=earning 扣款=deduction 应发工资=gross 实发工资=net
      必答
      实发 24600`,
  ],
  [
    'name under 领取人 / 收款人 (bank transfer list)',
    `
      代发工资清单
      序号 | 收款人户名 | 收款账号 | 开户行 | 金额 | 附言
      1 | 贾玲 | '6217001234567890123 | 建设银行 | 5432.10 | 工资
      2 | 丁一 | '6217001234567890124 | 建设银行 | 6100.00 | 工资
      3 | 魏来 | '6217001234567890125 | 建设银行 | 4800.55 | 工资`,
    `
      表头 2
      人员 3 4 5
      列 序号=info 收款人户名=name 收款账号=bank_account 开户行=info 金额=net 附言=info
      必答 role:c4→net
      实发 16332.65`,
  ],
  [
    'insured base, employer part, cost total to the right of net',
    `
      姓名 | 社保基数 | 应发工资 | 个人社保 | 个人公积金 | 个税 | 实发工资 | 单位社保 | 单位公积金 | 人工成本合计
      薛宝 | 6000 | 9000 | 630 | 420 | 60 | 7890 | 1500 | 420 | 10920
      叶问 | 7000 | 10000 | 735 | 490 | 90 | 8685 | 1750 | 490 | 12240
      阎军 | 8000 | 12000 | 840 | 560 | 150 | 10450 | 2000 | 560 | 14560`,
    `
      表头 1
      人员 2 3 4
      列 姓名=name 社保基数=info 应发工资=gross 个人社保=deduction 个人公积金=deduction 个税=tax 实发工资=net 单位社保=employer 单位公积金=employer 人工成本合计=employer
      必答
      实发 27025`,
  ],
  [
    'transposed sheet of a small company',
    `
      项目 | 余华 | 潘石 | 杜甫 | 合计
      基本工资 | 5000 | 6000 | 7000 | 18000
      加班费 | 300 | 0 | 100 | 400
      扣社保 | 400 | 400 | 400 | 1200
      实发工资 | 4900 | 5600 | 6700 | 17200`,
    `
      表头 2
      人员 3 4 5
      列 姓名=name 基本工资=earning 加班费=earning 扣社保=deduction 实发工资=net
      必答
      实发 17200`,
  ],
  [
    'payslips of two rows with an empty row and the company title above each',
    `
      某某公司2026年10月工资条
      姓名 | 部门 | 基本工资 | 奖金 | 应发 | 扣款 | 实发
      戴维 | 市场 | 5000 | 500 | 5500 | 100 | 5400
      
      某某公司2026年10月工资条
      姓名 | 部门 | 基本工资 | 奖金 | 应发 | 扣款 | 实发
      夏雨 | 市场 | 6000 | 600 | 6600 | 200 | 6400
      
      某某公司2026年10月工资条
      姓名 | 部门 | 基本工资 | 奖金 | 应发 | 扣款 | 实发
      钟声 | 技术 | 7000 | 700 | 7700 | 300 | 7400`,
    `
      表头 2
      人员 3 7 11
      列 姓名=name 部门=department 基本工资=earning 奖金=earning 应发=gross 扣款=deduction 实发=net
      必答
      实发 19200`,
  ],
  [
    'second payment columns: first half, second half',
    `
      姓名 | 应发工资 | 上半月已发 | 下半月实发 | 本月实发合计
      汪洋 | 8000 | 3000 | 4500 | 7500
      田野 | 9000 | 3000 | 5400 | 8400
      任重 | 7000 | 3000 | 3600 | 6600`,
    `
      表头 1
      人员 2 3 4
      列 姓名=name 应发工资=gross 上半月已发=info 下半月实发=info 本月实发合计=net
      必答
      实发 22500`,
  ],
  [
    'hidden rows and a resigned block',
    `
      姓名 | 基本工资 | 绩效 | 实发工资
      姜文 | 5000 | 500 | 5500
      范冰 | 5200 | 500 | 5700
      离职人员：
      方正 | 2000 | 0 | 2000
      石磊 | 1500 | 0 | 1500
      合计 | 13700 | 1000 | 14700`,
    `
      表头 1
      人员 2 3 5 6
      列 姓名=name 基本工资=earning 绩效=earning 实发工资=net
      必答
      实发 14700`,
  ],
  [
    'employee named like a total row and a line 备用金',
    `
      姓名 | 岗位 | 月薪 | 加班 | 实发
      姚明 | 保安 | 4000 | 200 | 4200
      谭咏 | 保洁 | 3500 | 100 | 3600
      厨师（临时工） | 食堂 | 3000 | 0 | 3000
      备用金 | | | | 1000
      合计 | | 10500 | 300 | 11800`,
    `
      表头 1
      人员 2 3 4 5
      列 姓名=name 岗位=info 月薪=earning 加班=earning 实发=net
      必答
      实发 11800`,
  ],
  [
    'header with line breaks and brackets',
    `
      序号 | 员工⏎姓名 | 入职⏎日期 | 基本工资⏎(元) | 加班工资⏎(1.5倍) | 请假⏎扣款 | 代扣⏎个税 | 实发工资⏎（税后）
      1 | 廖凡 | 2020-03-01 | 6000 | 450 | 0 | 30 | 6420
      2 | 邹兆 | 2021-07-15 | 6500 | 0 | 200 | 25 | 6275
      3 | 熊大 | 2019-01-02 | 7000 | 600 | 0 | 60 | 7540`,
    `
      表头 1
      人员 2 3 4
      列 序号=info 员工 姓名=name 入职 日期=info 基本工资 (元)=earning 加班工资 (1.5倍)=earning 请假 扣款=deduction 代扣 个税=tax 实发工资 （税后）=net
      必答
      实发 20235`,
  ],
]

describe('sheets of strangers', () => {
  test.each(cases)('%s', (_, sheet, expected) =>
    expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
  )
})

/**
 * Defined as values above; here each is a file written by another program's library and opened by our readers. A .csv
 * has no merges.
 */
describe('sheets of strangers as files', () => {
  const files = (['xlsx', 'xls', 'ods', 'csv'] as const).flatMap((type) =>
    cases.flatMap(([what, sheet, expected]) => {
      const [rendered] = getSheets(sheet, {})
      return rendered && (type !== 'csv' || rendered.merges.length === 0) ? [[type, what, rendered, expected] as const] : []
    }),
  )
  test('tests each wage sheet from other sources in at least three formats', () =>
    expect(files.length).toBeGreaterThanOrEqual(3 * cases.length + 15))
  test.each(files)('reads .%s: %s', async (type, _, rendered, expected) => {
    const match = recognizeWorkbook(await readGrids(getFile(rendered, type))).recognition
    expect(asExpected(expected, match)).toBe(getLines(expected).join('\n'))
  })
})
