/** Parses single cells of a roster: a phone, a date, a department path. Unreadable values are reported, never guessed. */
import { isLikelyBankCard, normalizeBankCard } from '../../../rules/bank-card.ts'
import { isEmptyMark } from '../../../rules/decimal.ts'
import { isLikelyIdCard, normalizeIdCard } from '../../../rules/id-card.ts'
import { detectIdentityDocument } from '../../../rules/identity-document.ts'
import { parseMobile } from '../../../rules/phone.ts'
import { normalizeText } from '../../../rules/text.ts'
import { isLikelyEmail } from '../../cells.ts'

/** `value` null: the cell is empty. `error`: in Chinese, why its content is invalid. */
export type CellResult<T> = { readonly value: T | null; readonly error?: string }
const emptyResult = { value: null } as const
const createErrorResult = (why: string) => ({ value: null, error: why }) as const

/** No mark for an empty value is longer than this. */
const maxBlankLength = 4
const isBlankMark = (text: string) =>
  text === '' ||
  (text.length <= maxBlankLength && (isEmptyMark(text) || /^(?:无|暂无|空|null|none|nil|n\/a|未填|未知|待补充?)$/i.test(text)))

const mainlandPattern = /^1[3-9]\d{9}$/
const foreignPattern = /^(?:\+|00)(?!86)\d{6,15}$/
/** Hong Kong, Macao and Taiwan without the plus: (852) 9123 4567. No mainland number begins like this. */
const regionalPattern = /^(?:85[23][2-9]\d{7}|8860?9\d{8})$/
/** Parses mainland numbers to eleven digits; others stay as they are with their country code. */
export function parsePhone(text: string): CellResult<string> {
  if (mainlandPattern.test(text)) return { value: text }
  const plain = normalizeText(text)
    .replace(/\.0+$/, '')
    .replace(/^['’`]/, '')
  if (isBlankMark(plain)) return emptyResult
  const only = findOnlyMobile(plain)
  if (only !== null) return { value: only }
  const digits = plain.replace(/[\s()（）.·–—-]/g, '')
  const mobile = parseMobile(digits)
  if (mobile !== null && /^1[3-9]/.test(mobile)) return { value: mobile }
  const abroad = regionalPattern.test(digits) ? `+${digits}` : digits
  if (foreignPattern.test(abroad)) return { value: abroad.replace(/^00/, '+').replace(/^\+8860/, '+886') }
  if (/^\d(?:\.\d+)?e\+?\d+$/i.test(plain))
    return createErrorResult('手机号被存成了科学计数，末尾几位已经丢失，请改成文本后重新填写')
  if (/[\\/,，;；、\s]/.test(plain) && plain.split(/[\\/,，;；、\s]+/).filter((part) => parseMobile(part) !== null).length > 1)
    return createErrorResult('写了两个手机号，请只留一个')
  if (/^1\d+$/.test(digits) && digits.length !== 11) return createErrorResult(`手机号应为 11 位，这里是 ${digits.length} 位`)
  if (mobile !== null) return createErrorResult('没有这样的手机号段（第二位应为 3 到 9）')
  return createErrorResult('不是手机号')
}

/** A landline, a short number, or a remark next to the only mobile number does not make it ambiguous. */
const otherPhonePattern = /^(?:0\d{2,3}[-\s]?\d{7,8}(?:[-转]\d{1,6})?|\d{3,8}|[^\d]{1,10})$/
function findOnlyMobile(plain: string): string | null {
  const segments = plain
    .split(/[\\/,，;；、\n()（）]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (segments.length < 2) return null
  const mobiles = segments.filter((part) => /^1[3-9]/.test(parseMobile(part.replace(/[\s.·–—-]/g, '')) ?? ''))
  const others = segments.filter((part) => !mobiles.includes(part))
  return mobiles.length === 1 && others.every((part) => otherPhonePattern.test(part))
    ? parseMobile((mobiles[0] ?? '').replace(/[\s.·–—-]/g, ''))
    : null
}

export function parseIdCard(text: string, damaged: boolean): CellResult<string> {
  const plain = normalizeIdCard(text).replace(/^['’`]/, '')
  if (isBlankMark(plain)) return emptyResult
  if (damaged || /^\d(?:\.\d+)?E\+?\d+$/.test(plain))
    return createErrorResult('身份证号被存成了数字，末尾几位已经丢失，请改成文本后重新填写')
  if (detectIdentityDocument(plain) !== null) return { value: plain }
  if (/^\d{15}$/.test(plain)) return createErrorResult('是 15 位的旧身份证号，请填写 18 位的')
  if (!/^\d{17}[\dX]$/.test(plain)) return createErrorResult('身份证号应为 18 位；护照、通行证请核对号码')
  return createErrorResult(isLikelyIdCard(plain) ? '身份证号的校验位不对，请核对' : '身份证号里的出生日期不存在，请核对')
}

export function parseBankCard(text: string, damaged: boolean): CellResult<string> {
  const plain = normalizeBankCard(text).replace(/^['’`]/, '')
  if (isBlankMark(plain)) return emptyResult
  if (damaged || /^\d(?:\.\d+)?E\+?\d+$/i.test(plain))
    return createErrorResult('银行卡号被存成了数字，末尾几位已经丢失，请改成文本后重新填写')
  return isLikelyBankCard(plain) ? { value: plain } : createErrorResult('银行卡号应为 12 到 19 位数字')
}

export function parseEmail(text: string): CellResult<string> {
  const plain = normalizeText(text).replace(/^mailto:/i, '')
  if (isBlankMark(plain)) return emptyResult
  return isLikelyEmail(plain) ? { value: plain } : createErrorResult('不是邮箱地址')
}

/** The order of day and month in dates such as 03/04/2019, as the entire column shows; `unknown` if it does not. */
export type DayOrder = 'day first' | 'month first' | 'unknown'
const shortDatePattern = /^(\d{1,2})[-/.](\d{1,2})[-/.]((?:19|20)\d\d)(?:[ T].*)?$/
export function detectDayOrder(texts: readonly string[]): DayOrder {
  const pairs = texts.flatMap((text) => {
    const [, first, second] = shortDatePattern.exec(normalizeText(text)) ?? []
    return first && second ? [[Number(first), Number(second)] as const] : []
  })
  const days = pairs.some(([first]) => first > 12)
  const months = pairs.some(([, second]) => second > 12)
  return days === months ? 'unknown' : days ? 'day first' : 'month first'
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const yearFirstPattern = /^((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})\s?[日号]?(?:[ T(（星周].*)?$/
const compactDatePattern = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{6})?$/
const shortYearPattern = /^['’]?(\d\d)[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/
const dayMonthNamePattern = /^(\d{1,2})(?:st|nd|rd|th)?[\s-]([a-z]{3})[a-z]*\.?[\s,-]+((?:19|20)?\d\d)$/i
const monthNameDayPattern = /^([a-z]{3})[a-z]*\.?[\s-](\d{1,2})(?:st|nd|rd|th)?,?[\s-]+((?:19|20)\d\d)$/i
/** 1954 to 2064 as spreadsheet date serials: plausible entry dates that cannot be years. */
const dateSerialRange = { least: 20_000, most: 60_000 }

/** Parses a date to `2026-03-05`. */
export function parseDate(text: string, order: DayOrder): CellResult<string> {
  const plain = normalizeText(text)
  if (isBlankMark(plain)) return emptyResult
  const day = splitDate(plain, order)
  if (typeof day === 'string') return createErrorResult(day)
  const [year, month, of] = day
  const date = new Date(Date.UTC(year, month - 1, of))
  if (date.getUTCMonth() + 1 !== month || date.getUTCDate() !== of) return createErrorResult('没有这一天，请核对日期')
  return { value: date.toISOString().slice(0, 10) }
}

function splitDate(plain: string, order: DayOrder): [year: number, month: number, day: number] | string {
  const number = yearFirstPattern.exec(plain) ?? compactDatePattern.exec(plain)
  if (number) return [Number(number[1]), Number(number[2]), Number(number[3])]
  const short = shortDatePattern.exec(plain)
  if (short) {
    const [first, second, year] = [Number(short[1]), Number(short[2]), Number(short[3])]
    if (first > 12 && second <= 12) return [year, second, first]
    if (second > 12 && first <= 12) return [year, first, second]
    if (first === second) return [year, first, second]
    if (order === 'unknown') return '分不清哪个是月、哪个是日，请写成「年-月-日」'
    return order === 'day first' ? [year, second, first] : [year, first, second]
  }
  const two = shortYearPattern.exec(plain)
  if (two) return [toFullYear(Number(two[1])), Number(two[2]), Number(two[3])]
  const named = dayMonthNamePattern.exec(plain)
  if (named && monthNames.includes((named[2] ?? '').toLowerCase()))
    return [toFullYear(Number(named[3])), monthNames.indexOf((named[2] ?? '').toLowerCase()) + 1, Number(named[1])]
  const american = monthNameDayPattern.exec(plain)
  if (american && monthNames.includes((american[1] ?? '').toLowerCase()))
    return [Number(american[3]), monthNames.indexOf((american[1] ?? '').toLowerCase()) + 1, Number(american[2])]
  const serial = Number(plain)
  if (/^\d{5}(?:\.\d+)?$/.test(plain) && serial >= dateSerialRange.least && serial <= dateSerialRange.most)
    return toDateTuple(new Date(Date.UTC(1899, 11, 30) + Math.floor(serial) * 86_400_000))
  if (parseMonth(plain) !== null) return '只有年月，没有日，请写成「年-月-日」'
  return '看不懂的日期，请写成「年-月-日」'
}

const yearMonthPattern = /^((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?月?(?:份)?$/
const compactMonthPattern = /^((?:19|20)\d\d)(0[1-9]|1[0-2])$/
const monthNamePattern = /^([a-z]{3})[a-z]*\.?[\s,-]+((?:19|20)\d\d)$/i
/** Parses `2019.03`, `2019年3月`, `201903`, `Mar 2019` to `2019-03`; null if it is not a month. */
export function parseMonth(text: string): string | null {
  const plain = normalizeText(text)
  const [, year = '', month = ''] = yearMonthPattern.exec(plain) ?? compactMonthPattern.exec(plain) ?? matchNamedMonth(plain)
  return Number(month) >= 1 && Number(month) <= 12 ? `${year}-${month.padStart(2, '0')}` : null
}
function matchNamedMonth(plain: string): string[] {
  const [, name = '', year = ''] = monthNamePattern.exec(plain) ?? []
  const at = monthNames.indexOf(name.toLowerCase())
  return at < 0 ? [] : ['', year, String(at + 1)]
}

const toFullYear = (year: number) => (year > 99 ? year : year < 60 ? 2000 + year : 1900 + year)
const toDateTuple = (date: Date): [number, number, number] => [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]

/** How the cells of a column separate the levels of a department path, and several paths; null: each cell is one name. */
export interface PathFormat {
  stepSeparator: RegExp | null
  listSeparator: RegExp | null
}

const underscoreSeparator = /\s*[_＿]\s*/
const stepSeparators = [/\s*(?:\/|／)\s*/, /\s*(?:->|→|»|＞|>)\s*/, /\s*(?:\\|＼)\s*/, /\s*(?:\||｜)\s*/]
const dashSeparator = /\s*[-–—－]\s*/

/**
 * `isPathLabel`: the label mentions a path (部门路径). A dash or an underscore separates levels only if the names before it
 * repeat, because names may contain it.
 */
export function detectPathFormat(texts: readonly string[], isPathLabel: boolean): PathFormat {
  // Few of twenty thousand people are alone in a department, so distinct texts are compared.
  const cells = [...new Set([...new Set(texts)].map((text) => text.trim()))].filter((text) => text !== '')
  const segments = cells.flatMap((text) => text.split(/[;；\n]/))
  const step =
    stepSeparators.find((one) =>
      segments.some(
        (text) =>
          text
            .trim()
            .replace(/^[/\\]/, '')
            .split(one).length > 1,
      ),
    ) ??
    [dashSeparator, underscoreSeparator].find((one) => isSeparator(segments, one, isPathLabel)) ??
    null
  const byComma = step !== null && cells.some((text) => /[;；,，\n]/.test(text))
  const hasSeveral = byComma || cells.some((text) => /[;；\n]/.test(text))
  return { stepSeparator: step, listSeparator: hasSeveral ? (byComma ? /\s*[;；,，\n]\s*/ : /\s*[;；\n]\s*/) : null }
}

function isSeparator(segments: readonly string[], sign: RegExp, isPathLabel: boolean): boolean {
  const dashed = segments.filter((text) => text.split(sign).filter((part) => part !== '').length > 1)
  if (dashed.length === 0) return false
  if (isPathLabel) return true
  const firsts = new Map<string, number>()
  for (const text of segments) firsts.set(text.split(sign)[0] ?? '', (firsts.get(text.split(sign)[0] ?? '') ?? 0) + 1)
  // 研发部-前端组 and 研发部-后端组, or 研发部 itself, form a tree. A-1车间 alone is a name.
  const common = dashed.filter((text) => {
    const [first = ''] = text.split(sign)
    return (firsts.get(first) ?? 0) > 1 && first.length > 1
  })
  return dashed.length * 2 >= segments.length && common.length * 2 >= dashed.length
}

/** Returns each path from the top level. */
export function parseDepartmentPaths(text: string, { stepSeparator, listSeparator }: PathFormat): string[][] {
  const plain = text.trim()
  if (isBlankMark(plain)) return []
  const paths = listSeparator ? plain.split(listSeparator) : [plain]
  return paths
    .map((path) =>
      (stepSeparator ? path.split(stepSeparator) : [path]).map((part) => normalizeText(part)).filter((part) => part !== ''),
    )
    .filter((path) => path.length > 0)
}
