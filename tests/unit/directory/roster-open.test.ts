/** Findings from public rosters: each missing rule with a small roster of its own. */
import { expect, test } from 'vitest'
import { type RosterCase, rosterMessage } from '../../support/sheets/roster/drawn.ts'

const attendance = '同一个人有好几行，每行的日期或时间都不同，这像是考勤或打卡记录，不是员工花名册；请上传一人一行的名单'

const cases: RosterCase[] = [
  [
    'address book of a mail program: three kinds of names, and incomplete rows',
    `
    名字 | 姓氏 | 显示名称 | 昵称 | 主要电子邮件 | 备用电子邮件 | 工作电话 | 移动电话号码 | 职务 | 部门
    | | 方晓白 | 小白 | fang@a.example | | | '13912360001 | 店长 | 门店部
    大年 | 齐 | | | qi@a.example | | | '13912360002 | | `,
    `是 roster
   表头 1
   人员 2 3
   列 A=given_name B=family_name C=name E=email H=mobile I=position J=department
   人 方晓白 13912360001 门店部 店长；齐大年 13912360002`,
  ],
  [
    'a list of names only',
    `
    姓名
    水灵
    谷雨
    白露`,
    `是 roster
   表头 1
   人员 2 3 4
   列 A=name
   人 水灵；谷雨；白露`,
  ],
  [
    'named objects',
    `
    code | kind | name | lat | lon | region | iata
    A1 | port | Harbour North | 31.5 | 120.1 | JS | HN
    A2 | port | Harbour South | 30.5 | 121.1 | ZJ | HS`,
    `是 not_a_roster`,
  ],
  [
    'form line above a table of scores',
    `
    | 月度考核表 | < | < | < | < | <
    | 姓名： | | | 岗位： | | 工时：
    序号 | 考核项目 | 优 | 良 | 达标 | 差 | 评分
    1 | 工作完成度 | 25 | 20 | 15 | 10 |
    2 | 工作质量 | 25 | 20 | 15 | 10 | `,
    `是 not_a_roster`,
  ],
  [
    'form of one employee with punctuation after its labels',
    `
    员工信息登记表 | < | < | < | < | <
    编号： | '007 | | | 填写日期： | '2026-10-23
    姓名： | 陆小凤 | 性别： | 男 | 出生年月： | 1987-10-17
    民族; | 汉 | 学历： | 本科 | 籍贯： | 苏州
    身份证号码： | '11010519491231002X | | | 到职时间： | '2017-08-01
    Email： | lu@a.example | | | 电话： | '13912360009`,
    `是 roster
   人员 3
   列 A=name B=gender C=birth_date D=id_card E=entry_date F=email G=mobile
   人 陆小凤 13912360009 2017-08-01`,
  ],
  [
    'heads of departments, who are not the staff',
    `
    所属公司 | 1级部门 | 部门负责人姓名 | 部门负责人手机号 | 部门负责人工号 | 直属编制
    云上公司 | 市场部 | 花满楼 | '13912360011 | '0001 | 3
    云上公司 | 财务部 | 西门雪 | '13912360012 | '0002 | 5`,
    `是 not_a_roster`,
  ],
  [
    'years of education, which are no entry dates',
    `
    姓名 | 手机号码 | 部门 | 学校 | 专业 | 入校时间 | 毕业日期 | 学历
    柳如 | '13912360021 | 人事部 | 江南大学 | 会计 | '2001-09-11 | '2005-07-14 | 本科`,
    `是 roster
   表头 1
   人员 2
   列 A=name B=mobile C=department
   人 柳如 13912360021 人事部`,
  ],
  [
    'previous employers, which are no terminations',
    `
    姓名 | 手机号码 | 部门 | 职位 | 公司名称 | 担任职位 | 入职日期 | 离职日期 | 职位描述
    司空 | '13912360031 | 运营部 | 主管 | 远方公司 | 员工 | '2015-10-25 | '2019-08-19 |
    司空 | '13912360031 | 运营部 | 主管 | 近处公司 | 组长 | '2019-10-25 | '2022-08-19 | `,
    `是 roster
   表头 1
   人员 2 3
   列 A=name B=mobile C=department D=position
   人 司空 13912360031 运营部 主管；司空 13912360031 运营部 主管`,
  ],
  [
    'departments left of the first label, merged over their members',
    `
    | 姓名 | 性别 | 年龄 | 住址
    宣传部 | 张小满 | 男 | 32 | 北京
    ^ | 李小寒 | 女 | 28 | 上海
    宿舍部 | 王大暑 | 男 | 45 | 广州
    ^ | 周立秋 | 女 | 29 | 武汉`,
    `是 roster
   表头 1
   人员 2 3 4 5
   列 A=department B=name C=gender
   人 张小满 宣传部；李小寒 宣传部；王大暑 宿舍部；周立秋 宿舍部`,
  ],
  [
    'club members with their balance, numbered by an id',
    `
    ID | 姓名 | 电话 | 积分 | 余额
    11 | 小六 | '13912360041 | 0 | 20
    15 | 达达 | '13912360042 | 5 | 30`,
    `是 not_a_roster`,
  ],
  [
    'Russian: a code, three name parts, a position',
    `
    Код сотрудника | Фамилия | Имя | Отчество | Логин | Название должности | Дата приёма
    101 | Иванов | Максим | Степанович | ivanov | Разработчик | '2020-02-03
    104 | Петров | Илья | Петрович | petrov | Дизайнер | '2021-03-04`,
    `是 roster
   表头 1
   人员 2 3
   列 A=employee_no B=family_name C=given_name E=account F=position G=entry_date
   人 Максим Иванов 101 Разработчик 2020-02-03；Илья Петров 104 Дизайнер 2021-03-04`,
  ],
  [
    'Vietnamese: labels of two words, stars below',
    `
    STT | Mã nhân viên | Họ tên | Vị trí/ Chức vụ | Bộ phận/ Phòng ban | Ngày sinh | Giới tính | Ngày vào làm
    (*) | | (*) | (*) | | | |
    1 | NV01 | Nguyễn Văn Mạnh | Giám đốc | Phòng Nghiên cứu | '15/09/1990 | Nam | '15/09/2019
    2 | NV02 | Mai Tiến Thành | Nhân viên | Phòng Đào tạo | '25/09/1991 | Nữ | '16/09/2019`,
    `是 roster
   表头 1
   人员 3 4
   列 B=employee_no C=name D=position E=department F=birth_date G=gender H=entry_date
   人 Nguyễn Văn Mạnh NV01 Phòng Nghiên cứu Giám đốc 2019-09-15；Mai Tiến Thành NV02 Phòng Đào tạo Nhân viên 2019-09-16`,
  ],
  [
    'Korean: terminated members on a separate sheet',
    `
    이름 | 입사일 | 부서 | 직급 | 생일
    홍길순 | '2022-10-07 | 총무부 | 대리 | '1991-01-02
    -----
    이름 | 입사일 | 부서 | 직급 | 생일
    홍길동 | '2012-10-07 | 총무부 | 과장 | '1981-01-02`,
    `是 roster
   表 명부
   人员 2
   列 A=name B=entry_date C=department D=position E=birth_date
   人 홍길순 총무부 대리 2022-10-07`,
    ['명부', '퇴사자'],
  ],
  [
    'Japanese: readings between the parts of a name',
    `
    社員ID | 姓 | セイ | 名 | メイ | 性別 | 生年月日 | 所属課
    10008 | 須賀 | スガ | 美智子 | ミチコ | 女 | '1988-12-31 | 営業四課
    10031 | 本田 | ホンダ | ひとり | ヒトリ | 男 | '1968-02-15 | 営業一課`,
    `是 roster
   表头 1
   人员 2 3
   列 A=employee_no B=family_name D=given_name F=gender G=birth_date H=department
   人 須賀美智子 10008 営業四課；本田ひとり 10031 営業一課`,
  ],
  [
    'the same roster in two languages',
    `
    Name_EN | LastName_EN | Department_EN | Name_MN | LastName_MN | Phone
    Bolor | Otgon | Office | Болор | Отгон | '13912360051
    Magnai | Gan | Plant | Магнай | Ган | '13912360052`,
    `是 roster
   表头 1
   人员 2 3
   列 A=given_name B=family_name C=department F=mobile
   人 Bolor Otgon 13912360051 Office；Magnai Gan 13912360052 Plant`,
  ],
  [
    'days repeated under each group of hours and pay',
    `
    | | | Hours Worked | | Overtime Hours | | Pay |
    Last Name | First Name | Hourly Wage | 2026-01-01 | 2026-01-08 | 2026-01-01 | 2026-01-08 | 2026-01-01 | 2026-01-08
    Kern | Jon | 15.9 | 41 | 42 | 1 | 2 | 651.9 | 667.8
    Howard | Gloria | 10 | 42 | 41 | 2 | 1 | 420 | 410`,
    `是 roster
   表头 1 2
   人员 3 4
   列 A=family_name B=given_name
   人 Jon Kern；Gloria Howard`,
  ],
  [
    'a legend below, and positions merged downwards',
    `
    工号 | 姓名 | 部门 | 职位 | 手机号
    A001 | 欧阳一 | 财务部 | 会计 | '13912360061
    A002 | 钱二 | ^ | ^ | '13912360062

    说明
    红色 | 试用期
    蓝色 | 已转正`,
    `是 roster
   表头 1
   人员 2 3
   列 A=employee_no B=name C=department D=position E=mobile
   人 欧阳一 13912360061 A001 财务部 会计；钱二 13912360062 A002 财务部 会计`,
  ],
  [
    'punched attendance: the same members every day',
    `
    姓名 | 工号 | 部门 | 日期 | 上班打卡 | 下班打卡
    齐一 | A1 | 销售部 | 2026-10-12 | '08:58 | '18:02
    方二 | A2 | 市场部 | 2026-10-12 | '08:55 | '18:05
    齐一 | A1 | 销售部 | 2026-10-13 | '09:01 | '18:01
    方二 | A2 | 市场部 | 2026-10-13 | '08:50 | '18:10`,
    `是 not_a_roster
   因 ${attendance}`,
  ],
  [
    'two punches a day with the same date',
    `
    打卡时间 | 姓名 | 手机号 | 打卡结果
    '2026-10-12 08:58 | 齐一 | '13912370201 | 正常
    '2026-10-12 18:01 | 齐一 | '13912370201 | 正常
    '2026-10-12 09:13 | 方二 | '13912370202 | 迟到
    '2026-10-12 18:30 | 方二 | '13912370202 | 正常`,
    `是 not_a_roster
   因 ${attendance}`,
  ],
  [
    'daily attendance without times, as a program exports it',
    `
    考勤明细
    姓名 | 部门 | 考勤日期 | 出勤
    齐一 | 销售部 | '26-10-12 星期一 | 全天
    齐一 | 销售部 | '26-10-13 星期二 | 半天
    齐一 | 销售部 | '26-10-14 星期三 | 全天
    方二 | 市场部 | '26-10-12 星期一 | 全天
    方二 | 市场部 | '26-10-13 星期二 | 全天
    方二 | 市场部 | '26-10-14 星期三 | 请假`,
    `是 not_a_roster
   因 ${attendance}`,
  ],
  [
    'attendance of one employee',
    `
    日期 | 员工 | 签到 | 签退
    '10月12日 | 齐一 | '08:58 | '18:02
    '10月13日 | 齐一 | '08:59 | '18:03
    '10月14日 | 齐一 | 缺卡 | '18:00
    '10月15日 | 齐一 | '08:50 |`,
    '是 not_a_roster',
  ],
  [
    'English shifts',
    `
    Employee Name | Department | Shift Date | Clock In
    Ann Lee | Store | 2026-10-12 | '8:58
    Bob Day | Store | 2026-10-12 | '9:00
    Ann Lee | Store | 2026-10-13 | '8:59
    Bob Day | Store | 2026-10-13 | '9:02`,
    '是 not_a_roster',
  ],
  [
    'contracts of one employee, years apart, which are no attendance',
    `
    姓名 | 部门 | 合同开始日期 | 合同结束日期
    齐一 | 销售部 | 2020-01-01 | 2022-12-31
    齐一 | 销售部 | 2023-01-01 | 2025-12-31
    方二 | 市场部 | 2021-03-01 | 2024-02-29
    方二 | 市场部 | 2024-03-01 | 2027-02-28`,
    `是 roster
   人员 2 3 4 5`,
  ],
  [
    'employees in two departments with one entry date who arrive at the same hour',
    `
    姓名 | 部门 | 登记日期 | 上班时间
    齐一 | 销售部 | 2026-10-12 | '09:00
    齐一 | 市场部 | 2026-10-12 | '09:00
    方二 | 财务部 | 2026-10-13 | '09:00
    方二 | 行政部 | 2026-10-13 | '09:00`,
    `是 roster
   人员 2 3 4 5`,
  ],
  [
    'one row per employee who entered within a month',
    `
    姓名 | 部门 | 登记日期
    齐一 | 销售部 | 2026-10-12
    方二 | 市场部 | 2026-10-13
    石三 | 财务部 | 2026-10-14
    苏四 | 行政部 | 2026-10-15`,
    `是 roster
   人员 2 3 4 5`,
  ],
  [
    'invoices with names and phones',
    `
    账单号 | 姓名 | 手机号 | 账单日期 | 合计
    ZD01 | 齐一 | '13912370211 | 2026-10-01 | 1000
    ZD02 | 方二 | '13912370212 | 2026-10-01 | 2000`,
    `是 not_a_roster
   因 这像是发票或账单，不是员工花名册；请上传一人一行的名单`,
  ],
]

test.each(cases)('%s', (_, sheet, expected, names = []) => {
  const { messages, requested } = rosterMessage(sheet, expected, names)
  expect(messages).toEqual(requested)
})
