/** Independently invented rosters as HR departments have them, and other lists that are none, with the expected result. */
import { expect, test } from 'vitest'
import { type RosterCase, rosterMessage } from '../../support/sheets/roster/drawn.ts'

const cases: RosterCase[] = [
  [
    'WeCom export: notes above, account and alias next to the name',
    `
    填写须知：⏎1、不能在该Excel表中对成员信息类别进行增加、删除或修改；⏎2、红色字段为必填字段，黑色字段为选填字段 | < | < | < | < | < | < | <
    姓名 | 帐号 | 别名 | 职务 | 部门 | 性别 | 手机 | 座机 | 个人邮箱 | 激活状态 | 禁用状态
    林小满 | LinXiaoMan | 小满 | 店长 | 好滋味餐饮/华东区/南京店 | 女 | '13912340001 | | | 已激活 | 启用
    何大山 | HeDaShan | | 厨师 | 好滋味餐饮/华东区/南京店;好滋味餐饮/研发厨房 | 男 | '13912340002 | 025-86861234 | | 未激活 | 启用`,
    `是 roster
   表头 2
   人员 3 4
   列 A=name B=account D=position E=department F=gender G=mobile H=phone I=email J=status
   人 林小满 13912340001 好滋味餐饮/华东区/南京店 店长；何大山 13912340002 好滋味餐饮/华东区/南京店+好滋味餐饮/研发厨房 厨师`,
  ],
  [
    'DingTalk smart HR: groups over labels, entry as text, employee type',
    `
    基础信息 | < | < | < | 工作信息 | < | < | < | < | 个人信息 | < | <
    姓名 | 手机号 | 工号 | 部门 | 职位 | 员工类型 | 员工状态 | 入职时间 | 计划转正日期 | 证件号码 | 出生日期 | 户籍类型
    张晓燕 | '+86-13912340011 | 'DD0001 | 总经办-行政部 | 行政专员 | 全职 | 正式 | '2021-03-08 | '2021-06-08 | '330106198501011223 | '1985-01-01 | 城镇
    许文强 | '+86-13912340012 | 'DD0002 | 总经办-财务部 | 会计 | 全职 | 试用 | '2026-10-11 | '2027-01-11 | '320501199003150039 | '1990-03-15 | 农村
    丁力 | '+86-13912340013 | 'DD0003 | 总经办 | 总经理 | 全职 | 正式 | '2019-05-01 | | | | `,
    `是 roster
   表头 1 2
   人员 3 4 5
   列 A=name B=mobile C=employee_no D=department E=position G=status H=entry_date J=id_card K=birth_date
   人 张晓燕 13912340011 DD0001 总经办/行政部 行政专员 2021-03-08；许文强 13912340012 DD0002 总经办/财务部 会计 2026-10-11；丁力 13912340013 DD0003 总经办 总经理 2019-05-01`,
  ],
  [
    'Feishu export: 部门 with a root, 直属上级, 城市, 用户 ID',
    `
    姓名 | 英文名 | 用户 ID | 手机号 | 邮箱 | 企业邮箱 | 部门 | 职务 | 直属上级 | 工号 | 入职时间 | 人员类型 | 工作城市
    Lin Yue（林月） | Lin Yue | 8a7b6c | '+8613912340021 | lin@a.example | lin@corp.example | 研发中心/平台部/基础架构 | 工程师 | 周舟 | '00121 | '2022/7/4 | 正式 | 杭州
    周舟 | Zhou Zhou | 9c8d7e | '+8613912340022 | zhou@a.example | zhou@corp.example | 研发中心/平台部 | 经理 | | '00122 | '2020/1/6 | 正式 | 杭州`,
    `是 roster
   表头 1
   人员 2 3
   列 A=name C=account D=mobile E=email G=department H=position I=leader J=employee_no K=entry_date
   人 Lin Yue(林月) 13912340021 00121 研发中心/平台部/基础架构 工程师 2022-07-04；周舟 13912340022 00122 研发中心/平台部 经理 2020-01-06`,
  ],
  [
    'a factory: title, two-row header, departments merged, phones with blanks, notes below',
    `
    宏达五金制品厂员工花名册 | < | < | < | < | < | < | <
    序号 | 部门 | 姓名 | 个人信息 | < | < | 进厂时间 | 备注
    ^ | ^ | ^ | 身份证号码 | 籍贯 | 联系电话 | ^ | ^
    1 | 冲压车间 | 牛大力 | '330106198501011223 | 河南 | 139 1234 0031 | '2018.3.12 |
    2 | ^ | 马二丫 | '320501199003150039 | 安徽 | 139-1234-0032 | '2019.11.1 | 班长
    3 | 装配车间 | 杨三顺 | '440306199211084513 | 江西 | '13912340033 | '2020.06.15 |
    4 | ^ | 朱四喜 | | 湖南 | '13912340034 | '2021.7.20 |
    注：1. 本表每月5日前更新；2. 离职人员请移至“离职”表。
    制表人：王会计 | | | | | 日期：2026年10月`,
    `是 roster
   表头 2 3
   人员 4 5 6 7
   列 B=department C=name D=id_card F=mobile G=entry_date
   人 牛大力 13912340031 冲压车间 2018-03-12；马二丫 13912340032 冲压车间 2019-11-01；杨三顺 13912340033 装配车间 2020-06-15；朱四喜 13912340034 装配车间 2021-07-20`,
  ],
  [
    'social insurance declaration: 社保 list with bases',
    `
    2026年10月社会保险参保人员花名册 | < | < | < | < | < | <
    单位名称：宏达五金制品厂 | < | < | 单位编号：33010012345 | < | < | 单位：元
    序号 | 个人编号 | 姓名 | 证件号码 | 缴费基数 | 单位缴费 | 个人缴费 | 参保时间 | 参保状态
    1 | '1000234567 | 牛大力 | '330106198501011223 | 5000 | 800 | 525 | '201803 | 正常参保
    2 | '1000234568 | 马二丫 | '320501199003150039 | 5000 | 800 | 525 | '201911 | 正常参保
    合计 | | | | 10000 | 1600 | 1050 | |`,
    `是 roster
   表头 3
   人员 4 5
   列 C=name D=id_card
   人 牛大力；马二丫`,
  ],
  [
    'Beisen: 40 labels, code and name of organisation, several phones',
    `
    员工工号 | 姓名 | 组织全称 | 组织编码 | 职位名称 | 职务 | 员工状态 | 入职日期 | 最后工作日 | 移动电话 | 办公电话 | 工作邮箱 | 证件类型 | 证件号码 | 性别 | 最高学历 | 直线经理 | 直线经理工号
    'BS10001 | 罗素素 | 天工集团_智能制造事业部_质量部 | ZL01 | 质量工程师 | 工程师 | 在职 | 2020-02-03 | | '13912340041 | 0571-88880001 | luo@tg.example | 身份证 | '330106198501011223 | 女 | 本科 | 范经理 | 'BS10000
    'BS10002 | 范无咎 | 天工集团_智能制造事业部 | ZZ01 | 部门经理 | 经理 | 在职 | 2018-02-03 | | '13912340042 | 0571-88880002 | fan@tg.example | 身份证 | '320501199003150039 | 男 | 硕士 | | 
    'BS10003 | 甄有才 | 天工集团_财务部 | CW01 | 会计 | 会计 | 离职 | 2019-02-03 | 2026-08-31 | '13912340043 | | | 身份证 | | 男 | 大专 | | `,
    `是 roster
   表头 1
   人员 2 3 4
   列 A=employee_no B=name C=department E=position G=status H=entry_date J=mobile K=phone L=email N=id_card O=gender Q=leader
   人 罗素素 13912340041 BS10001 天工集团/智能制造事业部/质量部 质量工程师 2020-02-03；范无咎 13912340042 BS10002 天工集团/智能制造事业部 部门经理 2018-02-03；甄有才 13912340043 BS10003 天工集团/财务部 会计 2019-02-03 离职`,
  ],
  [
    'two sheets: active and terminated',
    `
    姓名 | 部门 | 手机 | 离职日期 | 离职原因
    钱多多 | 销售部 | '13912340051 | 2026-05-31 | 个人原因
    ----
    姓名 | 部门 | 手机 | 入职日期
    孙小小 | 销售部 | '13912340052 | 2024-05-31
    李平安 | 仓库 | '13912340053 | 2023-05-31`,
    `是 roster
   表 在职
   人员 2 3
   列 A=name B=department C=mobile D=entry_date
   人 孙小小 13912340052 销售部 2024-05-31；李平安 13912340053 仓库 2023-05-31`,
    ['离职人员', '在职'],
  ],
  [
    'dates as bare numbers and as eight digits',
    `
    工号 | 姓名 | 所属部门 | 岗位 | 入职日期 | 出生年月 | 手机号码
    1001 | 高兴 | 客服部 | 客服 | 44197 | 32874 | 13912340061
    1002 | 乐天 | 客服部 | 组长 | 43831 | 31413 | 13912340062
    1003 | 安然 | 技术部 | 工程师 | 20220801 | 30682 | 13912340063`,
    `是 roster
   表头 1
   人员 2 3 4
   列 A=employee_no B=name C=department D=position E=entry_date F=birth_date G=mobile
   人 高兴 13912340061 1001 客服部 客服 2021-01-01；乐天 13912340062 1002 客服部 组长 2020-01-01；安然 13912340063 1003 技术部 工程师 2022-08-01`,
  ],
  [
    'a template with an example row and hints',
    `
    *姓名 | *手机号 | 工号 | *部门 | 岗位 | 入职日期 | 身份证号
    必填，2-20个字 | 必填，11位数字 | 选填 | 必填，用/分隔上下级 | 选填 | 格式：2020-01-01 | 选填
    示例：王小明 | '13800138000 | A001 | 总公司/市场部 | 专员 | '2020-01-01 | '110101199001011234`,
    `是 template
   表头 1
   人员 `,
  ],
  [
    'a template with 张三 as the example, marked in the last column',
    `
    姓名 | 手机号 | 部门 | 职位 | 备注
    张三 | '13800000000 | 技术部 | 工程师 | 示例，请删除本行
    李四 | '13800000001 | 技术部/前端组 | 主管 | 示例，请删除本行`,
    `是 template
   人员 `,
  ],
  [
    'English headers of a foreign firm',
    `
    Employee Master List as of 31-Oct-2026
    Emp No. | English Name | Chinese Name | Department | Job Title | Line Manager | Date Joined | Mobile No. | Email | Status
    C001 | Grace Chen | 陈淑芬 | Finance - AP | Accountant | Kevin Wu | 1-Mar-2019 | +86 139 1234 0071 | grace@x.example | Active
    C002 | Kevin Wu | 吴凯文 | Finance | Finance Manager | | 15-Jul-2015 | +86 139 1234 0072 | kevin@x.example | Active
    C003 | Tom Lee | 李汤姆 | Sales | Sales Exec | | 2-Jan-2020 | +852 9123 4567 | tom@x.example | Resigned`,
    `是 roster
   表头 2
   人员 3 4 5
   列 A=employee_no C=name D=department E=position F=leader G=entry_date H=mobile I=email J=status
   人 陈淑芬 13912340071 C001 Finance - AP Accountant 2019-03-01；吴凯文 13912340072 C002 Finance Finance Manager 2015-07-15；李汤姆 +85291234567 C003 Sales Sales Exec 2020-01-02 离职`,
  ],
  [
    'customers: a list of contacts, which is no roster',
    `
    客户编号 | 客户名称 | 联系人 | 联系电话 | 地址 | 客户等级 | 销售代表
    K001 | 杭州某某贸易有限公司 | 王经理 | '13912340081 | 杭州市西湖区 | A | 张伟
    K002 | 宁波某某物流有限公司 | 李主任 | '13912340082 | 宁波市鄞州区 | B | 张伟`,
    `是 not_a_roster`,
  ],
  [
    'suppliers',
    `
    供应商名称 | 联系人姓名 | 手机 | 开户行 | 账号 | 主营产品
    绍兴布业 | 何总 | '13912340083 | 工行 | '622202120000001 | 布料
    嘉兴纽扣厂 | 沈总 | '13912340084 | 农行 | '622202120000002 | 纽扣`,
    `是 not_a_roster`,
  ],
  [
    'exam results of pupils',
    `
    初三（2）班期中考试成绩表
    学号 | 姓名 | 语文 | 数学 | 英语 | 总分 | 名次
    01 | 王小虎 | 98 | 112 | 105 | 315 | 1
    02 | 李小龙 | 90 | 108 | 110 | 308 | 2
    03 | 赵小兰 | 95 | 99 | 101 | 295 | 3`,
    `是 not_a_roster`,
  ],
  [
    'attendance summary with only number, name and department, which is refused',
    `
    2026年10月考勤统计
    工号 | 姓名 | 部门 | 应出勤 | 实出勤 | 迟到 | 早退 | 请假
    201 | 贺新郎 | 生产部 | 22 | 22 | 0 | 0 | 0
    202 | 满江红 | 生产部 | 22 | 21 | 1 | 0 | 1`,
    `是 not_a_roster`,
  ],
  [
    'departments as headings between the members',
    `
    公司通讯录 | < | < | <
    姓名 | 职务 | 手机 | 短号
    总经办
    秦少游 | 总经理 | '13912340091 | 661
    柳如是 | 秘书 | '13912340092 | 662
    财务部
    苏小小 | 财务经理 | '13912340093 | 663
    陈圆圆 | 出纳 | '13912340094 | 664`,
    `是 roster
   表头 2
   人员 4 5 7 8
   列 A=name B=position C=mobile D=phone
   人 秦少游 13912340091 总经办 总经理；柳如是 13912340092 总经办 秘书；苏小小 13912340093 财务部 财务经理；陈圆圆 13912340094 财务部 出纳`,
  ],
  [
    'address book in two halves with two members per row',
    `
    员工通讯录 | < | < | < | < | <
    姓名 | 部门 | 手机 | 姓名 | 部门 | 手机
    武松 | 保安部 | '13912340101 | 林冲 | 培训部 | '13912340102
    鲁达 | 后勤部 | '13912340103 | 燕青 | 公关部 | '13912340104`,
    `是 roster
   表头 2
   人员 3 4 1000003 1000004
   列 A=name B=department C=mobile D=name E=department F=mobile
   人 武松 13912340101 保安部；鲁达 13912340103 后勤部；林冲 13912340102 培训部；燕青 13912340104 公关部`,
  ],
  [
    'an empty column in the middle and a signature column',
    `
    | 姓名 | | 性别 | 身份证号 | 手机号 | 岗位工种 | 进场日期 | 签名
    | 周大工 | | 男 | '330106198501011223 | '13912340111 | 木工 | 2026-03-01 |
    | 吴小工 | | 男 | '320501199003150039 | '13912340112 | 钢筋工 | 2026-03-05 |
    | 郑瓦工 | | 男 | '440306199211084513 | '13912340113 | 瓦工 | 2026-04-01 |`,
    `是 roster
   表头 1
   人员 2 3 4
   列 B=name D=gender E=id_card F=mobile G=position H=entry_date
   人 周大工 13912340111 木工 2026-03-01；吴小工 13912340112 钢筋工 2026-03-05；郑瓦工 13912340113 瓦工 2026-04-01`,
  ],
  [
    'a school: 教职工, 任教学科, 职称, 参加工作时间 next to 来校时间',
    `
    XX市第三中学教职工花名册（2026年秋）
    编号 | 姓名 | 性别 | 出生年月 | 政治面貌 | 参加工作时间 | 来校时间 | 职称 | 任教学科 | 所在年级组 | 联系电话
    001 | 孔老师 | 男 | 1975.06 | 党员 | 1998.08 | 2005.08 | 高级教师 | 语文 | 高三年级组 | '13912340121
    002 | 孟老师 | 女 | 1982.11 | 群众 | 2005.07 | 2010.08 | 一级教师 | 数学 | 高二年级组 | '13912340122`,
    `是 roster
   表头 2
   人员 3 4
   列 B=name C=gender D=birth_date G=entry_date J=department K=mobile
   人 孔老师 13912340121 高三年级组 2005-08；孟老师 13912340122 高二年级组 2010-08`,
  ],
  [
    'a hospital: 科室, 职称, 执业证号',
    `
    序号 | 科室 | 工号 | 姓名 | 职称 | 执业证书编号 | 手机 | 入院时间
    1 | 内科 | 'N001 | 华青囊 | 主任医师 | '110330000001234 | '13912340131 | 2010-05-01
    2 | 内科 | 'N002 | 扁小鹊 | 主治医师 | '110330000001235 | '13912340132 | 2015-05-01
    3 | 护理部 | 'H001 | 南丁丁 | 护师 | '200733000123456 | '13912340133 | 2018-05-01`,
    `是 roster
   表头 1
   人员 2 3 4
   列 B=department C=employee_no D=name G=mobile H=entry_date
   人 华青囊 13912340131 N001 内科 2010-05-01；扁小鹊 13912340132 N002 内科 2015-05-01；南丁丁 13912340133 H001 护理部 2018-05-01`,
  ],
  [
    'labour dispatch: 用工单位 and 派遣单位',
    `
    劳务派遣人员名册
    序号 | 姓名 | 身份证号码 | 性别 | 派遣单位 | 用工单位 | 岗位 | 派遣起始日期 | 派遣截止日期 | 电话
    1 | 程一鸣 | '330106198501011223 | 男 | 诚达人力 | 宏达五金 | 操作工 | 2025-01-01 | 2026-12-31 | 13912340141
    2 | 常二虎 | '320501199003150039 | 男 | 诚达人力 | 蓝天物流 | 装卸工 | 2025-06-01 | 2027-05-31 | 13912340142`,
    `是 roster
   表头 2
   人员 3 4
   列 B=name C=id_card D=gender F=department G=position J=mobile
   人 程一鸣 13912340141 宏达五金 操作工；常二虎 13912340142 蓝天物流 装卸工`,
  ],
  [
    'levels in columns with totals and 人数',
    `
    一级部门 | 二级部门 | 三级部门 | 姓名 | 职位 | 手机号
    总公司 | 营销中心 | 直销部 | 甘罗 | 销售 | '13912340151
    | | 渠道部 | 苏秦 | 销售 | '13912340152
    | 交付中心 | | 张仪 | 总监 | '13912340153
    | 合计：3人 | | | | `,
    `是 roster
   表头 1
   人员 2 3 4
   列 A=department B=department C=department D=name E=position F=mobile
   人 甘罗 13912340151 总公司/营销中心/直销部 销售；苏秦 13912340152 总公司/营销中心/渠道部 销售；张仪 13912340153 总公司/交付中心 总监`,
  ],
  [
    'phones in two forms and two in one cell; cards cut by the spreadsheet',
    `
    姓名 | 联系方式 | 身份证 | 部门
    丁一 | 13912340161/0571-86861111 | '330106198501011223 | 一部
    万二 | 139 1234 0162（微信同号） | '320501199003150039 | 一部
    于三 | 13912340163;13912340164 | 320501199003150000 | 二部
    王四 | 86-13912340165 | '440306199211084513 | 二部`,
    `是 roster
   人员 2 3 4 5
   列 A=name B=mobile C=id_card D=department
   人 丁一 13912340161 一部；万二 13912340162 一部；于三 二部；王四 13912340165 二部
   错 4B 4C`,
  ],
  [
    'a status column with days, terminated members among active ones',
    `
    姓名 | 部门 | 手机 | 入职日期 | 离职日期
    庄周 | 研发 | '13912340171 | 2020-01-01 |
    惠施 | 研发 | '13912340172 | 2020-01-01 | 2026-09-30
    列御 | 市场 | '13912340173 | 2020-01-01 | `,
    `是 roster
   人员 2 3 4
   列 A=name B=department C=mobile D=entry_date
   人 庄周 13912340171 研发 2020-01-01；惠施 13912340172 研发 2020-01-01 离职；列御 13912340173 市场 2020-01-01`,
  ],
  [
    'bank list for payment: name, card, bank',
    `
    代发工资人员信息登记表
    序号 | 户名 | 银行卡号 | 开户行 | 身份证号 | 预留手机号
    1 | 石破天 | '6222021234567890128 | 工行杭州分行 | '330106198501011223 | '13912340181
    2 | 丁不三 | '6222021234567890136 | 工行杭州分行 | '320501199003150039 | '13912340182`,
    `是 roster
   表头 2
   人员 3 4
   列 B=name C=bank_account E=id_card F=mobile
   人 石破天 13912340181；丁不三 13912340182`,
  ],
  [
    'pupils and their guardians',
    `
    学生姓名 | 班级 | 家长姓名 | 家长电话 | 家庭住址
    王小虎 | 初三2班 | 王大虎 | '13912340191 | 幸福小区
    李小龙 | 初三2班 | 李大龙 | '13912340192 | 和平小区`,
    `是 not_a_roster`,
  ],
  [
    'members of a shop',
    `
    会员卡号 | 会员姓名 | 手机号 | 积分 | 余额 | 开卡日期
    '80001 | 王女士 | '13912340193 | 320 | 55.5 | 2024-01-01
    '80002 | 李先生 | '13912340194 | 120 | 0 | 2024-02-01`,
    `是 not_a_roster`,
  ],
  [
    'candidates of recruiting',
    `
    应聘岗位 | 姓名 | 手机号 | 邮箱 | 面试时间 | 面试结果
    会计 | 候选甲 | '13912340195 | a@x.example | 2026-10-01 | 通过
    出纳 | 候选乙 | '13912340196 | b@x.example | 2026-10-02 | 待定`,
    `是 not_a_roster`,
  ],
  [
    'wage sheet used as a roster of its employees',
    `
    2026年10月工资表
    姓名 | 手机号 | 部门 | 基本工资 | 奖金 | 实发工资
    辛弃疾 | '13912340201 | 词部 | 5000 | 500 | 5500
    李清照 | '13912340202 | 词部 | 6000 | 500 | 6500
    合计 | | | 11000 | 1000 | 12000`,
    `是 roster
   表头 2
   人员 3 4
   列 A=name B=mobile C=department
   人 辛弃疾 13912340201 词部；李清照 13912340202 词部`,
  ],
  [
    'part of the name row repeated at every page',
    `
    员工花名册 第1页
    工号 | 姓名 | 部门 | 手机
    301 | 白居易 | 诗部 | '13912340211
    302 | 元稹 | 诗部 | '13912340212
    员工花名册 第2页
    工号 | 姓名 | 部门 | 手机
    303 | 韩愈 | 文部 | '13912340213
    304 | 柳宗元 | 文部 | '13912340214
    共 4 人`,
    `是 roster
   人员 3 4 7 8
   列 A=employee_no B=name C=department D=mobile
   人 白居易 13912340211 301 诗部；元稹 13912340212 302 诗部；韩愈 13912340213 303 文部；柳宗元 13912340214 304 文部`,
  ],
  [
    'two companies, each with its own 财务部',
    `
    公司名称 | 部门 | 姓名 | 手机
    甲公司 | 财务部 | 曹操 | '13912340221
    甲公司 | 市场部 | 夏侯惇 | '13912340222
    乙公司 | 财务部 | 孙权 | '13912340223`,
    `是 roster
   列 A=department B=department C=name D=mobile
   人 曹操 13912340221 甲公司/财务部；夏侯惇 13912340222 甲公司/市场部；孙权 13912340223 乙公司/财务部`,
  ],
  [
    'form of one employee',
    `
    员工入职登记表 | < | < | <
    姓名 | 曹操 | 性别 | 男
    身份证号 | '330106198501011223 | 手机号 | '13912340221
    部门 | 总裁办 | 岗位 | 总裁`,
    `是 roster
   人员 2
   人 曹操 13912340221 总裁办 总裁`,
  ],
  [
    'one unit for all members, then 部门 and 科室',
    `
    单位 | 部门 | 科室 | 姓名 | 职务 | 移动电话 | 到岗日期
    宏达集团 | 财务部 | 会计科 | 和珅 | 科长 | '13912340231 | 2019年3月1日
    宏达集团 | 财务部 | 出纳科 | 纪昀 | 出纳 | '13912340232 | 2020年12月
    宏达集团 | 工程部 | | 刘墉 | 部长 | '13912340233 | 2018年7月15日`,
    `是 roster
   人员 2 3 4
   列 B=department C=department D=name E=position F=mobile G=entry_date
   人 和珅 13912340231 财务部/会计科 科长 2019-03-01；纪昀 13912340232 财务部/出纳科 出纳 2020-12；刘墉 13912340233 工程部 部长 2018-07-15`,
  ],
  [
    'WeCom template of contacts with its notes in many rows',
    `
    填写须知：
    1. 带*号的为必填项
    2. 部门：上下级部门间用‘/’隔开，且从最上级部门开始
    *姓名 | *账号 | *手机 | 邮箱 | *所在部门 | 职务 | 性别
    蒋一 | jiangyi | '13912350001 | | 星河科技/产品部 | 产品经理 | 男
    沈二 | shener | '13912350002 | | 星河科技/产品部;星河科技/设计部 | 设计师 | 女`,
    `是 roster
   表头 4
   人员 5 6
   列 A=name B=account C=mobile D=email E=department F=position G=gender
   人 蒋一 13912350001 星河科技/产品部 产品经理；沈二 13912350002 星河科技/产品部+星河科技/设计部 设计师`,
  ],
  [
    'a list with totals of men and women below',
    `
    某某公司在职人员名册
    序号 | 姓名 | 性别 | 出生年月 | 文化程度 | 现任职务 | 所在部门 | 联系电话
    1 | 韩一 | 男 | 1980.05 | 大学 | 部长 | 生产部 | '13912350011
    2 | 杨二 | 女 | 1985.07 | 大专 | 科员 | 生产部 | '13912350012
    合计 | 2人 | 男1人 女1人 | | | | |`,
    `是 roster
   表头 2
   人员 3 4
   列 B=name C=gender D=birth_date F=position G=department H=mobile
   人 韩一 13912350011 生产部 部长；杨二 13912350012 生产部 科员`,
  ],
  [
    'English payroll export, last and first name, cost centre',
    `
    Employee ID | Last Name | First Name | Hire Date | Job Title | Cost Center | Department Name | Work Email | Mobile Phone | Manager Name
    10021 | Zhang | Wei | 2019-04-01 | Engineer | CC100 | R&D | zw@x.example | '13912350021 | Li Na
    10022 | Li | Na | 2017-02-15 | Manager | CC100 | R&D | ln@x.example | '13912350022 |`,
    `是 roster
   人员 2 3
   列 A=employee_no B=family_name C=given_name D=entry_date E=position G=department H=email I=mobile J=leader
   人 Wei Zhang 13912350021 10021 R&D Engineer 2019-04-01；Na Li 13912350022 10022 R&D Manager 2017-02-15`,
  ],
  [
    'blank rows between teams, team leader marked',
    `
    班组 | 姓名 | 电话 | 备注
    一班 | 朱一 | '13912350031 | 班长
    一班 | 秦二 | '13912350032 |
    | | |
    二班 | 尤三 | '13912350033 | 班长
    二班 | 许四 | '13912350034 | 停薪留职`,
    `是 roster
   人员 2 3 5 6
   列 A=department B=name C=mobile
   人 朱一 13912350031 一班；秦二 13912350032 一班；尤三 13912350033 二班；许四 13912350034 二班`,
  ],
  [
    'entry in three columns: year, month, day',
    `
    姓名 | 部门 | 入职年 | 入职月 | 入职日 | 手机号
    何一 | 客服 | 2020 | 3 | 15 | '13912350041
    吕二 | 客服 | 2021 | 11 | 2 | '13912350042`,
    `是 roster
   人员 2 3
   列 A=name B=department F=mobile
   人 何一 13912350041 客服；吕二 13912350042 客服`,
  ],
  [
    'names with marks of positions and numbers',
    `
    工号 | 姓名 | 部门 | 手机号码
    A01 | 施一（实习） | 运营部 | '13912350051
    A02 | 张二* | 运营部 | '13912350052
    A03 | 孔三 Sam | 运营部 | '13912350053`,
    `是 roster
   人员 2 3 4
   列 A=employee_no B=name C=department D=mobile`,
  ],
  [
    'contract list',
    `
    劳动合同台账
    序号 | 姓名 | 身份证号 | 部门 | 合同类型 | 合同开始日期 | 合同结束日期 | 签订次数 | 手机
    1 | 曹一 | '330106198501011223 | 工程部 | 固定期限 | 2024-01-01 | 2026-12-31 | 2 | '13912350061
    2 | 严二 | '320501199003150039 | 工程部 | 无固定期限 | 2020-01-01 | | 3 | '13912350062`,
    `是 roster
   表头 2
   人员 3 4
   列 B=name C=id_card D=department I=mobile
   人 曹一 13912350061 工程部；严二 13912350062 工程部`,
  ],
  [
    'training sign-in of staff',
    `
    安全培训签到表
    序号 | 部门 | 姓名 | 工号 | 签到
    1 | 仓储部 | 华一 | W01 |
    2 | 仓储部 | 金二 | W02 |`,
    `是 roster
   表头 2
   人员 3 4
   列 B=department C=name D=employee_no
   人 华一 W01 仓储部；金二 W02 仓储部`,
  ],
  [
    'stock list without members',
    `
    物料编码 | 物料名称 | 规格 | 库存数量 | 保管员 | 联系电话
    M001 | 螺丝 | M6 | 1000 | 魏一 | '13912350071
    M002 | 螺母 | M6 | 800 | 魏一 | '13912350071`,
    `是 not_a_roster`,
  ],
  [
    'orders with names of receivers',
    `
    订单号 | 收货人姓名 | 收货人手机 | 收货地址 | 商品 | 数量
    D1001 | 陶一 | '13912350081 | 杭州 | 茶叶 | 2
    D1002 | 姜二 | '13912350082 | 宁波 | 茶叶 | 1`,
    `是 not_a_roster`,
  ],
  [
    'visitors',
    `
    来访日期 | 访客姓名 | 访客电话 | 来访单位 | 被访人 | 事由
    2026-10-01 | 戚一 | '13912350091 | 某公司 | 王总 | 洽谈
    2026-10-02 | 谢二 | '13912350092 | 某公司 | 李总 | 面试`,
    `是 not_a_roster`,
  ],
  [
    'patients',
    `
    病历号 | 患者姓名 | 性别 | 年龄 | 联系电话 | 科室 | 主治医生
    P001 | 邹一 | 男 | 45 | '13912350101 | 内科 | 华医生
    P002 | 喻二 | 女 | 33 | '13912350102 | 外科 | 扁医生`,
    `是 not_a_roster`,
  ],
  [
    'home owners',
    `
    房号 | 业主姓名 | 业主电话 | 面积 | 物业费
    1-101 | 柏一 | '13912350111 | 89 | 178
    1-102 | 水二 | '13912350112 | 120 | 240`,
    `是 not_a_roster`,
  ],
  [
    'members of the union with posts: staff',
    `
    工会会员花名册
    序号 | 姓名 | 性别 | 部门 | 入会时间 | 职务 | 手机号
    1 | 窦一 | 男 | 一车间 | 2018-05 | 工人 | '13912350121
    2 | 章二 | 女 | 二车间 | 2019-05 | 工人 | '13912350122`,
    `是 roster
   表头 2
   人员 3 4
   列 B=name C=gender D=department F=position G=mobile
   人 窦一 13912350121 一车间 工人；章二 13912350122 二车间 工人`,
  ],
]

test.each(cases)('%s', (_, sheet, expected, names = []) => {
  const { messages, requested } = rosterMessage(sheet, expected, names)
  expect(messages).toEqual(requested)
})
