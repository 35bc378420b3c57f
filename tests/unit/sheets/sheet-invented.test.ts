/**
 * Independently invented layouts of wage sheets as Chinese offices design them, tested unchanged, with the expected
 * result.
 */
import { expect, test } from 'vitest'
import { asExpected, getLines, readLayout } from '../../support/sheets/drawn.ts'

const cases: readonly [what: string, sheet: string, expected: string][] = [
  [
    'monthly attendance under the numbers of days',
    `
      XX服饰有限公司2026年10月考勤及工资表 | < | < | < | < | < | < | < | < | < | < | < | < | < | < | < | <
      序号 | 姓名 | 岗位 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 出勤合计 | 日工资 | 基本工资 | 加班工资 | 扣社保 | 扣饭卡 | 实发工资
      ^ | ^ | ^ | 四 | 五 | 六 | 日 | 一 | 二 | 三 | ^ | ^ | ^ | ^ | ^ | ^ | ^
      1 | 周小燕 | 车工 | √ | √ | 休 | 休 | √ | √ | √ | 5 | 200 | 1000 | 150 | 80 | 30 | 1040
      2 | 钱大明 | 车工 | √ | × | 休 | √ | √ | √ | √ | 5 | 200 | 1000 | 0 | 80 | 30 | 890
      3 | 孙丽 | 裁剪 | 1 | 1 | 0.5 | 1 | 1 | 1 | 1 | 6.5 | 180 | 1170 | 60 | 80 | 25 | 1125
      合计 | | | | | | | | | | 16.5 | | 3170 | 210 | 240 | 85 | 3055`,
    `
      表头 2 3
      人员 4 5 6
      列 序号=info 姓名=name 岗位=info 1 / 四=info 2 / 五=info 3 / 六=info 4 / 日=info 5 / 一=info 6 / 二=info 7 / 三=info 出勤合计=info 日工资=info 基本工资=earning 加班工资=earning 扣社保=deduction 扣饭卡=deduction 实发工资=net
      必答
      实发 3055`,
  ],
  [
    '补发 and 补扣 with signs',
    `
      2026年10月工资表
      姓名 | 部门 | 基本工资 | 补发上月工资 | 补扣上月社保 | 应发工资 | 社保 | 公积金 | 个税 | 补退个税 | 实发工资
      赵敏 | 行政部 | 6000 | 300 | -120 | 6180 | 480 | 300 | 12.5 | -3.2 | 5390.7
      张翠山 | 行政部 | 7000 | | | 7000 | 560 | 350 | 30 | | 6060
      殷素素 | 财务部 | 8000 | -200 | | 7800 | 640 | 400 | 25 | | 6735`,
    `
      表头 2
      人员 3 4 5
      列 姓名=name 部门=department 基本工资=earning 补发上月工资=earning 补扣上月社保=deduction 应发工资=gross 社保=deduction 公积金=deduction 个税=tax 补退个税=tax 实发工资=net
      必答
      实发 18185.7`,
  ],
  [
    'departments as heading rows, each with its total',
    `
      某某商贸有限公司工资发放表
      2026年10月 | | | | | 单位：元
      姓名 | 基本工资 | 奖金 | 应发 | 扣款 | 实发 | 签名
      销售部
      陈平安 | 5000 | 1000 | 6000 | 500 | 5500 |
      宁姚 | 5200 | 1500 | 6700 | 520 | 6180 |
      小计 | 10200 | 2500 | 12700 | 1020 | 11680 |
      仓储部
      崔东山 | 4800 | 300 | 5100 | 400 | 4700 |
      裴钱 | 4500 | 200 | 4700 | 380 | 4320 |
      小计 | 9300 | 500 | 9800 | 780 | 9020 |
      合计 | 19500 | 3000 | 22500 | 1800 | 20700 |`,
    `
      表头 3
      人员 5 6 9 10
      列 姓名=name 基本工资=earning 奖金=earning 应发=gross 扣款=deduction 实发=net 签名=info
      必答
      实发 20700`,
  ],
  [
    'column letters and formulas under the header',
    `
      2026年10月份工资表
      序号 | 姓名 | 身份证号码 | 应发工资 | < | < | < | 扣款 | < | < | 实发工资 | 银行卡号 | 开户行
      ^ | ^ | ^ | 基本工资 | 岗位工资 | 绩效工资 | 小计 | 社会保险 | 公积金 | 个人所得税 | ^ | ^ | ^
      A | B | C | 1 | 2 | 3 | 4=1+2+3 | 5 | 6 | 7 | 8=4-5-6-7 | D | E
      1 | 王语嫣 | '330106198501011220 | 4000 | 1500 | 800 | 6300 | 504 | 315 | 14.43 | 5466.57 | '6222021202012345678 | 工行
      2 | 段誉 | '330106198601012337 | 4200 | 1500 | 900 | 6600 | 528 | 330 | 22.26 | 5719.74 | '6222021202012345679 | 工行`,
    `
      表头 2 3
      人员 5 6
      列 序号=info 姓名=name 身份证号码=id_card 应发工资 / 基本工资=earning 应发工资 / 岗位工资=earning 应发工资 / 绩效工资=earning 应发工资 / 小计=subtotal 扣款 / 社会保险=deduction 扣款 / 公积金=deduction 扣款 / 个人所得税=tax 实发工资=net 银行卡号=bank_account 开户行=info
      必答
      实发 11186.31`,
  ],
  [
    'two currencies, converted next to one another',
    `
      2026年10月外派人员薪资表
      工号 | 姓名 | 币种 | 基本工资(USD) | 汇率 | 折合人民币 | 海外津贴(USD) | 津贴折人民币 | 社保(RMB) | 个税(RMB) | 实发工资(RMB)
      W001 | 郭靖 | USD | 2000 | 7.1 | 14200 | 500 | 3550 | 1000 | 600 | 16150
      W002 | 黄蓉 | USD | 1800 | 7.1 | 12780 | 400 | 2840 | 900 | 500 | 14220`,
    `
      表头 2
      人员 3 4
      列 工号=employee_no 姓名=name 币种=info 基本工资(USD)=info 汇率=info 折合人民币=earning 海外津贴(USD)=info 津贴折人民币=earning 社保(RMB)=deduction 个税(RMB)=tax 实发工资(RMB)=net
      必答
      实发 30370`,
  ],
  [
    'a name in two columns',
    `
      No. | Last Name | First Name | Department | Basic Salary | Housing Allowance | Gross Pay | Social Insurance | IIT | Net Pay | Remarks
      1 | Smith | John | Sales | 15000 | 3000 | 18000 | 1500 | 600 | 15900 |
      2 | Zhang | Wei | Sales | 12000 | 0 | 12000 | 1000 | 120 | 10880 | new
      3 | Müller | Anna | HR | 14000 | 2500 | 16500 | 1200 | 480 | 14820 |
      Total | | | | 41000 | 5500 | 46500 | 3700 | 1200 | 41600 |`,
    `
      表头 1
      人员 2 3 4
      列 No.=info Last Name=last_name First Name=first_name Department=department Basic Salary=earning Housing Allowance=earning Gross Pay=gross Social Insurance=deduction IIT=tax Net Pay=net Remarks=info
      必答
      实发 41600`,
  ],
  [
    'a second language on a second line',
    `
      姓名⏎Name | 工号⏎ID No. | 部门⏎Dept. | 基本工资⏎Basic | 加班费⏎OT | 应发合计⏎Gross | 社保⏎SI | 个税⏎IIT | 实发工资⏎Net Pay
      令狐冲 | E01 | 生产⏎Prod | 5000 | 800 | 5800 | 500 | 9 | 5291
      任盈盈 | E02 | 品质 | 6000 | 0 | 6000 | 520 | 14.4 | 5465.6`,
    `
      表头 1
      人员 2 3
      列 姓名 Name=name 工号 ID No.=employee_no 部门 Dept.=department 基本工资 Basic=earning 加班费 OT=earning 应发合计 Gross=gross 社保 SI=deduction 个税 IIT=tax 实发工资 Net Pay=net
      必答
      实发 10756.6`,
  ],
  [
    'remarks, symbols and an example',
    `
      说明：1.带*为必填；2.请勿修改表头；3.金额单位为元
      *姓名 | *手机号 | 工号（选填） | *基本工资（元） | 绩效奖金【月度】 | 餐补/元 | 应发工资（=基本+绩效+餐补） | 个人社保-养老8% | 个人社保-医疗2% | 个税（本月） | *实发工资（元）
      示例：张三 | 13800138000 | A001 | 5000 | 1000 | 300 | 6300 | 400 | 100 | 0 | 5800
      李寻欢 | '13911112222 | A002 | 6000 | 1200 | 300 | 7500 | 480 | 120 | 27 | 6873
      阿飞 | '13911112223 | A003 | 5500 | 900 | 300 | 6700 | 440 | 110 | 4.5 | 6145.5`,
    `
      表头 2
      人员 4 5
      列 *姓名=name *手机号=mobile 工号（选填）=employee_no *基本工资（元）=earning 绩效奖金【月度】=earning 餐补/元=earning 应发工资（=基本+绩效+餐补）=gross 个人社保-养老8%=deduction 个人社保-医疗2%=deduction 个税（本月）=tax *实发工资（元）=net
      必答
      实发 13018.5
      归谁 3`,
  ],
  [
    'a total above each department, in the row that names it',
    `
      部门 | 姓名 | 人数 | 基本工资 | 奖金 | 应发合计 | 扣款合计 | 实发合计
      管理部 | | 2 | 13000 | 2000 | 15000 | 1500 | 13500
      管理部 | 乔峰 | | 8000 | 1200 | 9200 | 900 | 8300
      管理部 | 虚竹 | | 5000 | 800 | 5800 | 600 | 5200
      市场部 | | 2 | 11000 | 3000 | 14000 | 1300 | 12700
      市场部 | 游坦之 | | 5500 | 1500 | 7000 | 650 | 6350
      市场部 | 阿紫 | | 5500 | 1500 | 7000 | 650 | 6350`,
    `
      表头 1
      人员 3 4 6 7
      列 部门=department 姓名=name 人数=info 基本工资=earning 奖金=earning 应发合计=gross 扣款合计=subtotal 实发合计=net
      必答
      实发 26200`,
  ],
  [
    'the employer’s share and the cost behind the net pay',
    `
      工号 | 姓名 | 应发工资 | 养老个人 | 医疗个人 | 失业个人 | 公积金个人 | 个税 | 实发工资 | 养老单位 | 医疗单位 | 失业单位 | 工伤单位 | 公积金单位 | 用工成本合计
      001 | 张无忌 | 10000 | 800 | 200 | 50 | 500 | 103.5 | 8346.5 | 1600 | 900 | 50 | 20 | 500 | 13070
      002 | 周芷若 | 9000 | 720 | 180 | 45 | 450 | 78.15 | 7526.85 | 1440 | 810 | 45 | 18 | 450 | 11763`,
    `
      表头 1
      人员 2 3
      列 工号=employee_no 姓名=name 应发工资=gross 养老个人=deduction 医疗个人=deduction 失业个人=deduction 公积金个人=deduction 个税=tax 实发工资=net 养老单位=employer 医疗单位=employer 失业单位=employer 工伤单位=employer 公积金单位=employer 用工成本合计=employer
      必答
      实发 15873.35`,
  ],
  [
    'pages with their titles, headers, totals and numbers',
    `
      XX厂2026年10月工资表 | < | < | < | <
      姓名 | 基本工资 | 加班费 | 扣款 | 实发
      甲乙丙 | 3000 | 500 | 100 | 3400
      丁戊己 | 3100 | 400 | 100 | 3400
      本页小计 | 6100 | 900 | 200 | 6800
      第1页 共2页
      XX厂2026年10月工资表 | < | < | < | <
      姓名 | 基本工资 | 加班费 | 扣款 | 实发
      庚辛壬 | 3200 | 300 | 100 | 3400
      癸子丑 | 3300 | 200 | 100 | 3400
      本页小计 | 6500 | 500 | 200 | 6800
      总计 | 12600 | 1400 | 400 | 13600
      第2页 共2页`,
    `
      表头 2
      人员 3 4 9 10
      列 姓名=name 基本工资=earning 加班费=earning 扣款=deduction 实发=net
      必答
      实发 13600`,
  ],
  [
    'piece work with prices in groups',
    `
      组别 | 姓名 | 产品A | < | < | 产品B | < | < | 计件工资合计 | 补助 | 扣款 | 实发工资
      ^ | ^ | 数量 | 单价 | 金额 | 数量 | 单价 | 金额 | ^ | ^ | ^ | ^
      一组 | 胡斐 | 100 | 3.5 | 350 | 200 | 2 | 400 | 750 | 50 | 20 | 780
      ^ | 程灵素 | 120 | 3.5 | 420 | 180 | 2 | 360 | 780 | 50 | 0 | 830
      二组 | 苗若兰 | 90 | 3.5 | 315 | 210 | 2 | 420 | 735 | 50 | 10 | 775`,
    `
      表头 1 2
      人员 3 4 5
      列 组别=department 姓名=name 产品A / 数量=info 产品A / 单价=info 产品A / 金额=earning 产品B / 数量=info 产品B / 单价=info 产品B / 金额=earning 计件工资合计=subtotal 补助=earning 扣款=deduction 实发工资=net
      必答
      实发 2385`,
  ],
  [
    'the months of a year in adjacent columns',
    `
      2026年全年工资汇总 | < | < | < | < | <
      姓名 | 部门 | 1月 | 2月 | 3月 | 合计
      任我行 | 教务 | 9000 | 9100 | 9200 | 27300
      向问天 | 教务 | 8000 | 8000 | 8000 | 24000`,
    `
      表头 2
      人员 3 4
      列 姓名=name 部门=department 1月=earning 2月=earning 3月=earning 合计=net
      必答
      实发 51300`,
  ],
  [
    'three rows of groups and a narrow column between',
    `
      2026年9月工资明细表 | < | < | < | < | < | < | < | < | < | < | <
      部门 | 姓名 | 应发项目 | < | < | < | < | | 应扣项目 | < | < | 实发
      ^ | ^ | 固定工资 | < | 浮动工资 | < | 应发合计 | | 社保公积金 | < | 个税 | ^
      ^ | ^ | 基本 | 岗位 | 绩效 | 加班 | ^ | | 社保 | 公积金 | ^ | ^
      办公室 | 郭襄 | 3000 | 2000 | 1000 | 200 | 6200 | | 490 | 300 | 12 | 5398
      办公室 | 杨过 | 3500 | 2500 | 1200 | 0 | 7200 | | 560 | 350 | 38.7 | 6251.3`,
    `
      表头 2 3 4
      人员 5 6
      列 部门=department 姓名=name 应发项目 / 固定工资 / 基本=earning 应发项目 / 固定工资 / 岗位=earning 应发项目 / 浮动工资 / 绩效=earning 应发项目 / 浮动工资 / 加班=earning 应发项目 / 应发合计=gross 应扣项目 / 社保公积金 / 社保=deduction 应扣项目 / 社保公积金 / 公积金=deduction 应扣项目 / 个税=tax 实发=net
      必答
      实发 11649.3`,
  ],
  [
    'days and hours next to their amounts',
    `
      姓名 | 部门 | 应出勤 | 实出勤 | 迟到(次) | 迟到扣款 | 请假(天) | 请假扣款 | 基本工资 | 全勤奖 | 应发 | 个税 | 实发
      诸葛亮 | 参谋 | 22 | 22 | 0 | 0 | 0 | 0 | 9000 | 200 | 9200 | 126 | 9074
      庞统 | 参谋 | 22 | 21 | 2 | 40 | 1 | 409 | 9000 | 0 | 8551 | 106.53 | 8444.47`,
    `
      表头 1
      人员 2 3
      列 姓名=name 部门=department 应出勤=info 实出勤=info 迟到(次)=info 迟到扣款=deduction 请假(天)=info 请假扣款=deduction 基本工资=earning 全勤奖=earning 应发=gross 个税=tax 实发=net
      必答
      实发 17518.47`,
  ],
  [
    'a sheet from Hong Kong',
    `
      員工編號 | 中文姓名 | 英文姓名 | 底薪 | 佣金 | 津貼 | 強積金(僱員) | 強積金(僱主) | 實發薪金
      HK01 | 陳大文 | CHAN Tai Man | 18000 | 3000 | 500 | 1075 | 1075 | 20425
      HK02 | 李小龍 | LEE Siu Lung | 16000 | 0 | 500 | 825 | 825 | 15675`,
    `
      表头 1
      人员 2 3
      列 員工編號=employee_no 中文姓名=name 英文姓名=info 底薪=earning 佣金=earning 津貼=earning 強積金(僱員)=deduction 強積金(僱主)=employer 實發薪金=net
      必答
      实发 36100`,
  ],
  [
    'a state-owned company with spaces in every label',
    `
      职工工资发放明细表
      单位：第一分公司 | | | 2026年10月 | | | | | | | 金额单位：元
      姓　名 | 岗　位⏎工　资 | 薪　级⏎工　资 | 津　贴 | 补　贴 | 应　发⏎合　计 | 代　扣　款 | < | < | < | 实　发⏎金　额
      ^ | ^ | ^ | ^ | ^ | ^ | 养老金 | 公积金 | 医保 | 所得税 | ^
      刘　备 | 3000 | 1200 | 800 | 500 | 5500 | 440 | 660 | 110 | 0 | 4290
      曹　操 | 3200 | 1300 | 900 | 500 | 5900 | 472 | 708 | 118 | 0 | 4602
      孙　权 | 2900 | 1100 | 700 | 500 | 5200 | 416 | 624 | 104 | 0 | 4056
      合　计 | 9100 | 3600 | 2400 | 1500 | 16600 | 1328 | 1992 | 332 | 0 | 12948
      复核： | | | 制表： | | | 单位负责人：`,
    `
      表头 3 4
      人员 5 6 7
      列 姓 名=name 岗 位 工 资=earning 薪 级 工 资=earning 津 贴=earning 补 贴=earning 应 发 合 计=gross 代 扣 款 / 养老金=deduction 代 扣 款 / 公积金=deduction 代 扣 款 / 医保=deduction 代 扣 款 / 所得税=tax 实 发 金 额=net
      必答
      实发 12948`,
  ],
  [
    'two teams one below the other, with separate columns',
    `
      一、管理人员工资（2026年10月）
      序号 | 姓名 | 职务 | 月薪 | 出勤天数 | 应发工资 | 代缴社保 | 预支 | 实发工资 | 领款签字
      1 | 叶问 | 经理 | 12000 | 26 | 12000 | 600 | 2000 | 9400 |
      2 | 张永成 | 会计 | 8000 | 26 | 8000 | 500 | 0 | 7500 |
      小计 | | | | | 20000 | 1100 | 2000 | 16900 |
      二、施工人员工资（2026年10月）
      序号 | 姓名 | 工种 | 日工资 | 出勤天数 | 应发工资 | 代缴社保 | 预支 | 实发工资 | 领款签字
      1 | 李小山 | 木工 | 350 | 26 | 9100 | 0 | 3000 | 6100 |
      2 | 赵铁柱 | 瓦工 | 380 | 25 | 9500 | 0 | 0 | 9500 |
      小计 | | | | | 18600 | 0 | 3000 | 15600 |
      合计 | | | | | 38600 | 1100 | 5000 | 32500 |`,
    `
      表头 2
      人员 3 4 1000008 1000009
      列 序号=info 姓名=name 职务=info 月薪=earning 出勤天数=info 应发工资=gross 代缴社保=deduction 预支=deduction 实发工资=net 领款签字=info 工种=info 日工资=info
      必答
      实发 32500`,
  ],
  [
    'last month next to this one',
    `
      姓名 | 部门 | 上月工资 | 上月实发 | 本月基本工资 | 本月奖金 | 本月应发合计 | 本月代扣 | 本月实发 | 较上月增减
      唐三藏 | 取经 | 9000 | 8500 | 9000 | 500 | 9500 | 500 | 9000 | 500
      孙悟空 | 取经 | 8000 | 7600 | 8000 | 800 | 8800 | 450 | 8350 | 750
      猪八戒 | 取经 | 7000 | 6700 | 7000 | 100 | 7100 | 400 | 6700 | 0`,
    `
      表头 1
      人员 2 3 4
      列 姓名=name 部门=department 上月工资=info 上月实发=info 本月基本工资=earning 本月奖金=earning 本月应发合计=gross 本月代扣=deduction 本月实发=net 较上月增减=info
      必答
      实发 24050`,
  ],
  [
    'year-to-date amounts next to those of the month',
    `
      工号 | 姓名 | 本期收入 | 本期社保 | 本期公积金 | 累计收入 | 累计减除费用 | 累计专项扣除 | 累计专项附加扣除 | 累计应纳税所得额 | 税率 | 速算扣除数 | 累计应纳税额 | 累计已缴税额 | 本期应补退税额 | 实发金额
      A001 | 宋江 | 20000 | 1600 | 1000 | 200000 | 50000 | 26000 | 10000 | 114000 | 10% | 2520 | 8880 | 7780 | 1100 | 16300
      A002 | 卢俊义 | 15000 | 1200 | 750 | 150000 | 50000 | 19500 | 10000 | 70500 | 10% | 2520 | 4530 | 4225 | 305 | 12745`,
    `
      表头 1
      人员 2 3
      列 工号=employee_no 姓名=name 本期收入=earning 本期社保=deduction 本期公积金=deduction 累计收入=info 累计减除费用=info 累计专项扣除=info 累计专项附加扣除=info 累计应纳税所得额=info 税率=info 速算扣除数=info 累计应纳税额=info 累计已缴税额=info 本期应补退税额=tax 实发金额=net
      必答
      实发 29045`,
  ],
  [
    'a superior’s name and another phone',
    `
      主管姓名 | 员工姓名 | 联系人电话 | 本人手机 | 底薪 | 提成 | 合计工资 | 扣款 | 实发
      王主管 | 蒋大为 | '13800000001 | '13900000001 | 3000 | 2500 | 5500 | 100 | 5400
      王主管 | 郭兰英 | '13800000002 | '13900000002 | 3000 | 3500 | 6500 | 0 | 6500`,
    `
      表头 1
      人员 2 3
      列 主管姓名=info 员工姓名=name 联系人电话=info 本人手机=mobile 底薪=earning 提成=earning 合计工资=gross 扣款=deduction 实发=net
      必答
      实发 11900`,
  ],
  [
    'names without a label',
    `
       | 基本工资 | 绩效 | 应发 | 社保 | 实发
      贾宝玉 | 5000 | 500 | 5500 | 400 | 5100
      林黛玉 | 4800 | 600 | 5400 | 380 | 5020
      薛宝钗 | 5200 | 400 | 5600 | 420 | 5180`,
    `
      表头 1
      人员 2 3 4
      列 A=name 基本工资=earning 绩效=earning 应发=gross 社保=deduction 实发=net
      必答 role:c0→name
      实发 15300`,
  ],
  [
    'lessons, their rate, and a remark',
    `
      2026年10月课时费发放表（外聘教师）
      序号 | 教师姓名 | 所属学院 | 课程名称 | 职称 | 课时数 | 课时标准（元/课时） | 课时费（元） | 交通补贴 | 应发金额 | 代扣个税 | 实发金额 | 银行卡号 | 备注
      1 | 孔丘 | 文学院 | 论语选读 | 教授 | 32 | 150 | 4800 | 200 | 5000 | 800 | 4200 | '6222021202012345678 | 含9月补16课时
      2 | 孟轲 | 文学院 | 孟子 | 副教授 | 16 | 120 | 1920 | 200 | 2120 | 264 | 1856 | '6222021202012345679 |
       | 合计 | | | | 48 | | 6720 | 400 | 7120 | 1064 | 6056 | |
      制单人：颜回 | | | | 审核人：子路`,
    `
      表头 2
      人员 3 4
      列 序号=info 教师姓名=name 所属学院=department 课程名称=info 职称=info 课时数=info 课时标准（元/课时）=info 课时费（元）=earning 交通补贴=earning 应发金额=gross 代扣个税=tax 实发金额=net 银行卡号=bank_account 备注=info
      必答
      实发 6056`,
  ],
  [
    'an export with dots in its labels',
    `
      薪资发放报表
      导出时间：2026-11-02 10:23:45 | | 操作人：admin
      工资期间：2026-10 | | 薪资组：总部职能
      员工编号 | 姓名 | 身份证号 | 入职日期 | 部门全路径 | 固定工资.基本工资 | 固定工资.岗位工资 | 浮动工资.绩效奖金 | 考勤扣款.事假 | 考勤扣款.迟到 | 税前合计 | 个人社保.养老 | 个人社保.医疗 | 个人公积金 | 本期个税 | 税后补发 | 税后扣款 | 实发工资
      10001 | 田伯光 | '330106198501011220 | 2020-03-01 | 总部/行政/前台 | 5000 | 1000 | 800 | 100 | 20 | 6680 | 400 | 100 | 250 | 27.9 | 50 | 30 | 5922.1
      10002 | 仪琳 | '330106198601012337 | 2021-07-15 | 总部/财务 | 6000 | 1500 | 900 | 0 | 0 | 8400 | 480 | 120 | 300 | 75 | 0 | 0 | 7425
      共 2 条记录`,
    `
      表头 4
      人员 5 6
      列 员工编号=employee_no 姓名=name 身份证号=id_card 入职日期=info 部门全路径=department 固定工资.基本工资=earning 固定工资.岗位工资=earning 浮动工资.绩效奖金=earning 考勤扣款.事假=deduction 考勤扣款.迟到=deduction 税前合计=gross 个人社保.养老=deduction 个人社保.医疗=deduction 个人公积金=deduction 本期个税=tax 税后补发=earning 税后扣款=deduction 实发工资=net
      必答
      实发 13347.1`,
  ],
  [
    'a department merged over its employees',
    `
      2026年9月绩效奖金分配表 | < | < | < | < | <
      科室 | 姓名 | 系数 | 基础绩效 | 单项奖惩 | 实发绩效
      内科 | 华佗 | 1.5 | 3000 | -200 | 2800
      ^ | 扁鹊 | 1.2 | 2400 | 100 | 2500
      外科 | 张仲景 | 1.3 | 2600 | 0 | 2600
      ^ | 李时珍 | 1.0 | 2000 | 50 | 2050
      合计 | | | 10000 | -50 | 9950`,
    `
      表头 2
      人员 3 4 5 6
      列 科室=department 姓名=name 系数=info 基础绩效=earning 单项奖惩=earning 实发绩效=net
      必答
      实发 9950`,
  ],
  [
    'totals above the header',
    `
      Payroll Register - October 2026
      Total | | 31000 | 3000 | 28000
      Employee ID | Employee Name | Gross Salary | Total Deductions | Net Salary
      E-001 | Alice Wong | 15000 | 1500 | 13500
      E-002 | Bob Chan | 16000 | 1500 | 14500`,
    `
      表头 3
      人员 4 5
      列 Employee ID=employee_no Employee Name=name Gross Salary=gross Total Deductions=info Net Salary=net
      必答
      实发 28000`,
  ],
  [
    "the employer's share next to the employee's, in pairs",
    `
      姓名 | 基本工资 | 养老保险 | < | 医疗保险 | < | 住房公积金 | < | 个税 | 实发
      ^ | ^ | 单位 | 个人 | 单位 | 个人 | 单位 | 个人 | ^ | ^
      苏轼 | 10000 | 1600 | 800 | 900 | 200 | 500 | 500 | 105 | 8395
      苏辙 | 9000 | 1440 | 720 | 810 | 180 | 450 | 450 | 79.5 | 7570.5`,
    `
      表头 1 2
      人员 3 4
      列 姓名=name 基本工资=earning 养老保险 / 单位=employer 养老保险 / 个人=deduction 医疗保险 / 单位=employer 医疗保险 / 个人=deduction 住房公积金 / 单位=employer 住房公积金 / 个人=deduction 个税=tax 实发=net
      必答
      实发 15965.5`,
  ],
  [
    'deductions written as negatives',
    `
      姓名 | 基本 | 补助 | 代扣社保 | 代扣个税 | 实发数
      李白 | 6000 | 500 | -480 | -30.6 | 5989.4
      杜甫 | 5500 | 300 | -440 | -10.8 | 5349.2`,
    `
      表头 1
      人员 2 3
      列 姓名=name 基本=earning 补助=earning 代扣社保=deduction 代扣个税=tax 实发数=net
      必答
      实发 11338.6`,
  ],
  [
    'a region alone in its row',
    `
      姓名 | 基本工资 | 实发
      华东大区
      王安石 | 6000 | 5800
      司马光 | 6200 | 5900
      西北片
      范仲淹 | 6100 | 5850
      欧阳修 | 6300 | 6000`,
    `
      表头 1
      人员 3 4 6 7
      列 姓名=name 基本工资=earning 实发=net
      必答
      实发 23550`,
  ],
]
test.each(cases)('%s', (_, sheet, expected) =>
  expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
)
