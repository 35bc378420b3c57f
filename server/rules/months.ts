/**
 * The months of wages that a text names, and which of several is the last one. When wages are paid or a sheet was made is no month of wages:
 * 10月工资，11月10日发放 is of October, and so is 10月工资 制表日期：2026-11-05.
 */

/** `工 资 表` is 工资表. */
export const joined = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/(?<=[\d⺀-鿿〇])\s(?=[\d⺀-鿿〇])/g, (blank, at: number, whole: string) =>
      /\d/.test(whole[at - 1] ?? '') && /\d/.test(whole[at + 1] ?? '') ? blank : '',
    )
    .trim()

// When wages are paid ------------------------------------------------------------------------------------------------------------

const number = '(?:\\d{1,2}|[一二三四五六七八九十]{1,3})'
const year = '(?:(?:20\\d\\d|[二2][〇零○0][\\d〇零○一二三四五六七八九]{2})\\s?[年./-]\\s?)'
/** 2026年11月, 11月, 2026-11, and what of it: 10日, 底, 上旬, 前. */
const ofMonth = `(?:${year}?${number}月份?|${year}\\d{1,2})`
const ofDay = `(?:${year}?${number}月${number}[日号]?|${year}\\d{1,2}[./-]\\d{1,2})`
const part = '(?:底|初|末|中|上旬|中旬|下旬|之?前|之?后|以前|内)'
const paid = '(?:发放|发薪|发工资|支付|付款|打款|到账|入账|转账|代发|支給|支払い?|지급|paid|payable|发(?!放|薪|生))'
/** 2026年10月发放表, 10月支付明细: the table is of that month. */
const aTable = '(?!\\s?(?:工资|薪|奖|津贴|补贴|劳务|报酬)?(?:总?表|明细|名单|名册|清单|清册|单|册|汇总|记录|台账|报表|情况))'
const payLabel =
  '(?:(?:(?:工资|薪资|薪酬|实际|预计|计划)?(?:发放|发薪|支付|付款|打款|到账|入账|转账|代发)(?:日期?|时间)?|支給日|支払日|지급일|(?:date of payment|pay(?:ment|ing)? (?:date|day)|pay ?day|paid on)|ngày (?:chi )?trả(?: lương)?|дата выплаты))'
const until = `\\s?[-~～—–至到]\\s?`
const days = `${ofDay}(?:${until}(?:${ofDay}|${number}[日号]))?`
const span = `(?:${days}|${ofMonth}(?:${until}${ofMonth})?)`

const paymentDates = [
  // 10月发放9月工资, （2026年11月发放）
  new RegExp(
    `${ofMonth}\\s?(?:统一|集中|予以)?${paid}(?=\\s?(?:$|[)）】\\]，。,;；、!！]|的?${year}?${number}月|的?上个?月))`,
    'gi',
  ),
  // 发放日期：2026-11-10, 支給日 2026年11月25日, Pay date: 11/10/2026
  new RegExp(`${payLabel}\\s?[:：为是]?\\s?(?:${span}(?:${part})*|\\d{1,2}[./-]\\d{1,2}[./-]20\\d\\d)`, 'gi'),
  // 2026年10月底前发放, 于2026年11月支付, 11月10日发放
  new RegExp(
    `(?:(?:将|已|拟)?(?:于|在)${span}(?:${part})*|${span}(?:${part})+|${days})\\s?(?:统一|集中|一次性|将|予以)?${paid}${aTable}`,
    'gi',
  ),
]

// When the sheet was made ------------------------------------------------------------------------------------------------------------

const making =
  '(?:制表|制单|制作|编制|编报|填表|填报|填写|报表|打印|导出|生成|创建|更新|审核|复核|作成|print(?:ed)?|created|prepared|generated)'
const madeLabel = `(?:${making}\\s?(?:日期?|时间|on|date)|作成日|日期|date)`
const madeDates = [
  // 制表日期：2026-11-05, 编制于2026年11月, 日期：2026.11.5; 日期：2026年11月 may be the month of wages.
  new RegExp(`${making}\\s?(?:日期?|时间|于|on|date)\\s?[:：为是]?\\s?(?:${span}|\\d{1,2}[./-]\\d{1,2}[./-]20\\d\\d)`, 'gi'),
  new RegExp(`(?<![\\p{L}])(?:日期|date)\\s?[:：]\\s?(?:${days}|\\d{1,2}[./-]\\d{1,2}[./-]20\\d\\d)`, 'giu'),
  // 2026年11月5日制表, 2026年11月编制
  new RegExp(`(?:${days}|${ofMonth})\\s?(?:制表|制单|编制|编报|填表|填报|打印|导出|生成|作成)(?![人员内外])`, 'gi'),
]

const labelAlone = new RegExp(`^(?:${payLabel}|${madeLabel})\\s?[:：]?$`, 'i')
/** A cell that says of the one beside it that it is when wages are paid, or when the sheet was made. */
export const isOtherDateLabel = (text: string): boolean => labelAlone.test(text)

/** Most texts speak of none of it. */
const mayBePaid = /[发付款账給払지]|pay|paid|trả|выплат/i
const mayBeMade = /[制编填报打导生创更审复作日]|print|created|prepared|generated|date/i
const without = (text: string, dates: readonly RegExp[]): string => dates.reduce((rest, one) => rest.replace(one, ' '), text)
function ofWages(written: string): string {
  const text = mayBeMade.test(written) ? without(written, madeDates) : written
  return mayBePaid.test(text) ? without(text, paymentDates) : text
}

// Which months ----------------------------------------------------------------------------------------------------------------------

const digits = '〇一二三四五六七八九'
/** 二〇二六 → 2026, 十一 → 11; undefined when it is no number. */
function chinese(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text)
  const plain = text.replace(/[零○0]/g, '〇').replace(/[1-9]/g, (digit) => digits[Number(digit)] ?? digit)
  const ten = /^([一二三四五六七八九])?十([一二三四五六七八九])?$/.exec(plain)
  if (ten) return (ten[1] ? digits.indexOf(ten[1]) : 1) * 10 + (ten[2] ? digits.indexOf(ten[2]) : 0)
  return /^[〇一二三四五六七八九]+$/.test(plain) ? Number([...plain].map((sign) => digits.indexOf(sign)).join('')) : undefined
}

const english = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The months a text names; one without a year is of the year given, else `-10`. */
export function monthsIn(written: string, year: string | undefined): string[] {
  const text = ofWages(written)
  const found: string[] = []
  const add = (y: number | undefined, m: number | undefined) => {
    if (y !== undefined && m !== undefined && y >= 2000 && y <= 2099 && m >= 1 && m <= 12)
      found.push(`${y}-${String(m).padStart(2, '0')}`)
  }
  // 2026年9月-10月 is two months.
  const years = '(20\\d\\d|[二2][〇零○0][\\d〇零○一二三四五六七八九]{2})'
  const months = '(\\d{1,2}|[一二三四五六七八九十]{1,3})'
  for (const [, y = '', m = '', to] of text.matchAll(
    new RegExp(`${years}年度?${months}月份?(?:[-~～—–至到]${months}月)?`, 'g'),
  )) {
    add(chinese(y), chinese(m))
    if (to !== undefined) add(chinese(y), chinese(to))
  }
  if (found.length > 0) return found
  for (const [, y = '', m = ''] of text.matchAll(/(?<!\d)(20\d\d)[-./年](\d{1,2})(?!\d)/g)) add(Number(y), Number(m))
  for (const [, y = '', m = ''] of text.matchAll(/(?<![\d.])(20\d\d)(0[1-9]|1[0-2])(?!\d)/g)) add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(/(?<!\d)(0?[1-9]|1[0-2])[./](20\d\d)(?!\d)/g)) add(Number(y), Number(m))
  for (const [, y = '', m = ''] of text.matchAll(/(20\d\d)년\s?(\d{1,2})월/g)) add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(/(?:tháng|месяц)\s?(\d{1,2})\s?(?:năm|[/-])\s?(20\d\d)/gi))
    add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(
    /\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?[\s,'/-]*(20\d\d)/gi,
  ))
    add(Number(y), english.indexOf(m.slice(0, 3).toLowerCase()) + 1)
  if (found.length > 0) return found
  for (const [, m = ''] of text.matchAll(
    /(?<![\d\-./年个满前后])(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?!\d|底|初|前|后)/g,
  ))
    if (year !== undefined) add(Number(year), chinese(m))
    else found.push(`-${String(chinese(m)).padStart(2, '0')}`)
  if (found.length > 0) return found
  for (const [, m = ''] of text.matchAll(/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?:[a-z]{2,6})?\b/g)) {
    const month = english.indexOf(m.slice(0, 3).toLowerCase()) + 1
    if (year !== undefined) add(Number(year), month)
    else found.push(`-${String(month).padStart(2, '0')}`)
  }
  return found
}

// Which is the last -----------------------------------------------------------------------------------------------------------------

const months_a_year = 12
const numberOf = (month: string): number => Number(month.slice(-2))
const yearOf = (month: string): number => Number(month.slice(0, -3))
/** How many months on, where no year is known. */
const stepsOn = (from: number, to: number): number => (to - from + months_a_year) % months_a_year || months_a_year

/**
 * Months as they follow each other, each once. One without a year is of the year that brings it nearest to those that have one. Where none has a
 * year they begin after the longest gap: of 12月, 1月 and 11月 January is the last. Of gaps as long the order in which they are written decides.
 */
export function inOrder(written: readonly string[]): string[] {
  const months = [...new Set(written)]
  const dated = months.filter((month) => month.length === 7).map((month) => yearOf(month) * months_a_year + numberOf(month))
  if (dated.length > 0) {
    const placeOf = (month: string): number => {
      if (month.length === 7) return yearOf(month) * months_a_year + numberOf(month)
      const places = dated.flatMap((at) => {
        const on = stepsOn(at % months_a_year || months_a_year, numberOf(month))
        return [at + on, at + on - months_a_year].map((place) => ({ place, apart: Math.abs(place - at) }))
      })
      return places.reduce((best, one) => (one.apart < best.apart ? one : best)).place
    }
    return months.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
  const round = months.toSorted((a, b) => numberOf(a) - numberOf(b))
  const gapAfter = (at: number): number => stepsOn(numberOf(round[at] ?? ''), numberOf(round[(at + 1) % round.length] ?? ''))
  const longest = Math.max(...round.map((_, at) => gapAfter(at)))
  const ends = [...round.keys()].filter((at) => gapAfter(at) === longest)
  const backwards = months.filter(
    (month, at) => at > 0 && stepsOn(numberOf(months[at - 1] ?? ''), numberOf(month)) > months_a_year / 2,
  )
  const order = backwards.length * 2 > months.length - 1 ? months.toReversed() : months
  const last = ends.reduce(
    (best, at) => (order.indexOf(round[at] ?? '') > order.indexOf(round[best] ?? '') ? at : best),
    ends[0] ?? 0,
  )
  return [...round.slice(last + 1), ...round.slice(0, last + 1)]
}

// What the name of a file says ----------------------------------------------------------------------------------------------------------

export type FileMonth = {
  /** `2026-11`, or `-11` where no year is said; null where the name says none, or several alike. */
  readonly month: string | null
  /** All that it says, where it says several. */
  readonly months: readonly string[]
  /** It is only the month of a full date: the file may have been saved or the wages paid on that day. */
  readonly is_date: boolean
}

/** What is done on a day that is named. */
const andPaid = '(?:\\s?(?:统一|集中)?(?:发放|发薪|支付|付款|打款|发(?!生)))?'
/** Full dates, which begin with year and month: of none of them is it said that the wages are of that month. */
const fullDates = [
  new RegExp(`(?<!\\d)20\\d\\d\\s?年\\s?\\d{1,2}\\s?月\\s?\\d{1,2}\\s?[日号]${andPaid}`, 'g'),
  new RegExp(`(?<!\\d)20\\d\\d([-./ ])\\d{1,2}\\1\\d{1,2}(?!\\d)日?${andPaid}`, 'g'),
  new RegExp(`(?<!\\d)20\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])(?:\\d{6}|\\d{4})?(?!\\d)${andPaid}`, 'g'),
]
const yearAndMonth = /^(20\d\d)\D{0,3}?(0[1-9]|1[0-2]|[1-9])/
const daysWithoutYear = /(?<!\d)\d{1,2}月\d{1,2}[日号]|(?<![\d.])\d{1,2}\.\d{1,2}(?=\s?(?:发|支付|付款|打款))/g
const datedMonths =
  /(?<!\d)20\d\d(?:\s?(?:年度?|[-./])\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?!\d)(?:月份?)?(?:[-~～—–至到]\d{1,2}月)?|(?:0[1-9]|1[0-2])(?!\d))/g
const monthBeforePay =
  /(?<!\d)(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?的?\s?(?:全体|全员|公司)?(?:员工|职工)?\s?(?=工资|薪|奖|劳务|报酬|绩效|提成|津贴|补贴|补助)|(?<=20\d\d[-./]?)(0[1-9]|1[0-2])\s?(?=工资|薪)/g

/** 2026_11, 26年11月, 9-10月 and 工资表-11月 as `monthsIn` reads them. */
const plainFileName = (name: string): string =>
  joined(
    name
      .replace(/\.[a-z]{2,5}$/i, '')
      .replace(/(?<=20\d\d)_(?=\d{1,2}(?!\d))/g, '-')
      .replace(/_/g, ' '),
  )
    .replace(/(?<!\d)(2\d)年(?=\d{1,2}月)/g, '20$1年')
    .replace(/(?<=年)(\d{1,2})\s?[-~～—–至到、和及]\s?(?=\d{1,2}月)/g, '$1月-')
    .replace(/(?<![\d年./-])(\d{1,2})月?\s?[-~～—–至到、和及&+]\s?(?=\d{1,2}月)/g, '$1月 ')
    .replace(/(?<![\d月])[-–—.]+(?=\d{1,2}月)/g, ' ')

const half_a_year = 6

/** The month of wages in the name of a file: `2026.12.5发11月工资` and `12月发11月工资` are of November. The one right before 工资 comes first. */
export function monthInFileName(name: string): FileMonth {
  let rest = plainFileName(name)
  const dates: string[] = []
  for (const pattern of fullDates)
    rest = rest.replace(pattern, (date) => {
      const [, year, month] = yearAndMonth.exec(date) ?? []
      if (year !== undefined && month !== undefined) dates.push(`${year}-${month.padStart(2, '0')}`)
      return ' '
    })
  const text = ofWages(rest.replace(daysWithoutYear, ' '))
  const [, years] = /(?<!\d)(20\d\d)(?:年(?!度?\s?\d{1,2}月)|(?=\s+\d{1,2}月))/.exec(text) ?? []
  const dated = monthsIn(text, undefined).filter((month) => month.length === 7)
  const bare = monthsIn(text.replace(datedMonths, ' '), years)
  const beside = dated.at(-1)
  const on = dates.at(-1)
  const withYear = (month: string): string => {
    const known = beside ?? on
    if (month.length === 7 || known === undefined) return month
    const later = numberOf(month) - numberOf(known)
    // Wages of a month are paid in it or after it; two months of one name are near each other.
    const years = beside === undefined ? -Number(later > 0) : later > half_a_year ? -1 : Number(later < -half_a_year)
    return `${yearOf(known) + years}-${month.slice(-2)}`
  }
  const months = inOrder([...dated, ...bare].map(withYear))
  const [month = null] = months
  if (months.length === 0) {
    const last = inOrder(dates)
    return { month: last.at(-1) ?? null, months: last.length > 1 ? last : [], is_date: last.length > 0 }
  }
  if (months.length === 1) return { month, months: [], is_date: false }
  const beforePay = new Set([...text.matchAll(monthBeforePay)].map(([, plain, digits]) => chinese(plain ?? digits ?? '')))
  const named = months.filter((one) => beforePay.has(numberOf(one)))
  return { month: named.length === 1 ? (named[0] ?? null) : null, months, is_date: false }
}
