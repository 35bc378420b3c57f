/** Determines the meaning of a column from its labels alone; `columns.ts` compares it with the values. */

import type { ColumnRole } from '../../contract/shared/schemas.ts'
import {
  columnRoles,
  getGeneralRole,
  isDeduction,
  isEarning,
  isEmployerCost,
  isGross,
  isNet,
  isTotal,
  toPayItemOfSide,
} from '../../contract/sheets/column-roles.ts'
import { amountEndingPattern, getIdentityRole, latinPattern, otherPersonPattern } from './identity-label.ts'
import {
  absencePattern,
  type ColumnNature,
  findContainedSynonym,
  findExactSynonym,
  normalizeHeader,
  notAmountPattern,
  possibleNetLabels,
} from './synonyms.ts'

export interface LabelMeaning {
  role: ColumnRole
  nature: ColumnNature | 'unknown'
  /** 0 to 1. */
  confidence: number
  /** A short reason for the user who checks, in Chinese. */
  reason: string
  /** May be the net pay if no other column clearly is. */
  possibleNet?: true
  /** The column is an amount or a number of days, depending on the values. */
  isAbsence?: true
}

const insurancePattern = /养老|医疗|医保|失业|工伤|生育|社保|社会保险|五险|公积金|年金|大病|保险|险|强积金/
const employerPattern = /(?:单位|公司|企业|单缴|雇主)(?!年金)/
const employeePattern = /个人|本人|代扣|个缴|职工|员工|雇员|自付|自缴/
const netPattern =
  /实发|实付|实领|实得|到手|净发|净工资|实际?发(?:工资|金额|薪)|税后(?:工资|薪资|收入|实得?|所得|合计|金额|奖金|报酬|应发|应得)?$|(?<!\w)(?:net (?:pay|salary|amount|wages?)|take home)/
const notNetPattern = /扣|个税|所得税|上限|补发|补贴|加项|基数|差额|累计|比例|上月|备注/
/** Amounts received in an account: 实际打款, 打卡金额, 到账金额, 最终发放. */
const receivedPattern =
  /打款(?:额|金额|数|合计|工资)?$|打卡(?:额|金额|数|合计|工资|实发)?$|到[账帐](?:额|金额|数|合计|工资)?$|卡发(?:额|金额|工资)?$|实际(?:支付|发放|领取|支取|所得|转[账帐])(?:额|金额|数|合计|工资)?$|最终(?:支付|发放|领取|所得)(?:额|金额|数|合计|工资)?$|银行(?:实发|代发|发放|转[账帐]|打卡)(?:额|金额|数|合计|工资)?$/
/** The current payment as opposed to earlier ones: 本次支付, 此次发放金额. The amount due may still be reduced. */
const thisPaymentPattern =
  /^(?:本[次期批]|此次|这次)(?:实际)?(?:支付|发放|付款|支取|领取|转[账帐])(?:额|金额|数|合计|工资|奖金)?$/
const notReceivedPattern = /[未缺漏迟早次天]|上个?月|上期|去年|上年|累计|差|应打|费|补/
/** Amounts paid by one of several payment methods. */
const paymentMethodPattern = /^(?:现金|微信|支付宝)(?:发放|支付|付款|部分|发|付)?$/
function getReceivedMeaning(leaf: string, quote: string): LabelMeaning | undefined {
  const isReceived = receivedPattern.test(leaf) && !notReceivedPattern.test(leaf)
  if (!isReceived && !thisPaymentPattern.test(leaf)) return undefined
  return { role: 'net', nature: 'money', confidence: 0.82, reason: `「${quote}」是到手的金额` }
}
/** 其他应发 is an item of the gross pay. */
const grossItemPattern = /^(?:其他|其它|另|另行|其余|补|加|额外)(?:的)?应发/
const grossPattern =
  /应核发|应发|应付(?:工资|薪|合计|金额)|应得|税前(?:工资|薪|合计|收入|应发|金额|奖金|报酬)|应领(?:工资|薪资?|合计|总额|金额|数|额)?$/

/** Returns the meaning of a label path such as 应发 → 基本工资, with the most precise role that the label names. */
export function getLabelMeaning(path: readonly string[]): LabelMeaning {
  const meaning = getGeneralMeaning(path)
  const leaf = normalizeHeader(path.at(-1) ?? '')
  const item = payerPattern.test(leaf) ? normalizeHeader(path.at(-2) ?? '') : leaf
  // 代扣工会费 is a deduction by its first word, and a union fee by the others.
  const named = meaning.nature === 'money' ? findContainedSynonym(item, ['money'])?.role : undefined
  return named && getGeneralRole(named) === meaning.role ? { ...meaning, role: named } : meaning
}

/** Considers a remark behind the label. */
function getGeneralMeaning(path: readonly string[]): LabelMeaning {
  const fullMeaning = getPlainMeaning(path)
  const leaf = path.at(-1) ?? ''
  if (fullMeaning.confidence >= 0.92) return fullMeaning
  if (path.length > 1 && bracketPattern.test(leaf)) return getMeaningWithoutRemark(path.slice(0, -1), leaf, fullMeaning)
  for (const remark of remarkPatterns) {
    const [, head = '', remarkText = ''] = remark.exec(leaf.normalize('NFKC').trim()) ?? []
    if (head === '') continue
    const meaning = getMeaningWithoutRemark([...path.slice(0, -1), head], remarkText, fullMeaning)
    if (meaning !== fullMeaning) return meaning
  }
  return fullMeaning
}

/** Remarks behind a label: 实发工资=应发-扣款, 实发工资（已扣个税）, 姓名：与身份证一致, a second line, 个税—本月. */
const remarkPatterns = [
  /^([^=]{2,}?)\s*=(.+)$/,
  /^([^([【〔]{2,}?)\s*[([【〔](.+?)[)\]】〕]?$/,
  /^([^:]{2,}?)\s*:(.+)$/,
  /^([\u4e00-\u9fff]{2,})\s+(\S.*)$/,
  /^([a-z][a-z .'#&/-]+?)\s*([\u4e00-\u9fff].*)$/i,
  /^([\u4e00-\u9fff]{2,}?)\s*[-—–~]+\s*(.+)$/,
]
const bracketPattern = /^[(（[【].*[)）\]】]$/
/** Units of measurement are not remarks: 加班（小时）. */
const measurePattern =
  /^(?:[天次时h%个]|天数|小时数?|时长|分钟数?|min|次数|倍数?|倍率|日期|时间|比例|税率|人数|状态|签名|签字|单价|基数|标准)$/
const earlierPeriodPattern = /上个?月|上期|去年|上年|往月|累计|差额/
const otherSidePattern = /扣|个人|单位|公司|企业|比例|合计|小计|补发|实发|应发|税后|税前|基数/

function getMeaningWithoutRemark(path: readonly string[], remark: string, fullMeaning: LabelMeaning): LabelMeaning {
  const head = getPlainMeaning(path)
  const remarkText = normalizeHeader(remark).replace(/[()[\]【】]/g, '')
  if (head.confidence < 0.92 || measurePattern.test(remarkText)) return fullMeaning
  if (head.nature === 'who') return otherPersonPattern.test(remarkText) ? fullMeaning : { ...head, confidence: 0.92 }
  if (earlierPeriodPattern.test(remarkText))
    return head.nature === 'money' ? { ...head, role: 'info', confidence: 0.8 } : fullMeaning
  const isHeadTotal = isTotal(head.role)
  // 工资（税后）means 税后工资.
  const role = isHeadTotal ? undefined : findExactSynonym(remarkText)?.role
  if (isTotal(role)) return { ...head, role, confidence: 0.9, reason: `${head.reason}，注明「${remark}」` }
  return isHeadTotal || !otherSidePattern.test(remarkText) ? { ...head, confidence: 0.9 } : fullMeaning
}

/** Matches a day of the month or week above its attendance. */
const dayLabelPattern =
  /^(?:(?:0?[1-9]|[12]\d|3[01])[日号]?|(?:0?[1-9]|1[0-2])[月/.-](?:0?[1-9]|[12]\d|3[01])[日号]?|20\d\d[年/.-]\d{1,2}[月/.-]\d{1,2}日?|(?:周|星期)[一二三四五六日天])$/

/** Months of a year in adjacent columns. */
const monthLabelPattern = /^(?:20\d\d年)?(?:0?[1-9]|1[0-2]|十[一二]?|[一二三四五六七八九])月份?$/
/** 请假(天) and 加班(小时) are counts, 餐补(天) is an amount. */
const countLabelPattern =
  /^(.+?)[([/](?:天|日|次|小?时|分钟?|min|h|hrs?|个|件|倍|天数|小时数|分钟数|次数|倍数|月|年|岁|周)[)\]]?$/
/** 平时加班 above 小时 and 金额: these leaf labels are quantities, frequencies or durations in any group. */
const countLeafPattern =
  /^(?:小?时|[天日次倍分件h%]|小?时数|工时|时长|时间|天数|日数|次数|分钟数?|mins?|minutes?|倍数|倍率|系数|比例|费率|比率|率|人数|件数|数量|个数|hrs?|hours?|days?|times|rate|qty|quantity|count)$/
/** Matches groups such as 平时, 周末 and 节假日, which tell what is counted. */
const countGroupPattern =
  /(?:小时数?|时数|工时|时长|天数|日数|次数|分钟数?|件数|倍数|倍率|系数|费率|\bhours|\bdays)(?:[([].*[)\]])?$|[([](?:小?时|天|日|次|分钟?|h|hrs?|倍)[)\]]$/
/** A price or a rate per unit is a contract value, not an amount of this month. */
const pricePattern = /^(?:单价|工价|标准|基数|时薪|日薪|每小时|price|unit price)$/
const payPattern = /补|贴|费|薪|工资|款|奖|金|额|价/

/** Hours and days, regardless of the remark: 病假时数/扣半薪. */
const hoursPattern = /^[#\u4e00-\u9fff]{0,8}(?:时数|小时数|分钟数|天数)(?:$|[\s/(（])/
const refundPattern = /返还|退还|退回|返税|退税|退款|[税金费款险](?:的)?[返退]$/
/** Matches 个税返还 and 退押金: a refund to or by the employee. The rows decide; otherwise a question is asked. */
function getRefundMeaning(leaf: string, quote: string): LabelMeaning | undefined {
  if (!refundPattern.test(leaf) || /应补|补退|退补|基数|累计|备注|说明|日期|合计|小计|扣/.test(leaf)) return undefined
  return { role: 'earning', nature: 'money', confidence: 0.55, reason: `「${quote}」可能是退给员工的，也可能是要扣回的` }
}

function getPlainMeaning(path: readonly string[]): LabelMeaning {
  const segments = path.map(normalizeHeader).filter((part) => part !== '')
  const leaf = segments.at(-1) ?? ''
  if (leaf === '') return { role: 'ignore', nature: 'unknown', confidence: 0.3, reason: '没有表头' }
  const joined = segments.join(latinPattern.test(leaf) ? ' ' : '')
  const groups = segments.slice(0, -1).join('')
  const quote = path.map((part) => part.trim()).join('·')

  if (dayLabelPattern.test(leaf) && (segments.length === 1 || /考勤|出勤|日期|月/.test(groups)))
    return { role: 'info', nature: 'info', confidence: 0.9, reason: `「${quote}」是日期，这一列是考勤` }
  if (dayLabelPattern.test(leaf) && segments.length > 1) return toDayMeaning(getPlainMeaning(path.slice(0, -1)))
  if (monthLabelPattern.test(leaf))
    return { role: 'earning', nature: 'money', confidence: 0.6, reason: `「${quote}」是月份，这一列是那个月的金额` }
  const [, counted] = countLabelPattern.exec(leaf) ?? []
  if (counted !== undefined && !payPattern.test(counted))
    return { role: 'info', nature: 'info', confidence: 0.85, reason: `「${quote}」数的是次数、天数或时间，不是金额` }
  const counting = segments.length > 1 ? getCountMeaning(leaf, groups, quote) : undefined
  if (counting) return counting
  if (hoursPattern.test(leaf))
    return { role: 'info', nature: 'info', confidence: 0.85, reason: `「${quote}」数的是时间，不是金额` }
  const side = getContributionSide(joined, leaf)
  if (side)
    return {
      role: side,
      nature: 'money',
      confidence: 0.92,
      reason: `「${quote}」是${isEmployerCost(side) ? '单位承担的部分' : '个人扣缴的部分'}`,
    }

  const exact = findExactSynonym(joined) ?? (segments.length > 1 ? findExactSynonym(leaf) : undefined)
  if (exact?.nature === 'who' && segments.length > 1 && exact.word === leaf && moneyGroupPattern.test(groups))
    return { role: 'info', nature: 'unknown', confidence: 0.4, reason: `「${quote}」在金额分组之下` }
  if (exact?.nature === 'info' && segments.length > 1 && shortAmountPattern.test(leaf) && isEarning(getGroupRole(groups)))
    return { role: 'earning', nature: 'money', confidence: 0.75, reason: `「${quote}」是一项金额` }
  if (exact)
    return {
      role: exact.role,
      nature: exact.nature,
      confidence: 0.97,
      reason: `表头是「${quote}」`,
      ...((possibleNetLabels.has(leaf) || (segments.length === 1 && /^(?:合计|金额|amount)$/.test(leaf))) && {
        possibleNet: true as const,
      }),
      ...(absencePattern.test(leaf) && { isAbsence: true as const }),
    }
  const refund = getRefundMeaning(leaf, quote)
  if (refund) return refund
  if (absencePattern.test(leaf))
    return { role: 'deduction', nature: 'money', confidence: 0.6, reason: `表头是「${quote}」`, isAbsence: true }
  if (segments.length === 1 && leaf === '金额')
    return { role: 'earning', nature: 'money', confidence: 0.7, reason: `「${quote}」是一项金额`, possibleNet: true }
  if (possibleNetLabels.has(leaf))
    return { role: 'info', nature: 'money', confidence: 0.7, reason: `「${quote}」是合计`, possibleNet: true }

  const identityRole = getIdentityRole(leaf) ?? (segments.length > 1 ? getIdentityRole(joined) : undefined)
  if (identityRole)
    return { role: identityRole, nature: 'who', confidence: 0.85, reason: `表头「${quote}」像${columnRoles[identityRole].label}` }
  const received = getReceivedMeaning(leaf, quote)
  if (received && leaf.startsWith('银行')) return received
  if (notAmountPattern.test(leaf) && leaf !== '名称' && !payItemPattern.test(leaf))
    return { role: 'info', nature: 'info', confidence: 0.85, reason: `「${quote}」不是金额` }

  if (netPattern.test(leaf) && !notNetPattern.test(leaf))
    return { role: 'net', nature: 'money', confidence: 0.9, reason: `表头含实发之意：「${quote}」` }
  const unrelated = getUnrelatedMeaning(leaf, quote)
  if (unrelated) return unrelated
  if (received) return received
  if (grossItemPattern.test(leaf))
    return { role: 'earning', nature: 'money', confidence: 0.85, reason: `「${quote}」是应发里的一项` }
  if (/扣|罚/.test(leaf) && /合计|小计|总计|总额|total/.test(leaf))
    return { role: 'info', nature: 'money', confidence: 0.85, reason: `「${quote}」是扣款的合计` }
  if (grossPattern.test(leaf) && !/扣/.test(leaf))
    return { role: 'gross', nature: 'money', confidence: 0.88, reason: `表头含应发之意：「${quote}」` }
  if (/(?:人工|用工|企业|单位|公司).{0,4}成本/.test(leaf))
    return { role: 'employer', nature: 'money', confidence: 0.88, reason: `「${quote}」是单位的成本` }
  if (/合计|小计|总计/.test(leaf)) return { role: 'info', nature: 'money', confidence: 0.8, reason: `「${quote}」是小计` }
  if (/(?<!补)扣(?!除数)|罚款/.test(leaf))
    return { role: /税/.test(leaf) ? 'tax' : 'deduction', nature: 'money', confidence: 0.85, reason: `「${quote}」是扣款` }

  const inLeaf = findContainedSynonym(leaf, ['money', 'info'])
  if (inLeaf) return getContainedMeaning(inLeaf.role, inLeaf.nature, inLeaf.word, quote, groups)
  if (amountEndingPattern.test(leaf) || paymentMethodPattern.test(leaf))
    return { role: getGroupRole(groups) ?? 'earning', nature: 'money', confidence: 0.7, reason: `「${quote}」像一项金额` }
  const hinted = getGroupRole(groups)
  if (hinted) return { role: hinted, nature: 'money', confidence: 0.6, reason: `在「${path.slice(0, -1).join('·')}」之下` }
  const inGroup = personalGroupPattern.test(groups) ? undefined : findContainedSynonym(groups, ['money'])
  if (inGroup)
    return {
      // A group over several columns is not a total: 岗贴 under 应领部分 is one of its items.
      role: isNet(inGroup.role) ? 'info' : isGross(inGroup.role) ? toPayItemOfSide(inGroup.role, 'adds') : inGroup.role,
      nature: 'money',
      confidence: 0.55,
      reason: `在「${path.slice(0, -1).join('·')}」之下`,
    }
  if (earlierPaymentPattern.test(leaf))
    return { role: 'info', nature: 'money', confidence: 0.7, reason: `「${quote}」是以前付过的金额` }
  return { role: 'info', nature: 'unknown', confidence: 0.3, reason: `没见过的表头「${quote}」` }
}

/** 春节前已付: the rows show whether it is deducted from the current payment. */
const earlierPaymentPattern = /[已预先](?:支付|发放|[发付支领])(?:金额|工资|奖金|额|数)?$/

/** Returns the meaning of hours, days, rates, multiples, minutes and counts under a group that sounds like pay. */
function getCountMeaning(leaf: string, groups: string, quote: string): LabelMeaning | undefined {
  if (countLeafPattern.test(leaf) || (countGroupPattern.test(groups) && !payPattern.test(leaf)))
    return { role: 'info', nature: 'info', confidence: 0.92, reason: `「${quote}」数的是次数、天数、时间或倍数，不是金额` }
  if (pricePattern.test(leaf))
    return { role: 'info', nature: 'money', confidence: 0.92, reason: `「${quote}」是单价、标准或基数，不计入本月` }
  return undefined
}

/** Pay → 1 July, 8 July …: the meaning of the group, for that day; no single day is the total pay. */
function toDayMeaning(group: LabelMeaning): LabelMeaning {
  const day: LabelMeaning = isTotal(group.role) ? { ...group, role: 'info', confidence: 0.6 } : { ...group }
  delete day.possibleNet
  return day
}

/** 职务/技术等级工资 is an amount, regardless of its grading; 加班小时工资 is a rate. */
const payItemPattern = /(?<!小时|单位|每[天日])(?:工资|薪资|津贴|补贴|补助|奖金|提成)$/

/**
 * Returns the meaning of amounts that are not pay of this month: earlier months, sales, intercompany amounts,
 * calculation bases.
 */
function getUnrelatedMeaning(leaf: string, quote: string): LabelMeaning | undefined {
  if (/^(?:上个?月|上期)(?!.*[补扣])/.test(leaf))
    return { role: 'info', nature: 'money', confidence: 0.85, reason: `「${quote}」是以前的金额，不计入本月` }
  if (/(?:销售|营业|目标|任务|回款|合同|订单|成交|受注|売上|注文)(?:总额|额|金额|目标|指标|业绩)$|产值$/.test(leaf))
    return { role: 'info', nature: 'money', confidence: 0.85, reason: `「${quote}」是业绩，不是工资` }
  if (/^[单每](?:趟|件|次|节|课|单|天|日|个|小时)/.test(leaf))
    return { role: 'info', nature: 'money', confidence: 0.85, reason: `「${quote}」是单价，不是工资` }
  if (/开票|发票|价税/.test(leaf))
    return { role: 'employer', nature: 'money', confidence: 0.85, reason: `「${quote}」是单位之间的金额` }
  if (/基数|标准$|所得额|应税|计税|累计|前年|去年|上年/.test(leaf))
    return { role: 'info', nature: 'money', confidence: 0.85, reason: `「${quote}」是基数或累计，不计入本月` }
  return undefined
}

const shareEndingPattern = /(?:分成|分红|提成|奖励?|奖金|补贴|补助|津贴)$/
function getContainedMeaning(role: ColumnRole, nature: ColumnNature, word: string, quote: string, groups: string): LabelMeaning {
  const reason = `表头「${quote}」含「${word}」`
  // 服务费分成 is an employee's share of what guests paid.
  if (isEmployerCost(role) && shareEndingPattern.test(quote))
    return { role: 'earning', nature, confidence: 0.6, reason: `「${quote}」像一项金额` }
  if (isTotal(role) && earlierPeriodPattern.test(quote)) return { role: 'info', nature, confidence: 0.8, reason }
  if (isTotal(role)) return { role, nature, confidence: 0.75, reason }
  // A plain amount under 扣款 is a deduction, regardless of its label.
  const hinted = nature === 'money' && isEarning(role) ? getGroupRole(groups) : undefined
  // 餐费补 under 应得 is a meal allowance; 餐费 there may be a mistake, which the rows or the user must decide.
  if (nature === 'money' && isDeduction(role) && earningGroupPattern.test(groups) && !/扣|罚/.test(quote))
    return {
      role: 'earning',
      nature,
      confidence: allowancePattern.test(quote) ? 0.8 : 0.55,
      reason: `${reason}，在应得的分组之下`,
    }
  return { role: hinted ?? role, nature, confidence: 0.8, reason }
}

/** BASIC DETAILS is a group of identifying columns. */
const personalGroupPattern =
  /^(?:basic|personal|employee|contact|address|bank|employment|family|other) ?(?:details?|info(?:rmation)?)/
const moneyGroupPattern = /应发|发放|扣款|代扣|应缴|工资|薪|收入|补贴|津贴|社保|公积金/
/** 岗位 for 岗位工资, if it is among amounts. */
export const shortAmountPattern = /^(?:岗位|职务|职称|级别|工龄|学历|技能|值班|年假)$/

const earningGroupPattern = /^(?:应得|应发|应领|收入)(?:部分|项目?|工资|明细)?$/
const allowancePattern = /[补贴]$|补[助贴]$/

function getGroupRole(groups: string): ColumnRole | undefined {
  if (groups === '') return undefined
  if (employerPattern.test(groups) && !employeePattern.test(groups)) return 'employer'
  if (/扣|应缴|应减|(?<!加)减项|个人缴|deduct|controls?|控除|공제|khấu trừ|trừ vào lương|удерж/.test(groups)) return 'deduction'
  if (/专项附加|减除/.test(groups)) return 'info'
  if (/应发|发放|发\s?放\s?项|应得|应领|收入|收入项|earning|支給|지급|thu nhập|начисл/.test(groups)) return 'earning'
  return undefined
}

const payerPattern = /^(?:单位|公司|企业|雇主|个人|本人|职工|员工)(?:部分|承担|缴纳|缴费|缴|负担|扣款|代扣)?$/
const sharedGroupPattern = /[费金保险缴筹款](?:单位|公司|企业|雇主|个人|本人|职工|员工)[^费金保险缴筹款]*.{0,4}$/
/** A payer behind the fee (工会费（单位）), or one that pays it (公司承担工会费); 公司工会费 does not say who pays. */
const sharedUnionFeePattern =
  /工会(?:经|会|会员会)?费\(?(?:单位|公司|企业|个人|本人|职工|员工)|(?:单位|公司|企业|个人|本人|职工|员工)(?:承担|应?缴纳?|负担|部分|支付|拨缴|计提)的?工会/
const notContributionPattern = /基数|比例|费率|编号|账号|帐号|日期|累计|组织|机构|地区|城市|方案|状态|缴纳(?:地|月)/
/**
 * Returns the side of an insurance or housing fund contribution: 公司应缴·养老, 社保(个人), employer PF. The label itself takes
 * precedence over its groups.
 */
function getContributionSide(joined: string, leaf: string): ColumnRole | undefined {
  const english = getEnglishSide(joined)
  if (english) return english
  if (notContributionPattern.test(leaf)) return undefined
  // 工会经费 above 单位 and 个人 is shared like an insurance; 单位 above 部门 is the workplace.
  const isShared = (payerPattern.test(leaf) && sharedGroupPattern.test(joined)) || sharedUnionFeePattern.test(joined)
  if (!insurancePattern.test(joined) && !isShared) return undefined
  // 扣公司社保 is deducted from the employee, no matter which side owes it.
  if (/^代?扣/.test(leaf)) return /合计|小计|总计/.test(leaf) ? undefined : 'deduction'
  const isEmployee = employeePattern.test(leaf)
  const isEmployer = employerPattern.test(leaf)
  const text = isEmployee === isEmployer ? joined : leaf
  if (employeePattern.test(text)) return /合计|小计|总计/.test(leaf) ? undefined : 'deduction'
  return employerPattern.test(text) ? 'employer' : undefined
}

const fundPattern = /\b(?:e?pf|cpf|esic?|sss|hdmf|philhealth|pension|nssf|nhif|gosi|contribution|share|insurance)\b/
function getEnglishSide(label: string): ColumnRole | undefined {
  if (/\b(?:name|code|id|no|number|address|date)\b/.test(label)) return undefined
  if (/\bemployer'?s?\b/.test(label)) return 'employer'
  return /\bemployee'?s?\b/.test(label) && fundPattern.test(label) ? 'deduction' : undefined
}

/** Returns whether a label has no meaning without its group: 单位, 小时 or 金额. */
export const isDependentLabel = (text: string): boolean => {
  const label = normalizeHeader(text)
  return (
    payerPattern.test(label) ||
    countLeafPattern.test(label) ||
    pricePattern.test(label) ||
    /^(?:金额|数额|应缴|实缴|amount)$/.test(label)
  )
}

/** Returns whether a label is known, that is, whether it means a person or an amount. */
export const isRecognizedMeaning = (meaning: LabelMeaning) => meaning.nature !== 'unknown' && meaning.confidence >= 0.55

/** Label meanings in tables of one kind; the main input of a profile. */
export interface LabelDictionary {
  /** Returns the meaning of a path from the groups to the label itself. */
  getMeaning(path: readonly string[]): LabelMeaning
  /** Returns the meaning of a single label, cached. */
  labelMeaning(text: string): LabelMeaning
  /** Adjusts the meanings of all labels of a header, which influence each other. */
  resolveMeanings(meanings: LabelMeaning[]): LabelMeaning[]
  /** Forms about one person (姓名 张三 部门 财务) are as common as tables. */
  readonly hasForms: boolean
}

export function createLabelDictionary(
  getMeaning: (path: readonly string[]) => LabelMeaning,
  { together: resolveMeanings = (meanings: LabelMeaning[]) => meanings, hasForms = false } = {},
): LabelDictionary {
  const memo = new Map<string, LabelMeaning>()
  return {
    getMeaning,
    resolveMeanings,
    hasForms,
    labelMeaning(text) {
      const before = memo.get(text)
      if (before) return before
      if (memo.size > 5000) memo.clear()
      const match = getMeaning([text])
      memo.set(text, match)
      return match
    },
  }
}

/** Labels of wage sheets. */
export const wageLabels = createLabelDictionary(getLabelMeaning, { hasForms: true })
export const { labelMeaning: getWageLabelMeaning } = wageLabels
