/** Independently invented wage sheets of shops, sites, schools, hospitals and agencies, with the expected result. */
import { expect, test } from 'vitest'
import { asExpected, getLines, readLayout } from '../../support/sheets/drawn.ts'

const cases: readonly [what: string, sheet: string, expected: string][] = [
  [
    'net paid through two channels: by transfer and in cash',
    `
    姓名 | 基本工资 | 提成 | 应发工资 | 扣借支 | 转账 | 现金
    陈一 | 3000 | 2000 | 5000 | 200 | 3800 | 1000
    林二 | 3000 | 1500 | 4500 | 0 | 4000 | 500
    黄三 | 3500 | 3000 | 6500 | 500 | 5000 | 1000`,
    `人员 2 3 4
   列 姓名=name 基本工资=earning 提成=earning 应发工资=gross 扣借支=deduction 转账=info 现金=info
   必答 net→none`,
  ],
  [
    'net followed by its payment methods',
    `
    姓名 | 基本工资 | 提成 | 应发工资 | 扣借支 | 实发工资 | 银行代发 | 现金发放
    陈一 | 3000 | 2000 | 5000 | 200 | 4800 | 3800 | 1000
    林二 | 3000 | 1500 | 4500 | 0 | 4500 | 4000 | 500
    黄三 | 3500 | 3000 | 6500 | 500 | 6000 | 5000 | 1000`,
    `人员 2 3 4
   列 姓名=name 基本工资=earning 提成=earning 应发工资=gross 扣借支=deduction 实发工资=net 银行代发=info 现金发放=info
   必答
   实发 15300`,
  ],
  [
    'columns with parts: 其中',
    `
    姓名 | 岗位工资 | 津贴补贴 | 其中：高温补贴 | 其中：夜班补贴 | 应发合计 | 社保个人 | 其中：养老 | 其中：医疗 | 个税 | 实发合计
    赵甲 | 5000 | 800 | 300 | 500 | 5800 | 580 | 464 | 116 | 6.6 | 5213.4
    钱乙 | 5500 | 600 | 300 | 300 | 6100 | 610 | 488 | 122 | 14.7 | 5475.3
    孙丙 | 4800 | 300 | 300 | 0 | 5100 | 510 | 408 | 102 | 0 | 4590`,
    `人员 2 3 4
   列 姓名=name 岗位工资=earning 津贴补贴=earning 其中：高温补贴=info 其中：夜班补贴=info 应发合计=gross 社保个人=deduction 其中：养老=info 其中：医疗=info 个税=tax 实发合计=net
   必答
   实发 15278.7`,
  ],
  [
    'parts under a merged 其中',
    `
    姓名 | 应发工资 | 其中 | < | < | 扣款合计 | 其中 | < | 实发工资
    ^ | ^ | 基本 | 绩效 | 补贴 | ^ | 社保 | 个税 | ^
    赵甲 | 6000 | 4000 | 1500 | 500 | 530 | 500 | 30 | 5470
    钱乙 | 7000 | 5000 | 1500 | 500 | 660 | 600 | 60 | 6340`,
    `表头 1 2
   人员 3 4
   列 姓名=name 应发工资=gross 其中 / 基本=earning 其中 / 绩效=earning 其中 / 补贴=earning 扣款合计=subtotal 其中 / 社保=deduction 其中 / 个税=tax 实发工资=net
   必答
   实发 11810`,
  ],
  [
    'two rows per employee: earnings and deductions',
    `
    姓名 | 项目 | 基本 | 绩效 | 社保 | 个税 | 合计
    周丁 | 应发 | 5000 | 1000 | | | 6000
    ^ | 应扣 | | | 500 | 15 | 515
    吴戊 | 应发 | 5500 | 800 | | | 6300
    ^ | 应扣 | | | 550 | 22.5 | 572.5`,
    `归谁 3 5`,
  ],
  [
    'a restaurant: tips, meals, days, returned deposit',
    `
    好味道酒楼10月份工资表
    工号 | 姓名 | 职务 | 出勤 | 底薪 | 全勤奖 | 加班 | 提成 | 餐补 | 退押金 | 扣工装费 | 扣罚款 | 扣借款 | 实领
    F01 | 郑己 | 厨师长 | 30 | 12000 | 200 | 0 | 800 | 300 | 0 | 0 | 100 | 1000 | 12200
    F02 | 王庚 | 服务员 | 28 | 4500 | 0 | 150 | 320 | 300 | 200 | 80 | 0 | 0 | 5390
    F03 | 冯辛 | 收银 | 30 | 4800 | 200 | 0 | 0 | 300 | 0 | 0 | 50 | 0 | 5250`,
    `表头 2
   人员 3 4 5
   列 工号=employee_no 姓名=name 职务=info 出勤=info 底薪=earning 全勤奖=earning 加班=earning 提成=earning 餐补=earning 退押金=earning 扣工装费=deduction 扣罚款=deduction 扣借款=deduction 实领=net
   必答
   实发 22840`,
  ],
  [
    'a construction site: days times a rate, advances, rest paid at the end',
    `
    XX项目部木工班组2026年10月农民工工资表
    序号 | 姓名 | 身份证号 | 工种 | 出勤天数 | 日工资标准 | 应付工资 | 已借支 | 实付工资 | 开户行及账号 | 本人签字 | 手印
    1 | 陈壬 | '330106198501011223 | 木工 | 26 | 350 | 9100 | 2000 | 7100 | '6222021202012345678 | |
    2 | 褚癸 | '320501199003150039 | 木工 | 25.5 | 340 | 8670 | 1500 | 7170 | '6222021202012345686 | |
    合计 | | | | 51.5 | | 17770 | 3500 | 14270 | | |
    班组长：          项目经理：          劳资专管员：`,
    `表头 2
   人员 3 4
   列 序号=info 姓名=name 身份证号=id_card 工种=info 出勤天数=info 日工资标准=info 应付工资=gross 已借支=deduction 实付工资=net 开户行及账号=bank_account 本人签字=info 手印=info
   必答
   实发 14270`,
  ],
  [
    'a school: hours times a rate by grades',
    `
    2026年10月代课教师课酬发放表
    姓名 | 任教学科 | 年级 | 课时数 | 课酬标准 | 课酬金额 | 监考费 | 班主任费 | 应发 | 代扣个税 | 实发
    卫子 | 语文 | 七年级 | 40 | 60 | 2400 | 200 | 500 | 3100 | 0 | 3100
    蒋丑 | 数学 | 八年级 | 48 | 60 | 2880 | 150 | 0 | 3030 | 0 | 3030`,
    `表头 2
   人员 3 4
   列 姓名=name 任教学科=info 年级=info 课时数=info 课酬标准=info 课酬金额=earning 监考费=earning 班主任费=earning 应发=gross 代扣个税=tax 实发=net
   必答
   实发 6130`,
  ],
  [
    'a state-owned company: five insurances with bases and both shares',
    `
    职工编号 | 姓名 | 岗薪 | 薪级工资 | 工龄工资 | 绩效 | 应发 | 社保基数 | 养老(个人8%) | 养老(单位16%) | 医疗(个人2%) | 医疗(单位9%) | 公积金(个人12%) | 公积金(单位12%) | 企业年金(个人) | 工会会费 | 个税 | 实发
    00012 | 沈寅 | 3000 | 2000 | 300 | 4000 | 9300 | 9000 | 720 | 1440 | 180 | 810 | 1080 | 1080 | 180 | 15 | 66.75 | 7058.25
    00013 | 韩卯 | 2800 | 1800 | 200 | 3500 | 8300 | 8000 | 640 | 1280 | 160 | 720 | 960 | 960 | 160 | 14 | 41.4 | 6324.6`,
    `人员 2 3
   列 职工编号=employee_no 姓名=name 岗薪=earning 薪级工资=earning 工龄工资=earning 绩效=earning 应发=gross 社保基数=info 养老(个人8%)=deduction 养老(单位16%)=employer 医疗(个人2%)=deduction 医疗(单位9%)=employer 公积金(个人12%)=deduction 公积金(单位12%)=employer 企业年金(个人)=deduction 工会会费=union_fee 个税=tax 实发=net
   必答
   实发 13382.85`,
  ],
  [
    'an agency: fees next to the wages, several employers',
    `
    用工单位 | 姓名 | 应发工资 | 个人社保 | 个人公积金 | 个税 | 实发工资 | 单位社保 | 单位公积金 | 残保金 | 服务费 | 开票金额
    蓝天物流 | 杨辰 | 6000 | 480 | 300 | 6.6 | 5213.4 | 1500 | 300 | 90 | 80 | 7970
    宏达五金 | 朱巳 | 5500 | 480 | 275 | 0 | 4745 | 1500 | 275 | 82.5 | 80 | 7437.5`,
    `人员 2 3
   列 用工单位=info 姓名=name 应发工资=gross 个人社保=deduction 个人公积金=deduction 个税=tax 实发工资=net 单位社保=employer 单位公积金=employer 残保金=employer 服务费=employer 开票金额=employer
   必答
   实发 9958.4`,
  ],
  [
    'a hospital: duty shifts, performance by department',
    `
    科室 | 工号 | 姓名 | 岗位工资 | 薪级工资 | 绩效工资 | 夜班费 | 值班费 | 护龄津贴 | 应发合计 | 失业保险 | 医疗保险 | 养老保险 | 职业年金 | 住房公积金 | 个人所得税 | 扣款合计 | 实发合计
    内科 | 1001 | 秦午 | 2500 | 1500 | 6000 | 400 | 300 | 0 | 10700 | 50 | 200 | 800 | 400 | 1200 | 91.5 | 2741.5 | 7958.5
    护理 | 1002 | 尤未 | 2000 | 1200 | 4500 | 600 | 0 | 20 | 8320 | 40 | 160 | 640 | 320 | 960 | 36 | 2156 | 6164`,
    `人员 2 3
   列 科室=department 工号=employee_no 姓名=name 岗位工资=earning 薪级工资=earning 绩效工资=earning 夜班费=earning 值班费=earning 护龄津贴=earning 应发合计=gross 失业保险=deduction 医疗保险=deduction 养老保险=deduction 职业年金=deduction 住房公积金=deduction 个人所得税=tax 扣款合计=subtotal 实发合计=net
   必答
   实发 14122.5`,
  ],
  [
    'a shop: commissions in percent, targets that are no pay',
    `
    门店 | 姓名 | 销售目标 | 实际销售额 | 达成率 | 提成点数 | 提成金额 | 底薪 | 奖励 | 罚款 | 应发工资 | 社保 | 实发工资
    南京路店 | 许申 | 100000 | 120000 | 120% | 2% | 2400 | 3500 | 200 | -50 | 6050 | 480 | 5570
    南京路店 | 何酉 | 80000 | 72000 | 90% | 1.5% | 1080 | 3500 | 0 | 0 | 4580 | 480 | 4100`,
    `人员 2 3
   列 门店=department 姓名=name 销售目标=info 实际销售额=info 达成率=info 提成点数=info 提成金额=earning 底薪=earning 奖励=earning 罚款=deduction 应发工资=gross 社保=deduction 实发工资=net
   必答
   实发 9670`,
  ],
  [
    'year-end bonus alone with separate tax',
    `
    2026年度年终奖发放表
    姓名 | 部门 | 年终奖金额 | 个税 | 税后金额
    吕戌 | 研发部 | 30000 | 900 | 29100
    施亥 | 研发部 | 20000 | 600 | 19400`,
    `表头 2
   人员 3 4
   列 姓名=name 部门=department 年终奖金额=earning 个税=tax 税后金额=net
   必答
   实发 48500`,
  ],
  [
    'temporary staff: empty amounts written as a dash or 无',
    `
    姓名 | 基本工资 | 加班费 | 补贴 | 扣款 | 实发工资
    张春 | 4000 | - | 200 | 无 | 4200
    孔夏 | 4000 | 300 | / | 100 | 4200
    曹秋 | 4,500.00 | — | 200 | 0 | 4700`,
    `人员 2 3 4
   列 姓名=name 基本工资=earning 加班费=earning 补贴=earning 扣款=deduction 实发工资=net
   必答
   实发 13100`,
  ],
  [
    'the deduction side first, net in the middle, employer cost last',
    `
    姓名 | 社保个人 | 公积金个人 | 个税 | 应发工资 | 实发工资 | 公司成本
    严冬 | 500 | 300 | 20 | 7000 | 6180 | 8900
    华梅 | 520 | 310 | 25 | 7200 | 6345 | 9100`,
    `人员 2 3
   列 姓名=name 社保个人=deduction 公积金个人=deduction 个税=tax 应发工资=gross 实发工资=net 公司成本=employer
   必答
   实发 12525`,
  ],
  [
    'a terminated employee at the end with words instead of pay',
    `
    姓名 | 岗位 | 基本工资 | 绩效 | 社保 | 实发工资 | 备注
    金兰 | 文员 | 4000 | 500 | 400 | 4100 |
    魏竹 | 文员 | 4000 | 600 | 400 | 4200 |
    陶菊 | 文员 | | | | | 10月5日离职，工资已结清`,
    `人员 2 3 4
   列 姓名=name 岗位=info 基本工资=earning 绩效=earning 社保=deduction 实发工资=net 备注=info
   必答
   实发 8300`,
  ],
  [
    'piece work with rates below the names',
    `
    缝制车间计件工资表 2026.10
    姓名 | 裁剪 | 缝纫 | 锁眼 | 整烫 | 计件工资 | 补贴 | 实发
    单价 | 0.8 | 2.5 | 0.3 | 0.6 | | |
    姜松 | 500 | 800 | 0 | 0 | 2400 | 200 | 2600
    戚柏 | 0 | 900 | 1000 | 200 | 2670 | 200 | 2870`,
    `表头 2
   人员 4 5
   列 姓名=name 裁剪=info 缝纫=info 锁眼=info 整烫=info 计件工资=earning 补贴=earning 实发=net
   必答
   实发 5470`,
  ],
  [
    'security guards: hours by kind with their pay in pairs',
    `
    姓名 | 平时加班(h) | 平时加班费 | 周末加班(h) | 周末加班费 | 节日加班(h) | 节日加班费 | 底薪 | 实发
    谢一 | 20 | 431 | 16 | 460 | 8 | 345 | 2690 | 3926
    邹二 | 10 | 215.5 | 8 | 230 | 0 | 0 | 2690 | 3135.5`,
    `人员 2 3
   列 姓名=name 平时加班(h)=info 平时加班费=earning 周末加班(h)=info 周末加班费=earning 节日加班(h)=info 节日加班费=earning 底薪=earning 实发=net
   必答
   实发 7061.5`,
  ],
  [
    'arrears: net of several months, paid now',
    `
    姓名 | 应发工资 | 扣款 | 本月实发 | 上月欠发 | 本次发放合计
    喻三 | 5000 | 400 | 4600 | 1000 | 5600
    柏四 | 5200 | 410 | 4790 | 0 | 4790
    水五 | 5300 | 420 | 4880 | 300 | 5180`,
    `人员 2 3 4
   必答 net→net:c5`,
  ],
  [
    'gross before tax, after tax, and paid',
    `
    姓名 | 部门 | 税前工资 | 五险一金 | 应纳税所得额 | 税率 | 速算扣除数 | 应缴个税 | 税后工资
    水五 | 市场 | 12000 | 2100 | 4900 | 0.03 | 0 | 147 | 9753
    窦六 | 市场 | 15000 | 2600 | 7400 | 0.1 | 2520 | 222 | 12178`,
    `人员 2 3
   列 姓名=name 部门=department 税前工资=gross 五险一金=deduction 应纳税所得额=info 税率=info 速算扣除数=info 应缴个税=tax 税后工资=net
   必答
   实发 21931`,
  ],
  [
    'cumulative tax next to the month',
    `
    姓名 | 本期收入 | 累计收入 | 累计专项扣除 | 累计专项附加扣除 | 累计应纳税额 | 已缴税额 | 本期应扣税额 | 社保 | 实发
    章七 | 10000 | 100000 | 15000 | 10000 | 750 | 675 | 75 | 1500 | 8425
    云八 | 9000 | 90000 | 14000 | 10000 | 480 | 432 | 48 | 1400 | 7552`,
    `人员 2 3
   列 姓名=name 本期收入=earning 累计收入=info 累计专项扣除=info 累计专项附加扣除=info 累计应纳税额=info 已缴税额=info 本期应扣税额=tax 社保=deduction 实发=net
   必答
   实发 15977`,
  ],
  [
    'names with English ones and a team total with employees',
    `
    Team | Name | Base | Bonus | Total | SSF | Tax | Take Home
    A | Alice Su 苏爱丽 | 10000 | 500 | 10500 | 1000 | 135 | 9365
    A | Bob Pan 潘博 | 9000 | 500 | 9500 | 900 | 108 | 8492
    A | Cid Qi 齐希 | 8000 | 700 | 8700 | 850 | 85.5 | 7764.5
    A Total | | 27000 | 1700 | 28700 | 2750 | 328.5 | 25621.5
    Grand Total | | 27000 | 1700 | 28700 | 2750 | 328.5 | 25621.5`,
    `人员 2 3 4
   列 Team=department Name=name Base=earning Bonus=earning Total=gross SSF=deduction Tax=tax Take Home=net
   必答
   实发 25621.5`,
  ],
  [
    'deducted rent and water, net named 应发余额',
    `
    姓名 | 月薪 | 加班 | 房租 | 水电费 | 伙食费 | 预支 | 实际发放
    葛九 | 5000 | 600 | 300 | 85.5 | 400 | 500 | 4314.5
    奚十 | 5200 | 400 | 300 | 60 | 380 | 0 | 4860`,
    `人员 2 3
   列 姓名=name 月薪=earning 加班=earning 房租=deduction 水电费=deduction 伙食费=deduction 预支=deduction 实际发放=net
   必答
   实发 9174.5`,
  ],
  [
    'an employer contribution that is added and deducted again',
    `
    姓名 | 基本工资 | 公司社保补贴 | 应发 | 扣个人社保 | 扣公司社保 | 实发
    范甲 | 5000 | 800 | 5800 | 400 | 800 | 4600
    彭乙 | 5200 | 800 | 6000 | 420 | 800 | 4780
    郎丙 | 5600 | 900 | 6500 | 450 | 900 | 5150`,
    `人员 2 3 4
   列 姓名=name 基本工资=earning 公司社保补贴=employer 应发=gross 扣个人社保=deduction 扣公司社保=deduction 实发=net
   必答
   实发 14530`,
  ],
  [
    'pay in words: a title with the unit of ten thousand',
    `
    2026年9月工资明细（单位：元）
    序号 | 部门 | 姓名 | 岗位工资 | 工龄津贴 | 通讯费 | 交通费 | 缺勤扣款 | 迟到扣款 | 工资合计 | 代缴社保 | 代缴公积金 | 代缴个税 | 实发数
    1 | 综合办 | 鲁丙 | 4000 | 100 | 100 | 200 | 0 | 20 | 4380 | 400 | 200 | 0 | 3780
    2 | 综合办 | 韦丁 | 4200 | 150 | 100 | 200 | 100 | 0 | 4550 | 400 | 200 | 0 | 3950`,
    `表头 2
   人员 3 4
   列 序号=info 部门=department 姓名=name 岗位工资=earning 工龄津贴=earning 通讯费=earning 交通费=earning 缺勤扣款=deduction 迟到扣款=deduction 工资合计=gross 代缴社保=deduction 代缴公积金=deduction 代缴个税=tax 实发数=net
   必答
   实发 7730`,
  ],
  [
    'a list for the bank with card and amount only',
    `
    序号 | 收款人姓名 | 收款账号 | 开户行 | 金额 | 用途
    1 | 昌戊 | '6222021202012345678 | 工行 | 5300.5 | 10月工资
    2 | 马己 | '6222021202012345686 | 工行 | 4800 | 10月工资`,
    `人员 2 3
   列 序号=info 收款人姓名=name 收款账号=bank_account 开户行=info 金额=net 用途=info
   实发 10100.5`,
  ],
  [
    'reimbursements without wages',
    `
    2026年10月费用报销汇总
    姓名 | 部门 | 差旅费 | 招待费 | 办公费 | 合计
    苗庚 | 销售部 | 1200 | 800 | 0 | 2000
    凤辛 | 销售部 | 500 | 0 | 120 | 620`,
    `必答 about_pay→无建议`,
  ],
  [
    'a sheet with attendance only',
    `
    姓名 | 部门 | 应出勤 | 实出勤 | 迟到次数 | 加班小时
    花壬 | 生产 | 22 | 22 | 0 | 10
    方癸 | 生产 | 22 | 21 | 2 | 6`,
    `是 member_list`,
  ],
  [
    'a negative net: more deducted than earned',
    `
    姓名 | 应发工资 | 社保 | 公积金 | 借款 | 实发工资
    俞子 | 2000 | 800 | 300 | 1500 | -600
    任丑 | 5000 | 500 | 300 | 0 | 4200`,
    `人员 2 3
   列 姓名=name 应发工资=gross 社保=deduction 公积金=deduction 借款=deduction 实发工资=net
   必答
   实发 3600`,
  ],
  [
    'untaxed subsidies added after the tax',
    `
    姓名 | 基本工资 | 绩效 | 税前合计 | 社保 | 个税 | 税后补贴 | 报销款 | 实发金额
    袁寅 | 6000 | 1000 | 7000 | 600 | 42 | 300 | 150 | 6808
    柳卯 | 5500 | 800 | 6300 | 560 | 22.2 | 300 | 0 | 6017.8`,
    `人员 2 3
   列 姓名=name 基本工资=earning 绩效=earning 税前合计=gross 社保=deduction 个税=tax 税后补贴=earning 报销款=earning 实发金额=net
   必答
   实发 12825.8`,
  ],
  [
    'a header of three rows with 小计 in each group and a signature block below',
    `
    某市建设集团有限公司 | < | < | < | < | < | < | < | < | <
    工资结算表 | < | < | < | < | < | < | < | < | <
    序号 | 姓名 | 应发项目 | < | < | < | 扣除项目 | < | < | 实发
    ^ | ^ | 固定 | < | 浮动 | 小计 | 法定 | < | 小计 | ^
    ^ | ^ | 岗位 | 工龄 | 绩效 | ^ | 社保 | 个税 | ^ | ^
    1 | 酆辰 | 5000 | 200 | 1500 | 6700 | 600 | 33 | 633 | 6067
    2 | 鲍巳 | 5200 | 100 | 1800 | 7100 | 620 | 44.4 | 664.4 | 6435.6
    编制： | | | 审核： | | | 批准： | | |`,
    `表头 3 4 5
   人员 6 7
   实发 12502.6
   必答`,
  ],
  [
    'a decoration firm: by project, share of profit',
    `
    项目名称 | 姓名 | 合同金额 | 提成比例 | 提成 | 底薪 | 补助 | 预支 | 应发 | 实发
    锦绣花园 | 岑甲 | 120000 | 2% | 2400 | 3000 | 500 | 1000 | 5900 | 4900
    翠湖天地 | 雷乙 | 80000 | 2% | 1600 | 3000 | 500 | 0 | 5100 | 5100`,
    `人员 2 3
   列 项目名称=info 姓名=name 合同金额=info 提成比例=info 提成=earning 底薪=earning 补助=earning 预支=deduction 应发=gross 实发=net
   必答
   实发 10000`,
  ],
  [
    'drivers: trips, mileage, fuel',
    `
    车牌号 | 司机姓名 | 趟数 | 里程(km) | 单趟运费 | 运费工资 | 安全奖 | 油费超耗扣款 | 违章扣款 | 实发工资
    浙A12345 | 贺甲 | 42 | 8400 | 180 | 7560 | 500 | 120 | 200 | 7740
    浙A54321 | 倪乙 | 40 | 8000 | 180 | 7200 | 500 | 0 | 0 | 7700`,
    `人员 2 3
   列 车牌号=info 司机姓名=name 趟数=info 里程(km)=info 单趟运费=info 运费工资=earning 安全奖=earning 油费超耗扣款=deduction 违章扣款=deduction 实发工资=net
   必答
   实发 15440`,
  ],
  [
    'a kindergarten: names with positions in brackets',
    `
    姓名 | 岗位 | 基本工资 | 园龄工资 | 满勤 | 班额奖 | 兴趣班 | 应发工资 | 社保 | 伙食费 | 实发工资
    汤甲（园长） | 园长 | 5000 | 500 | 200 | 0 | 300 | 6000 | 500 | 200 | 5300
    滕乙（主班） | 教师 | 3500 | 200 | 200 | 300 | 200 | 4400 | 500 | 200 | 3700`,
    `人员 2 3
   列 姓名=name 岗位=info 基本工资=earning 园龄工资=earning 满勤=earning 班额奖=earning 兴趣班=earning 应发工资=gross 社保=deduction 伙食费=deduction 实发工资=net
   必答
   实发 9000`,
  ],
  [
    'days of absence and their deductions in pairs',
    `
    序号 | 姓名 | 月薪标准 | 事假天数 | 事假扣款 | 病假天数 | 病假扣款 | 迟到次数 | 迟到扣款 | 应发工资 | 个人社保 | 实发工资
    1 | 殷甲 | 6000 | 1 | 275.86 | 0 | 0 | 2 | 40 | 5684.14 | 480 | 5204.14
    2 | 罗乙 | 6500 | 0 | 0 | 2 | 358.62 | 0 | 0 | 6141.38 | 480 | 5661.38`,
    `人员 2 3
   列 序号=info 姓名=name 月薪标准=info 事假天数=info 事假扣款=deduction 病假天数=info 病假扣款=deduction 迟到次数=info 迟到扣款=deduction 应发工资=gross 个人社保=deduction 实发工资=net
   必答
   实发 10865.52`,
  ],
  [
    'amounts as text with a currency sign',
    `
    姓名 | 基本工资 | 奖金 | 扣款 | 实发工资
    毕甲 | ¥5,000.00 | ¥1,000.00 | ¥0.00 | ¥6,000.00
    郝乙 | ¥5,200.00 | ¥800.00 | ¥100.00 | ¥5,900.00`,
    `人员 2 3
   列 姓名=name 基本工资=earning 奖金=earning 扣款=deduction 实发工资=net
   必答
   实发 11900`,
  ],
  [
    'retired employees paid again: living allowance only',
    `
    退休返聘人员劳务费发放表
    姓名 | 身份证号码 | 返聘岗位 | 劳务费 | 代扣个税 | 实付金额 | 联系电话
    邬甲 | '330106198501011223 | 顾问 | 5000 | 800 | 4200 | '13912340301
    安乙 | '320501199003150039 | 顾问 | 3000 | 440 | 2560 | '13912340302`,
    `表头 2
   人员 3 4
   列 姓名=name 身份证号码=id_card 返聘岗位=info 劳务费=earning 代扣个税=tax 实付金额=net 联系电话=mobile
   必答
   实发 6760`,
  ],
  [
    'two payments a month: advance in the middle, rest at the end',
    `
    姓名 | 应发工资 | 社保 | 个税 | 应付净额 | 15日预发 | 月底补发
    常甲 | 8000 | 640 | 30 | 7330 | 3000 | 4330
    乐乙 | 7500 | 600 | 20 | 6880 | 3000 | 3880`,
    `人员 2 3
   列 姓名=name 应发工资=gross 社保=deduction 个税=tax 应付净额=net 15日预发=info 月底补发=info
   必答
   实发 14210`,
  ],
  [
    'hourly workers: hours by week',
    `
    姓名 | 第一周 | 第二周 | 第三周 | 第四周 | 总工时 | 时薪 | 工资 | 餐补 | 合计
    于甲 | 40 | 42 | 38 | 40 | 160 | 25 | 4000 | 300 | 4300
    时乙 | 36 | 40 | 40 | 40 | 156 | 25 | 3900 | 300 | 4200`,
    `人员 2 3
   列 姓名=name 第一周=info 第二周=info 第三周=info 第四周=info 总工时=info 时薪=info 工资=earning 餐补=earning 合计=net
   必答
   实发 8500`,
  ],
  [
    'a hotel: service charge points',
    `
    部门 | 姓名 | 基本工资 | 服务费分值 | 服务费 | 加班费 | 其他 | 应发合计 | 住宿扣款 | 社保 | 实发合计
    前厅 | 傅甲 | 3500 | 8 | 640 | 200 | 0 | 4340 | 150 | 480 | 3710
    客房 | 皮乙 | 3300 | 7 | 560 | 100 | 50 | 4010 | 150 | 480 | 3380
    餐厅 | 卞丙 | 3200 | 6 | 480 | 0 | 20 | 3700 | 0 | 480 | 3220`,
    `人员 2 3 4
   列 部门=department 姓名=name 基本工资=earning 服务费分值=info 服务费=earning 加班费=earning 其他=earning 应发合计=gross 住宿扣款=deduction 社保=deduction 实发合计=net
   必答
   实发 10310`,
  ],
  [
    'English and Chinese in brackets, surname first',
    `
    No. 序号 | Staff ID 工号 | Name 姓名 | Dept 部门 | Basic Salary 基本工资 | Allowance 补贴 | Gross 应发 | Pension 养老 | Medical 医疗 | Housing Fund 公积金 | IIT 个税 | Net Pay 实发
    1 | S001 | 卞一 | 财务 | 10000 | 1000 | 11000 | 800 | 200 | 700 | 129 | 9171
    2 | S002 | 齐二 | 财务 | 9000 | 800 | 9800 | 720 | 180 | 630 | 98.1 | 8171.9`,
    `人员 2 3
   列 No. 序号=info Staff ID 工号=employee_no Name 姓名=name Dept 部门=department Basic Salary 基本工资=earning Allowance 补贴=earning Gross 应发=gross Pension 养老=deduction Medical 医疗=deduction Housing Fund 公积金=deduction IIT 个税=tax Net Pay 实发=net
   必答
   实发 17342.9`,
  ],
]

test.each(cases)('%s', (_, sheet, expected) => {
  const read = readLayout(getLines(sheet).join('\n'))
  expect(asExpected(expected, read)).toBe(getLines(expected).join('\n'))
})
