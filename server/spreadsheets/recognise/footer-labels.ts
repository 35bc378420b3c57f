/**
 * Labels of footer rows: a total of these rows, another statistic about them, or the total of another month. No person
 * has such a name; names that only begin like one (计平, 合欢) do not match.
 */

/** `total`: its amounts are sums of this sheet's rows. `other`: they are not, and are compared with nothing. */
export type FooterLabel = { readonly word: string; readonly kind: 'total' | 'other' }

/** A longer text is a sentence, not a label. */
const maxCellLength = 60
const maxLabelLength = 20

const bracketPattern = /[([【〔「][^)\]】〕」]*[)\]】〕」]/g
const decorationPattern = /^[*#=~·•—–\-\s]+|[*#=~·•—–\-\s.。、]+$/g

/** Normalizes 合计 12 人（不含已撤回 2 人）, 【合计】 and 合计(大写)：贰万元整 to the label alone. */
function normalizeFooterText(text: string): string {
  const joined = text.normalize('NFKC').replace(/\s+/g, '').replace(decorationPattern, '')
  const plain = joined.replace(bracketPattern, '') || joined.slice(1, -1)
  return plain
    .replace(/^其中:?(?=.)/, '')
    .replace(/:.*$/, '')
    .replace(decorationPattern, '')
}

const headcountPattern = '[\\d零〇一二两三四五六七八九十百千]+(?:人次|人|名|位|笔|条|户)(?:员工)?'
const scopePattern =
  '(?:本页|本月|本期|本次|本年|全年|本部门|部门|本单位|单位|公司|全公司|集团|全部|全员|全体|所有|各项|各部门|以上|人民币|工资|薪资|应发|实发|实付|应付|发放|支付|员工|人员|总)'
const sumPattern = '(?:合计|小计|总计|共计|总共|合共|累计|总数|总额|总和|总金额|总工资|汇总)'
const totalPattern = new RegExp(
  [
    `^(?:${scopePattern}*${sumPattern}(?:金额|数额|额|数|行|栏)?(?:共|计)?(?:${headcountPattern})?`,
    `.{1,12}(?:小计|合计|总计)(?:金额)?(?:${headcountPattern})?`,
    `(?:总|合)?(?:共|计)+(?:发放)?${headcountPattern}`,
    '(?:grand|sub|net|page|overall|sum|all|dept|department|company|section|branch|salary|payroll)?-?totals?(?:(?:for|of|[-–])[^\\d]{1,18})?(?:employees?|staff)?|sum',
    '合計|小計|総計|합계|소계|총계|총합계|계|tổng(?:cộng|số)?|cộng|итого|всего)$',
  ].join('|'),
  'iu',
)
const statisticsPattern =
  /^(?:平均|平均值|平均数|均值|人均|人均工资|平均工资|最大|最大值|最高|最高值|最小|最小值|最低|最低值|中位数|占比|比例|百分比|max|min|maximum|minimum|average|avg|mean|median|count|headcount|平均額|평균|trungbình|среднее)$/iu
const countPattern =
  /^(?:(?:总|合计|总计|共计|小计|员工|在职|发放|实发|应发|发薪|计薪|参保|本月|实有|部门)*(?:人数|人次)(?:合计|总计|小计)?|(?:no\.?of|numberof|total)?(?:employees|heads?count))$/iu
const differencePattern =
  /^(?:(?:与|较|比|同|和)?(?:上月|上个月|上期|上年|去年|同期|本月|两月|系统|银行)?(?:相比|比较|对比|实发|应发|工资|合计|总额)*(?:差额|差异|差数|相差|差值|尾差|误差|增减|增减额|增减数|变动|变动额|增加额|减少额|增长率|环比|环比增减|同比|同比增减|比较|对比)(?:合计|金额)?|variance|difference|diff)$/iu
const amountInTextPattern =
  /^(?:(?:人民币|合计|总计|共计|总金额|实发|金额)?(?:大写|小写)(?:金额|人民币)?|人民币|(?:金额|人民币)合计(?:大写|小写)|amountinwords)$/i
const checkingPattern = /^(?:核对|校验|检验|验算|平衡|check)(?:数|栏|行|结果|金额)?$/i
const otherMonthPattern =
  /^(?:上月|上个月|前月|上期|上季度?|上年|上年度|去年|上年同期|去年同期|去年同月|同期|lastmonth|previousmonth)(?:同期)?(?:实发|应发|发放|工资|薪资)?(?:合计|总计|小计|共计|总额|总数|数|数据|金额|工资|人数|实发|应发|total)?$/i
const paymentPattern =
  /^(?:现金|银行|网银|转账|公户|私户|打卡|代发|支票)(?:卡|存款)?(?:发放|代发|支付|转账|打款|领取)?(?:部分)?(?:合计|小计|金额|工资|人数)?$/
const otherPatterns = [
  paymentPattern,
  statisticsPattern,
  countPattern,
  differencePattern,
  amountInTextPattern,
  checkingPattern,
  otherMonthPattern,
]

/** Characters of which every footer label contains at least one: most names and departments of a long table contain none. */
const footerHintPattern =
  /[计計总總総共汇额数均最位占比差减动较环币写核验检衡页栏上前去同人계균现银转户卡代支]|tal|sum|max|min|av|mean|median|count|diff|vari|check|month|word|employ|cộng|tổng|trung|итог|всего|средн/i

/** Parses the text of a cell as a footer label; null if it is none. */
export function parseFooterLabel(text: string): FooterLabel | null {
  if (text.length > maxCellLength || !footerHintPattern.test(text)) return null
  const word = normalizeFooterText(text)
  if (word === '' || word.length > maxLabelLength) return null
  if (otherPatterns.some((labels) => labels.test(word))) return { word, kind: 'other' }
  return totalPattern.test(word) ? { word, kind: 'total' } : null
}

/** Returns the number of the month that a label such as 9月合计 names, or null. */
export function findMonthInFooter(word: string): number | null {
  const match = /(?<![\d第])(1[0-2]|0?[1-9])月/.exec(word)
  return match ? Number(match[1]) : null
}
