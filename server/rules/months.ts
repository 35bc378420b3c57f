/**
 * Finds the wage months that a text names, and which of several is the latest. The date of payment and the date of
 * creation are not wage months: 10月工资，11月10日发放 is October, and so is 10月工资 制表日期：2026-11-05.
 */

/** Joins spaced text: `工 资 表` → 工资表. */
export const joinSpacedText = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/(?<=[\d⺀-鿿〇])\s(?=[\d⺀-鿿〇])/g, (blank, at: number, full: string) =>
      /\d/.test(full[at - 1] ?? '') && /\d/.test(full[at + 1] ?? '') ? blank : '',
    )
    .trim()

// Date of payment

const monthNumberPattern = '(?:\\d{1,2}|[一二三四五六七八九十]{1,3})'
const yearPattern = '(?:(?:20\\d\\d|[二2][〇零○0][\\d〇零○一二三四五六七八九]{2})\\s?[年./-]\\s?)'
/** Matches 2026年11月, 11月, 2026-11, and parts of a month: 10日, 底, 上旬, 前. */
const monthPattern = `(?:${yearPattern}?${monthNumberPattern}月份?|${yearPattern}\\d{1,2})`
const dayPattern = `(?:${yearPattern}?${monthNumberPattern}月${monthNumberPattern}[日号]?|${yearPattern}\\d{1,2}[./-]\\d{1,2})`
const monthPartPattern = '(?:底|初|末|中|上旬|中旬|下旬|之?前|之?后|以前|内)'
const paidPattern = '(?:发放|发薪|发工资|支付|付款|打款|到账|入账|转账|代发|支給|支払い?|지급|paid|payable|发(?!放|薪|生))'
/** 2026年10月发放表, 10月支付明细: here the month is that of the table. */
const tableSuffixPattern =
  '(?!\\s?(?:工资|薪|奖|津贴|补贴|劳务|报酬)?(?:总?表|明细|名单|名册|清单|清册|单|册|汇总|记录|台账|报表|情况))'
const paymentLabelPattern =
  '(?:(?:(?:工资|薪资|薪酬|实际|预计|计划)?(?:发放|发薪|支付|付款|打款|到账|入账|转账|代发)(?:日期?|时间)?|支給日|支払日|지급일|(?:date of payment|pay(?:ment|ing)? (?:date|day)|pay ?day|paid on)|ngày (?:chi )?trả(?: lương)?|дата выплаты))'
const rangePattern = `\\s?[-~～—–至到]\\s?`
const dayRangePattern = `${dayPattern}(?:${rangePattern}(?:${dayPattern}|${monthNumberPattern}[日号]))?`
const dateRangePattern = `(?:${dayRangePattern}|${monthPattern}(?:${rangePattern}${monthPattern})?)`

const paymentDatePatterns = [
  // 10月发放9月工资, （2026年11月发放）
  new RegExp(
    `${monthPattern}\\s?(?:统一|集中|予以)?${paidPattern}(?=\\s?(?:$|[)）】\\]，。,;；、!！]|的?${yearPattern}?${monthNumberPattern}月|的?上个?月))`,
    'gi',
  ),
  // Matches 发放日期：2026-11-10, 支給日 2026年11月25日, Pay date: 11/10/2026.
  new RegExp(
    `${paymentLabelPattern}\\s?[:：为是]?\\s?(?:${dateRangePattern}(?:${monthPartPattern})*|\\d{1,2}[./-]\\d{1,2}[./-]20\\d\\d)`,
    'gi',
  ),
  // 2026年10月底前发放, 于2026年11月支付, 11月10日发放
  new RegExp(
    `(?:(?:将|已|拟)?(?:于|在)${dateRangePattern}(?:${monthPartPattern})*|${dateRangePattern}(?:${monthPartPattern})+|${dayRangePattern})\\s?(?:统一|集中|一次性|将|予以)?${paidPattern}${tableSuffixPattern}`,
    'gi',
  ),
]

// Date of creation

const creationPattern =
  '(?:制表|制单|制作|编制|编报|填表|填报|填写|报表|打印|导出|生成|创建|更新|审核|复核|作成|print(?:ed)?|created|prepared|generated)'
const creationLabelPattern = `(?:${creationPattern}\\s?(?:日期?|时间|on|date)|作成日|日期|date)`
const creationDatePatterns = [
  // 制表日期：2026-11-05, 编制于2026年11月, 日期：2026.11.5; 日期：2026年11月 may be the wage month.
  new RegExp(
    `${creationPattern}\\s?(?:日期?|时间|于|on|date)\\s?[:：为是]?\\s?(?:${dateRangePattern}|\\d{1,2}[./-]\\d{1,2}[./-]20\\d\\d)`,
    'gi',
  ),
  new RegExp(`(?<![\\p{L}])(?:日期|date)\\s?[:：]\\s?(?:${dayRangePattern}|\\d{1,2}[./-]\\d{1,2}[./-]20\\d\\d)`, 'giu'),
  // 2026年11月5日制表, 2026年11月编制
  new RegExp(
    `(?:${dayRangePattern}|${monthPattern})\\s?(?:制表|制单|编制|编报|填表|填报|打印|导出|生成|作成)(?![人员内外])`,
    'gi',
  ),
]

const dateLabelPattern = new RegExp(`^(?:${paymentLabelPattern}|${creationLabelPattern})\\s?[:：]?$`, 'i')
/** Returns whether a cell is the label of a payment or creation date in the neighbouring cell. */
export const isOtherDateLabel = (text: string): boolean => dateLabelPattern.test(text)

/** Cheap checks run first, because most texts contain no such date. */
const paymentHintPattern = /[发付款账給払지]|pay|paid|trả|выплат/i
const creationHintPattern = /[制编填报打导生创更审复作日]|print|created|prepared|generated|date/i
const removePatterns = (text: string, dates: readonly RegExp[]): string =>
  dates.reduce((rest, one) => rest.replace(one, ' '), text)
function removeOtherDates(source: string): string {
  const text = creationHintPattern.test(source) ? removePatterns(source, creationDatePatterns) : source
  return paymentHintPattern.test(text) ? removePatterns(text, paymentDatePatterns) : text
}

// Months in a text

const chineseDigits = '〇一二三四五六七八九'
/** Parses 二〇二六 → 2026, 十一 → 11; undefined if it is not a number. */
function parseChineseNumber(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text)
  const plain = text.replace(/[零○0]/g, '〇').replace(/[1-9]/g, (digit) => chineseDigits[Number(digit)] ?? digit)
  const ten = /^([一二三四五六七八九])?十([一二三四五六七八九])?$/.exec(plain)
  if (ten) return (ten[1] ? chineseDigits.indexOf(ten[1]) : 1) * 10 + (ten[2] ? chineseDigits.indexOf(ten[2]) : 0)
  return /^[〇一二三四五六七八九]+$/.test(plain)
    ? Number([...plain].map((sign) => chineseDigits.indexOf(sign)).join(''))
    : undefined
}

const englishMonths = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Finds the months that a text names; a month without a year gets the given year, else `-10`. */
export function findMonths(source: string, year: string | undefined): string[] {
  // The date of payment alone says nothing about the wage month; together with 上月工资 it does.
  if (previousMonthPattern.test(source.replace(/\s/g, ''))) return findWrittenMonths(source, year).map(getPreviousMonth)
  return findWrittenMonths(removeOtherDates(source), year)
}

/** 2026年11月10日发放上月工资 refers to October. */
const previousMonthPattern = /(?:发放?|支付|代发)上个?月(?:份|的)*(?:工资|薪)/
/** Returns the previous month; `-11` if there is no year. */
function getPreviousMonth(month: string): string {
  const [year = '', number = ''] = month.split('-')
  if (number !== '01') return `${year}-${String(Number(number) - 1).padStart(2, '0')}`
  return `${year && String(Number(year) - 1)}-12`
}

function findWrittenMonths(text: string, year: string | undefined): string[] {
  const matchedMonths: string[] = []
  const add = (y: number | undefined, m: number | undefined) => {
    if (y !== undefined && m !== undefined && y >= 2000 && y <= 2099 && m >= 1 && m <= 12)
      matchedMonths.push(`${y}-${String(m).padStart(2, '0')}`)
  }
  // 2026年9月-10月 are two months.
  const years = '(20\\d\\d|[二2][〇零○0][\\d〇零○一二三四五六七八九]{2})'
  const months = '(\\d{1,2}|[一二三四五六七八九十]{1,3})'
  for (const [, y = '', m = '', to] of text.matchAll(
    new RegExp(`${years}年度?${months}月份?(?:[-~～—–至到]${months}月)?`, 'g'),
  )) {
    add(parseChineseNumber(y), parseChineseNumber(m))
    if (to !== undefined) add(parseChineseNumber(y), parseChineseNumber(to))
  }
  if (matchedMonths.length > 0) return matchedMonths
  for (const [, y = '', m = ''] of text.matchAll(/(?<!\d)(20\d\d)[-./年](\d{1,2})(?!\d)/g)) add(Number(y), Number(m))
  for (const [, y = '', m = ''] of text.matchAll(/(?<![\d.])(20\d\d)(0[1-9]|1[0-2])(?!\d)/g)) add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(/(?<!\d)(0?[1-9]|1[0-2])[./](20\d\d)(?!\d)/g)) add(Number(y), Number(m))
  for (const [, y = '', m = ''] of text.matchAll(/(20\d\d)년\s?(\d{1,2})월/g)) add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(/(?:tháng|месяц)\s?(\d{1,2})\s?(?:năm|[/-])\s?(20\d\d)/gi))
    add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(
    /\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?[\s,'/-]*(20\d\d)/gi,
  ))
    add(Number(y), englishMonths.indexOf(m.slice(0, 3).toLowerCase()) + 1)
  if (matchedMonths.length > 0) return matchedMonths
  for (const [, m = ''] of text.matchAll(
    /(?<![\d\-./年个满前后])(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?!\d|底|初|前|后)/g,
  ))
    if (year !== undefined) add(Number(year), parseChineseNumber(m))
    else matchedMonths.push(`-${String(parseChineseNumber(m)).padStart(2, '0')}`)
  if (matchedMonths.length > 0) return matchedMonths
  for (const [, m = ''] of text.matchAll(/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?:[a-z]{2,6})?\b/g)) {
    const month = englishMonths.indexOf(m.slice(0, 3).toLowerCase()) + 1
    if (year !== undefined) add(Number(year), month)
    else matchedMonths.push(`-${String(month).padStart(2, '0')}`)
  }
  return matchedMonths
}

// Order of months

const monthsPerYear = 12
const getMonthNumber = (month: string): number => Number(month.slice(-2))
const getYear = (month: string): number => Number(month.slice(0, -3))
/** Counts the months from one month to the next, without years. */
const countMonthsForward = (from: number, to: number): number => (to - from + monthsPerYear) % monthsPerYear || monthsPerYear

/**
 * Sorts months chronologically and removes duplicates. A month without a year is assumed to be in the year that brings
 * it closest to those with one. If none has a year, the order starts after the longest gap: of 12月, 1月 and 11月 January
 * is the last. Between equal gaps the written order decides.
 */
export function sortMonths(listed: readonly string[]): string[] {
  const months = [...new Set(listed)]
  const dated = months
    .filter((month) => month.length === 7)
    .map((month) => getYear(month) * monthsPerYear + getMonthNumber(month))
  if (dated.length > 0) {
    const getPosition = (month: string): number => {
      if (month.length === 7) return getYear(month) * monthsPerYear + getMonthNumber(month)
      const positions = dated.flatMap((at) => {
        const on = countMonthsForward(at % monthsPerYear || monthsPerYear, getMonthNumber(month))
        return [at + on, at + on - monthsPerYear].map((position) => ({ place: position, apart: Math.abs(position - at) }))
      })
      return positions.reduce((best, one) => (one.apart < best.apart ? one : best)).place
    }
    return months.toSorted((a, b) => getPosition(a) - getPosition(b))
  }
  const round = months.toSorted((a, b) => getMonthNumber(a) - getMonthNumber(b))
  const gapAfter = (at: number): number =>
    countMonthsForward(getMonthNumber(round[at] ?? ''), getMonthNumber(round[(at + 1) % round.length] ?? ''))
  const longest = Math.max(...round.map((_, at) => gapAfter(at)))
  const ends = [...round.keys()].filter((at) => gapAfter(at) === longest)
  const backwards = months.filter(
    (month, at) => at > 0 && countMonthsForward(getMonthNumber(months[at - 1] ?? ''), getMonthNumber(month)) > monthsPerYear / 2,
  )
  const order = backwards.length * 2 > months.length - 1 ? months.toReversed() : months
  const last = ends.reduce(
    (best, at) => (order.indexOf(round[at] ?? '') > order.indexOf(round[best] ?? '') ? at : best),
    ends[0] ?? 0,
  )
  return [...round.slice(last + 1), ...round.slice(0, last + 1)]
}

// Month in a file name

export type FileMonth = {
  /**
   * The month as `2026-11`, or `-11` without a year; null if the name contains no month, or several equally plausible
   * ones.
   */
  readonly month: string | null
  /** All months in the name, if there are several. */
  readonly months: readonly string[]
  /** The month was taken from a full date, which may be the day the file was saved or the wages were paid. */
  readonly is_date: boolean
}

/** A payment verb after a date. */
const paidSuffixPattern = '(?:\\s?(?:统一|集中)?(?:发放|发薪|支付|付款|打款|发(?!生)))?'
/** Full dates that begin with year and month: they do not imply that the wages are for that month. */
const fullDatePatterns = [
  new RegExp(`(?<!\\d)20\\d\\d\\s?年\\s?\\d{1,2}\\s?月\\s?\\d{1,2}\\s?[日号]${paidSuffixPattern}`, 'g'),
  new RegExp(`(?<!\\d)20\\d\\d([-./ ])\\d{1,2}\\1\\d{1,2}(?!\\d)日?${paidSuffixPattern}`, 'g'),
  new RegExp(`(?<!\\d)20\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])(?:\\d{6}|\\d{4})?(?!\\d)${paidSuffixPattern}`, 'g'),
]
const yearMonthPattern = /^(20\d\d)\D{0,3}?(0[1-9]|1[0-2]|[1-9])/
const dayWithoutYearPattern = /(?<!\d)\d{1,2}月\d{1,2}[日号]|(?<![\d.])\d{1,2}\.\d{1,2}(?=\s?(?:发|支付|付款|打款))/g
const datedMonthPattern =
  /(?<!\d)20\d\d(?:\s?(?:年度?|[-./])\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?!\d)(?:月份?)?(?:[-~～—–至到]\d{1,2}月)?|(?:0[1-9]|1[0-2])(?!\d))/g
const monthBeforePayPattern =
  /(?<!\d)(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?的?\s?(?:全体|全员|公司)?(?:员工|职工)?\s?(?=工资|薪|奖|劳务|报酬|绩效|提成|津贴|补贴|补助)|(?<=20\d\d[-./]?)(0[1-9]|1[0-2])\s?(?=工资|薪)/g

/** Rewrites 2026_11, 26年11月, 9-10月 and 工资表-11月 to forms that `findMonths` understands. */
const normalizeFileName = (name: string): string =>
  joinSpacedText(
    name
      .replace(/\.[a-z]{2,5}$/i, '')
      .replace(/(?<=20\d\d)_(?=\d{1,2}(?!\d))/g, '-')
      .replace(/_/g, ' '),
  )
    .replace(/(?<!\d)(2\d)年(?=\d{1,2}月)/g, '20$1年')
    .replace(/(?<=年)(\d{1,2})\s?[-~～—–至到、和及]\s?(?=\d{1,2}月)/g, '$1月-')
    .replace(/(?<![\d年./-])(\d{1,2})月?\s?[-~～—–至到、和及&+]\s?(?=\d{1,2}月)/g, '$1月 ')
    .replace(/(?<![\d月])[-–—.]+(?=\d{1,2}月)/g, ' ')

const halfYearMonths = 6

/** Finds the wage month in a file name: `2026.12.5发11月工资` is November. The month right before 工资 takes precedence. */
export function findMonthInFileName(name: string): FileMonth {
  let rest = normalizeFileName(name)
  const dates: string[] = []
  for (const pattern of fullDatePatterns)
    rest = rest.replace(pattern, (date) => {
      const [, year, month] = yearMonthPattern.exec(date) ?? []
      if (year !== undefined && month !== undefined) dates.push(`${year}-${month.padStart(2, '0')}`)
      return ' '
    })
  const text = removeOtherDates(rest.replace(dayWithoutYearPattern, ' '))
  const [, years] = /(?<!\d)(20\d\d)(?:年(?!度?\s?\d{1,2}月)|(?=\s+\d{1,2}月))/.exec(text) ?? []
  const dated = findMonths(text, undefined).filter((month) => month.length === 7)
  const bare = findMonths(text.replace(datedMonthPattern, ' '), years)
  const lastDated = dated.at(-1)
  const lastDate = dates.at(-1)
  const withYear = (month: string): string => {
    const reference = lastDated ?? lastDate
    if (month.length === 7 || reference === undefined) return month
    const later = getMonthNumber(month) - getMonthNumber(reference)
    // Wages are paid in their month or later; two months in one name are close to each other.
    const years = lastDated === undefined ? -Number(later > 0) : later > halfYearMonths ? -1 : Number(later < -halfYearMonths)
    return `${getYear(reference) + years}-${month.slice(-2)}`
  }
  const months = sortMonths([...dated, ...bare].map(withYear))
  const [month = null] = months
  if (months.length === 0) {
    const last = sortMonths(dates)
    return { month: last.at(-1) ?? null, months: last.length > 1 ? last : [], is_date: last.length > 0 }
  }
  if (months.length === 1) return { month, months: [], is_date: false }
  const beforePay = new Set(
    [...text.matchAll(monthBeforePayPattern)].map(([, plain, digits]) => parseChineseNumber(plain ?? digits ?? '')),
  )
  const named = months.filter((one) => beforePay.has(getMonthNumber(one)))
  return { month: named.length === 1 ? (named[0] ?? null) : null, months, is_date: false }
}
