/**
 * Column labels as data. Chinese first (payroll/tax-rules §14), with the basic terms of English, Japanese, Korean,
 * Vietnamese and Russian sheets. The longest synonym wins, and an exact match takes precedence over a contained one.
 */
import type { AmountRole, ColumnRole, MemberRole } from '../../contract/sheets/column-roles.ts'

/** `money`: the cells are amounts. `info`: days, rates, dates, text. */
export type ColumnNature = 'who' | 'money' | 'info'

/** Labels that identify a person. They must be the entire label, or nearly. Separated by spaces; `_` stands for a space. */
const identityLabels: Readonly<Record<MemberRole, string>> = {
  name: '姓名 员工姓名 职工姓名 人员姓名 名字 员工名称 员工 教师姓名 收款人姓名 户名 项目姓名 中文名 name full_name name_of_employee name_of_the_employee name_of_the employee_name employee emp_name staff_name worker_name 氏名 名前 社員名 従業員名 성명 이름 성함 사원명 직원명 họ_và_tên họ_tên tên_nhân_viên фио фамилия_имя_отчество фио_сотрудника сотрудник имя_сотрудника',
  last_name: '姓 姓氏 last_name surname family_name lastname 姓(漢字) 성 họ фамилия',
  first_name: '名 first_name given_name forename firstname tên имя',
  mobile:
    '手机号 手机号码 手机 联系电话 电话 电话号码 联系方式 移动电话 手机电话 phone phone_number mobile mobile_number mobile_no mobile_phone cell_phone tel telephone contact_number 携帯電話 携帯番号 電話番号 휴대폰 휴대폰번호 휴대전화 전화번호 연락처 số_điện_thoại điện_thoại sđt телефон мобильный_телефон номер_телефона',
  id_card:
    '身份证号 身份证号码 身份证 证件号码 证件号 证照号码 公民身份号码 居民身份证号 id_card id_card_no id_card_number national_id identity_card 주민등록번호 cccd cmnd số_cccd số_cmnd',
  employee_no:
    '工号 员工编号 员工工号 人员编号 职工号 职员代码 员工代码 职工代码 职工编号 职工工号 员工号 人员代码 员工编码 人员编码 职工编码 职员编码 雇员编码 雇员编号 员工代号 人员代号 职工代号 工牌号 工卡号 员工id 职员编号 职工账号 员工账号 学号 警号 badge号 工资号 人员工号 employee_no employee_number employee_id employee_code emp_no emp_id empid empno emp_code emp_number staff_no staff_id staff_number personnel_no personnel_number payroll_no worker_id 社員番号 従業員番号 社員コード 社員id 従業員id 사번 사원번호 직원번호 mã_nhân_viên mã_nv mã_số_nhân_viên msnv табельный_номер таб_номер таб_№ табельный_№ табельный id_сотрудника код_сотрудника',
  department:
    '部门 所属部门 部门名称 一级部门 二级部门 科室 班组 车间 门店 所在部门 任职部门 部门科室 所属科室 网点 站点 店铺 项目部 所属门店 所属班组 所属车间 事业部 department dept dept_name department_name team division section 部署 所属 部門 部課 부서 부서명 소속 phòng_ban bộ_phận phòng отдел подразделение департамент',
  email:
    '邮箱 电子邮箱 邮件 电子邮件 邮箱地址 邮件地址 email e-mail mail email_address メール メールアドレス 이메일 메일 thư_điện_tử почта эл_почта электронная_почта',
  bank_account:
    '银行卡号 银行账号 银行帐号 工资卡号 卡号 帐号 银行卡 银行账户 工资卡 收款账号 收款帐号 工资账号 工资帐号 银行卡账号 bank_account bank_account_no bank_account_number account_number account_no bank_card card_no 口座番号 계좌번호 계좌 số_tài_khoản stk номер_счета счет расчетный_счет',
  platform_account:
    '企业微信账号 企业微信帐号 企业微信号 企业微信id 企业微信userid 企业微信user_id 企业微信用户id 企业微信成员账号 企微账号 企微帐号 企微号 企微id 企微userid 企微user_id 企微用户id 飞书账号 飞书帐号 飞书id 飞书userid 飞书user_id 飞书用户id 飞书openid 飞书open_id 钉钉账号 钉钉帐号 钉钉号 钉钉id 钉钉userid 钉钉user_id 钉钉用户id 办公平台账号 wecom_id wecom_userid wecom_user_id lark_id lark_user_id lark_open_id feishu_id feishu_user_id feishu_open_id dingtalk_id dingtalk_userid dingtalk_user_id',
}

/** Labels of amounts; of a label in two rows the first counts. */
const amountLabels: Readonly<Record<AmountRole | 'info', string>> = {
  net: '实发 本次发放合计 发放合计 本次实发 实发工资 实发合计 实发金额 实发薪资 实发数 实发额 实发总额 实付 实付工资 实付金额 实领 实领薪资 实领工资 实领金额 实得 实得工资 实得金额 到手 到手工资 税后 税后工资 税后薪资 税后实发 税后收入 代发金额 代发工资 实际发放 实际发工资 实际工资 本月实发 本月实付 应付净额 净工资 净额 员工实得 实得薪资 实发薪酬 实付薪资 net nett nett_pay nett_salary net_income net_pay_amount salary_payable monthly_take_home net_pay net_salary net_wage net_wages net_amount take_home take_home_pay take_home_salary net_payable net_salary_payable amount_payable 差引支給額 差引支給 手取り 手取額 振込額 銀行振込額 실수령액 실지급액 차인지급액 실수령 실지급 thực_lĩnh thực_nhận thực_lãnh lương_thực_lĩnh lương_thực_nhận lương_thực lương_net к_выплате на_руки сумма_к_выплате к_выдаче итого_к_выплате сумма_на_руки',
  gross:
    '应发 应发工资 应发合计 应发金额 应发薪资 应发总额 应发数 应付 应付工资 应付合计 应得 应得工资 应得合计 应领 应领合计 应领金额 应领薪资 税前 税前工资 税前合计 税前薪资 税前收入 工资总额 应计工资 应发小计 gross gross_pay gross_salary gross_wage gross_wages gross_earnings total_earnings total_earning gross_earning gross_income gross_remuneration total_income total_gross 総支給額 支給合計 支給額合計 総支給金額 지급액계 지급총액 지급합계 지급액합계 급여총액 총지급액 lương_gộp tổng_thu_nhập tổng_tn lương_gross tổng_lương начислено всего_начислено итого_начислено',
  tax: '个税 个人所得税 代扣个税 本月个税 应扣个税 应扣税额 本期应预扣预缴税额 应补(退)税额 应补退税额 所得税 扣税 代扣税 扣个税 个调税 个人缴税 税金 本月税金 本月扣税 补扣退个税 应纳税额 应扣税 奖金税 年终奖个税 累计已缴个税 income_tax iit individual_income_tax tax prof_tax professional_tax tds paye withholding_tax 所得税 住民税 근로소득세 소득세 지방소득세 주민세 thuế_tncn thuế_thu_nhập_cá_nhân ндфл подоходный_налог налог',
  info: '社保基数 缴费基数 社保缴费基数 养老基数 医疗基数 公积金基数 缴存基数 工资基数 计税基数 扣税基数 基数 应纳税所得额 应税所得额 应税所得 应税工资 计税工资 纳税工资 应税收入 计税收入 减除费用 累计减除费用 起征点 免征额 免税收入 速算扣除数 专项附加 专项附加扣除 专项抵扣 专项扣除 附加扣除 子女教育 继续教育 住房贷款 住房贷款利息 住房租金 赡养老人 婴幼儿照护 大病医疗支出 累计收入 累计应纳税额 已缴税额 已扣缴税额 累计已缴税额 减免税额 工资标准 月薪标准 薪资标准 发放标准 日工资 日薪 时薪 日薪标准 时薪标准 单价 工价 计件单价 hourly_wage hourly_pay hourly_rate daily_wage daily_rate 工资合计 收入合计 小计 合计 总计 扣款合计 应扣合计 扣除合计 代扣合计 减项合计 扣款总计 扣款小计 应扣小计 实际扣款合计 个人合计 社保合计 加项合计 补贴合计 津贴合计 累计 taxable taxable_income total_ded total_deds tot_ded total_dedn total_deduction total_deductions deduction_total subtotal 控除合計 控除額合計 課税対象額 공제액계 공제합계 공제총액 공제액합계 과세표준 thu_nhập_chịu_thuế tổng_tn_tính_thuế thu_nhập_tính_thuế giảm_trừ lương_đóng_bhxh lương_căn_bản_đóng_bhxh bản_thân tổng_khấu_trừ удержано всего_удержано итого_удержано',
  earning:
    '基本工资 base 基本 基础工资 底薪 基本薪资 本薪 出勤工资 岗位工资 职务工资 岗位薪资 薪级工资 级别工资 绩效 绩效工资 绩效奖金 考核工资 效益工资 工龄工资 司龄工资 工龄津贴 工龄补贴 技能工资 职称津贴 学历津贴 全勤奖 全勤 满勤奖 提成 销售提成 佣金 计件工资 计件 计时工资 小时工资 课时费 课酬 加班费 加班工资 加班 加班金额 加班补助 夜班津贴 夜班费 值班费 奖金 月度奖金 季度奖 奖励 年终奖 双薪 十三薪 13薪 岗位津贴 岗位补贴 职务津贴 餐补 餐费补贴 伙食补贴 误餐补贴 午餐补助 交通补贴 车补 油补 通讯补贴 话费补贴 电话补贴 电话费补贴 手机补贴 住房补贴 租房补贴 房补 高温津贴 高温补贴 高温费 防暑降温费 取暖补贴 差旅补贴 出差补助 过节费 节日费 福利费 福利 独生子女费 补贴 津贴 补助 补发 补发工资 补差 经济补偿金 补偿金 报销 报销款 其他应发 其他收入 其他工资 加薪 薪资 工资 薪酬 薪水 税后补发 税后补贴 税后加项 劳务费 稿酬 basic basic_pay basic_salary base_salary base_pay salary salaries wage wages pay bonus overtime overtime_pay allowance allowances commission gratuity reimbursement conveyance special_pay incentive incentive_pay hra da ta income earnings arrears arrers increment money house_rent medical_allowance special_allowance 基本給 役職手当 残業手当 通勤手当 住宅手当 家族手当 手当 賞与 급여 기본급 상여금 상여 수당 식대 주휴수당 lương lương_cơ_bản lương_căn_bản phụ_cấp thưởng thu_nhập khoản оклад премия надбавка зарплата сумма доплата',
  deduction:
    '事假扣款 病假扣款 请假扣款 缺勤扣款 旷工扣款 假勤扣款 迟到扣款 早退扣款 考勤扣款 缺卡扣款 罚款 绩效扣款 违纪扣款 税前扣款 补扣 养老保险 基本养老保险 养老金 基本养老金 养老 医疗保险 医保 医保金 医疗保险金 医疗金 医疗 失业保险 失业金 失业保险金 失业 劳保 劳保费 健保 健保费 团保 团保费 自提 劳退自提 福利金 大病医疗 大病 大额医疗 社保 社保个人 个人社保 社保扣款 代扣社保 社会保险 五险 五险一金 三险 四险 四险一金 房积金 三险一金 四金 公积金 住房公积金 强积金 强制性公积金 mpf 住房供给金 补充公积金 企业年金 职业年金 年金 保险 保险费 商业保险 个人养老金 借款 预支 还款 住宿费 宿舍费 房租 房租费 水电费 水费 电费 物业费 会费 风险抵押金 抵押金 风险金 保证金 风险保证金 押金 党费 餐费 餐费扣款 伙食费 饭卡 其他扣款 其它扣款 税后扣款 扣款 扣除 应扣 代扣 处分 gratuity_deduction salary_adv salary_advance advance_salary adv pension insurance esi esic epf cpf sss philhealth hdmf nssf nhif mlwf social_insurance social_security deduction deductions deducted provident_fund pf lic loan advance credit health_insurance 健康保険 厚生年金 雇用保険 介護保険 控除 국민연금 건강보험 장기요양보험 장기요양 고용보험 공제 bhxh bhyt bhtn bảo_hiểm khấu_trừ các_khoản_thu_lại удержание удержания аванс',
  union_fee:
    '工会费 工会会费 工会会员费 工会会员会费 union_fee union_fees union_dues trade_union_fee 組合費 労働組合費 조합비 노조비 đoàn_phí đoàn_phí_công_đoàn công_đoàn phí_công_đoàn',
  employer:
    '工会经费 kinh_phí_công_đoàn 工伤保险 工伤 生育保险 生育 劳退提拨 残保金 残疾人就业保障金 人工成本 用工成本 企业成本 总成本 服务费 代理费 管理费 公司缴纳 单位缴纳 企业缴纳 公司社保 单位社保 公司公积金 单位公积金 公司承担 单位承担 单位合计 公司合计 employer_contribution employer_cost cost_to_company ctc 会社負担',
  // Found by the sums of the rows, not by the label.
  subtotal: '',
}
/** Attendance labels that are amounts if their values are: 请假 0 · 迟到 50. */
export const absencePattern = /^(?:请假|事假|病假|病事假|事病假|迟到|早退|旷工|缺勤|缺卡)$/

/** Labels of columns that are no amounts. */
const infoLabels =
  '序号 编号 行号 备注 说明 摘要 月份 工资月份 所属月份 年月 年度 年份 发薪月份 薪资月份 日期 性别 年龄 岗位 职位 职务 职级 级别 职称 学历 民族 籍贯 生日 出生日期 入职日期 入职时间 入司日期 离职日期 转正日期 在职状态 状态 员工类型 用工类型 用工性质 人员类别 职工类别 类别 身份类型 工种 银行 开户行 开户银行 银行名称 签名 签字 签收 公司 公司名称 所属公司 法人主体 单位名称 班级 出勤 应出勤 实出勤 实际出勤 调休 年假 计薪天数 数量 件数 个数 产量 工序 证件类型 地址 住址 标题 结尾 费用科目 婚姻 是否 支部 月 年 季度 qq 岗位名称 岗位族 岗位级别 专业 电子签名 no no. sn s/n nationality password # seq index 番号 sl_no s.no sr_no month year date gender sex age position title job_title designation remark remarks comment comments status grade level hours hours_worked overtime_hours days day aadhar pan company 性別 年齢 役職 備考 出勤日数 연 월 년 년도 직급 직위 직책 생년월일 성별 나이 비고 입사일 stt chức_vụ ghi_chú ngày ngày_công số_lượng số_ngày chức_danh пол возраст должность дата примечание месяц год квалификация количество кол-во номер №'

/** Quantities, frequencies or times rather than amounts in yuan, unless the entire label is a known amount. */
export const notAmountPattern =
  /比例|分值|点数|费率|税率|利率|汇率|折算率|系数|倍数|倍率|因子|天数|小时|分钟|工时|时长|时间|次数|人数|成绩|学分|日期|编号|账号|帐号|账户|帐户|卡号|号码|代码|银行|开户|备注|说明|签名|签字|签收|状态|类别|类型|名称|原因|地区|城市|地点|方案|期限|所属期|缴纳月|评分|得分|分数|评级|等级|排名|名次|积分|储值|充值|消费|^余额$|出[勤工](?:合计|小计|总计|数)|工日|时数|日数|(?:\D号|[^a-z]id|码|电话|手机|座机|分机|传真|邮编|微信|qq|组织|机构)$|시간|일수|일자|\b(?:hours?|hrs?|days?|leaves|rate|percent|count|date|qty|quantity|code|number|no|status)\b|процент|количество|^ngày|^số (?:ngày|lượng|giờ|hợp đồng|sổ|cm|tài khoản)|^(?:mã|nơi|loại|hình thức|phương thức|trạng thái|đối tượng) |hay (?:không|chưa)|[?？]$/

/**
 * Converts traditional characters in pay terms to simplified ones; Japanese labels with the same characters are covered
 * as well.
 */
const traditionalPairs =
  '強强僱雇積积應应發发實实獎奖資资險险員员號号門门機机職职稅税勞劳銀银帳账帐账額额領领備备註注費费補补貼贴總总計计個个報报績绩業业醫医養养傷伤時时請请遲迟罰罚預预證证電电話话標标準准項项細细單单稱称級级離离聯联戶户傭佣務务會会團团編编'
const simplifiedByTraditional = new Map(
  Array.from(
    { length: traditionalPairs.length / 2 },
    (_, at) => [traditionalPairs[at * 2], traditionalPairs[at * 2 + 1]] as const,
  ),
)
const traditionalPattern = new RegExp(`[${[...simplifiedByTraditional.keys()].join('')}]`, 'g')

/** Removes decoration from a label: spaces, `*`, colons, （元）, (Y), a leading number; also normalizes width and case. */
export function normalizeHeader(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(/(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=[A-Z]{2}$)/g, ' ')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g, '')
    .toLowerCase()
    .replace(traditionalPattern, (sign) => simplifiedByTraditional.get(sign) ?? sign)
    .replace(/[_\s]+/g, ' ')
    .replace(/[(（[【](?:元|人民币|单位:?元|¥|rmb|y|n|必填|选填|required)[)）\]】]/g, '')
    .replace(/[*:：※★☆"'“”]/g, '')
    .replace(/^[#＃]+(?=\p{L})/u, '')
    .replace(/^(?:\d{1,2}|[一二三四五六七八九十]{1,2})\s?[、.)]\s?(?=\D)/, '')
    .trim()
  // Spaces separate words only in alphabetic scripts.
  return plain.replace(/(?<=[⺀-鿿豈-﫿가-힯぀-ヿ])\s|\s(?=[⺀-鿿豈-﫿가-힯぀-ヿ])/g, '')
}

/** May be the net pay if the sheet has no clearer label for it. */
export const possibleNetLabels = new Set(
  '总工资 工资总计 薪资总计 总薪资 工资合计 总计 合计工资 总额 总金额 合计金额 金额合计 总计金额 发放金额 发放工资 发放额 支付金额 支付额 付款金额 所得 所得合计 所得金额 本月所得 本月工资 应发实发 total total_pay total_salary total_payment salary_total 合計 支給額 급여합계 총급여 tổng_cộng tổng_lĩnh tổng_tiền зарплата заработная_плата итого всего'
    .split(' ')
    .map((word) => normalizeHeader(word.replaceAll('_', ' '))),
)

export interface Synonym {
  word: string
  role: ColumnRole
  nature: ColumnNature
}

const toSynonyms = (labels: string, role: ColumnRole, nature: ColumnNature): Synonym[] =>
  labels.split(' ').map((word) => ({ word: normalizeHeader(word.replaceAll('_', ' ')), role, nature }))
const toSynonymsByRole = (labels: Readonly<Record<string, string>>, nature: ColumnNature): Synonym[] =>
  Object.entries(labels).flatMap(([role, text]) => toSynonyms(text, role as ColumnRole, nature))

const allSynonyms = [
  ...toSynonymsByRole(identityLabels, 'who'),
  ...toSynonymsByRole(amountLabels, 'money'),
  ...toSynonyms(infoLabels, 'info', 'info'),
]
const synonymByWord = new Map<string, Synonym>()
for (const entry of allSynonyms) if (entry.word && !synonymByWord.has(entry.word)) synonymByWord.set(entry.word, entry)
/** Vietnamese is also written without diacritics: luong thuc nhan. Shorter words would be ambiguous. */
const minUnaccentedLength = 6
for (const entry of allSynonyms) {
  const word = entry.word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('đ', 'd')
  if (/^[a-z ]+$/.test(word) && word.length >= minUnaccentedLength && !synonymByWord.has(word))
    synonymByWord.set(word, { ...entry, word })
}

const letterPattern = /^[\p{Script=Latin}\p{Script=Cyrillic}]/u
/** Synonyms by their first two letters, so that a label is scanned once. Single letters would match too many labels. */
const synonymsByPrefix = new Map<string, { entry: Synonym; spaced: string | null }[]>()
for (const entry of synonymByWord.values())
  if (entry.word.length > 1) {
    const beginning = entry.word.slice(0, 2)
    // Words in alphabetic scripts are delimited by spaces.
    const spaced = letterPattern.test(entry.word) ? ` ${entry.word} ` : null
    synonymsByPrefix.set(beginning, [...(synonymsByPrefix.get(beginning) ?? []), { entry, spaced }])
  }

export const findExactSynonym = (label: string): Synonym | undefined => synonymByWord.get(label)

/** Finds the longest synonym within a normalized label; of equally long ones, the one that ends later. */
export function findContainedSynonym(label: string, natures: readonly ColumnNature[]): Synonym | undefined {
  const spaced = ` ${label.replace(/[/.,()&-]/g, ' ')} `
  let best: Synonym | undefined
  for (let at = 0; at < label.length - 1; at++)
    for (const { entry, spaced: spacedWord } of synonymsByPrefix.get(label.slice(at, at + 2)) ?? []) {
      if (best && entry.word.length < best.word.length) continue
      if (!natures.includes(entry.nature)) continue
      if (spacedWord ? spaced.startsWith(spacedWord, at) : label.startsWith(entry.word, at)) best = entry
    }
  return best
}

/** Terms that are used for pay and little else; not 金额, 合计, tax, total. */
const payPattern =
  /工\s?资|薪|实发|应发|实领|应领|实得|到手|奖金|津贴|补贴|社保|养老|医保|公积金|个税|个人所得税|绩效|提成|加班|劳务|(?<!选)课时(?!间)|报酬|餐补|全勤|工龄|稿酬|年终奖|发放|salar|wage|payroll|pay ?slip|\b(?:net|gross|basic|take home|regular|special|sick|holiday) ?pay\b|net amount|bonus|allowance|overtime|commission|gratuity|earnings|deductions?\b|\b(?:epf|pf|cpf|esic?|paye|hra)\b|支給|控除|手当|給与|給料|賞与|급여|임금|수당|지급|공제|상여|기본급|수령|lương|thưởng|phụ cấp|thực (?:lĩnh|nhận|lãnh)|bhxh|оклад|зарплат|преми|начисл|удерж|выплат|ндфл|на руки/i

/** Returns whether a sheet mentions pay in its labels, in the rows above them or in its name. */
export function mentionsPayTerms(
  { paths }: { readonly paths: readonly (readonly string[])[] },
  ...others: readonly string[]
): boolean {
  return [...paths.map((path) => path.join(' ')), ...others].some(
    (text) => payPattern.test(text) || payPattern.test(normalizeHeader(text)),
  )
}

/**
 * Returns the normalized header as one line to be hashed for storage: two sheets with the same line come from the same
 * template, regardless of month, spaces or line breaks.
 */
export function computeHeaderFingerprint(paths: readonly (readonly string[])[]): string {
  return paths.map(getLabelFingerprint).join('|')
}

/** Returns the fingerprint of one column. */
export const getLabelFingerprint = (path: readonly string[]) =>
  path.map((part) => normalizeHeader(part).replace(monthPattern, '')).join('/')

/** A month or a year within a label changes every time: 扣6月养老保险 · 2026年工会费. */
const monthPattern = /(?:(?:19|20)\d\d年?)?(?:[01]?\d月份?)|(?:19|20)\d\d年度?/g
