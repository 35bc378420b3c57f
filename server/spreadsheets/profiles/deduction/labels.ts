/** Column labels of the official lists of 专项附加扣除 (tax-rules §13.4), and detection of the list on a sheet. */
import { normalizeHeader } from '../../recognise/synonyms.ts'

/** Meanings of the columns. `standard`: the monthly amount of the deduction, if a list contains it. */
const deductionLabels = [
  ['name', '姓名 纳税人姓名 员工姓名'],
  ['id_card', '证件号码 纳税人证件号码 纳税人身份证件号码 身份证号 身份证号码 身份证件号码'],
  ['employee_no', '工号 员工编号'],
  ['mobile', '手机号码 手机号 联系电话'],
  ['year', '扣除年度'],
  ['child', '子女姓名 婴幼儿姓名'],
  ['elder', '被赡养人姓名 被赡养人一姓名 被赡养人1姓名'],
  ['landlord', '出租方姓名或名称 出租方姓名 出租方名称 出租方'],
  ['certificate', '证书名称'],
  ['patient', '患者姓名'],
  ['born', '出生日期 子女出生日期 婴幼儿出生日期 被赡养人出生日期 被赡养人一出生日期 被赡养人1出生日期'],
  ['stage', '当前受教育阶段 受教育阶段 当前就读学校 就读学校'],
  ['schooling_to', '教育终止时间 教育终止日期 受教育日期止'],
  ['degree_from', '当前继续教育起始时间 继续教育起始时间 入学时间 入学日期 当前继续教育起始日期'],
  ['degree_to', '当前继续教育结束时间 继续教育结束时间 毕业时间 毕业日期 当前继续教育结束日期'],
  ['certified', '发证日期 证书取得日期 批准日期'],
  ['first_repay', '首次还款日期 首次还款月份'],
  ['loan_months', '贷款期限(月数) 贷款期限(月) 贷款期限'],
  [
    'loan_half',
    '是否婚前各自首套贷款且婚后分别扣除50% 是否婚前各自首套贷款,且婚后分别扣除50% 是否婚前各自首套贷款，且婚后分别扣除50%',
  ],
  ['rent_from', '租赁期起 租赁时间起 租赁开始日期 租赁期间起'],
  ['rent_to', '租赁期止 租赁时间止 租赁结束日期 租赁期间止'],
  ['city', '主要工作城市 工作城市'],
  ['share', '本人扣除比例 扣除比例 本人扣除比例(%)'],
  ['only_child', '是否独生子女'],
  ['share_amount', '本年度月扣除金额 月扣除金额 每月扣除金额 本年度月扣除金额(元)'],
  ['self_paid', '个人负担金额 医药费用个人负担金额'],
] as const
export type DeductionLabel = (typeof deductionLabels)[number][0]

const labelByText = new Map(
  deductionLabels.flatMap(([label, labels]) => labels.split(' ').map((word) => [normalizeHeader(word), label] as const)),
)
export const getDeductionLabel = (text: string): DeductionLabel | null => labelByText.get(normalizeHeader(text)) ?? null

/** The lists, each with a column that no other list has; the first match wins. */
const listsByLabel = [
  ['elderly', ['elder', 'only_child']],
  ['housing_loan', ['first_repay']],
  ['housing_rent', ['rent_from']],
  ['serious_illness', ['self_paid', 'patient']],
  ['continuing', ['degree_from', 'certified']],
  ['child_education', ['stage', 'schooling_to']],
] as const
export type DeductionList = (typeof listsByLabel)[number][0] | 'infant_care'

/** Returns null if it is none of the lists. The list of infants has no distinctive column: it has a child but no schooling. */
export function detectDeductionList(has: (label: DeductionLabel) => boolean): DeductionList | null {
  const list = listsByLabel.find(([, own]) => own.some(has))
  return list ? list[0] : has('child') && has('born') ? 'infant_care' : null
}

const firstTierPattern = (
  '北京 上海 天津 重庆 石家庄 太原 呼和浩特 沈阳 长春 哈尔滨 南京 杭州 合肥 福州 南昌 济南 郑州 武汉 长沙 广州 南宁 海口 成都 贵阳 昆明 拉萨 西安 兰州 西宁 银川 ' +
  '乌鲁木齐 大连 青岛 宁波 厦门 深圳'
).split(' ')
/** Municipalities, provincial capitals and cities with separate state plans are the first tier; else it is not conclusive. */
export const isFirstTier = (city: string): boolean =>
  firstTierPattern.some((one) => city === one || city === `${one}市` || city.endsWith(`省${one}市`))
