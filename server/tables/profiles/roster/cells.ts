/** What one cell of a roster says: a phone, a day, a way through the departments. What cannot be read is said so, never guessed. */
import { looksLikeBankCard, normalBankCard } from '../../../rules/bank-card.ts'
import { isDash } from '../../../rules/decimal.ts'
import { looksLikeIdCard, normalIdCard } from '../../../rules/id-card.ts'
import { identityDocumentKind } from '../../../rules/identity-document.ts'
import { readMobile } from '../../../rules/phone.ts'
import { tidy } from '../../../rules/text.ts'
import { looksLikeEmail } from '../../cells.ts'

/** `value` null: nothing stands there. `why`: what does cannot be taken, a Chinese sentence. */
export type CellRead<T> = { readonly value: T | null; readonly why?: string }
const nothing = { value: null } as const
const bad = (why: string) => ({ value: null, why }) as const

/** No word for nothing is longer. */
const longest_blank = 4
const isBlank = (text: string) =>
  text === '' ||
  (text.length <= longest_blank && (isDash(text) || /^(?:无|暂无|空|null|none|nil|n\/a|未填|未知|待补充?)$/i.test(text)))

const mainland = /^1[3-9]\d{9}$/
const foreign = /^(?:\+|00)(?!86)\d{6,15}$/
/** Hong Kong, Macao and Taiwan without the plus: (852) 9123 4567. No mainland number begins so. */
const besideMainland = /^(?:85[23][2-9]\d{7}|8860?9\d{8})$/
/** Mainland numbers as eleven digits, others as they are with their country. */
export function readPhone(text: string): CellRead<string> {
  if (mainland.test(text)) return { value: text }
  const plain = tidy(text)
    .replace(/\.0+$/, '')
    .replace(/^['’`]/, '')
  if (isBlank(plain)) return nothing
  const only = onlyMobile(plain)
  if (only !== null) return { value: only }
  const digits = plain.replace(/[\s()（）.·–—-]/g, '')
  const mobile = readMobile(digits)
  if (mobile !== null && /^1[3-9]/.test(mobile)) return { value: mobile }
  const abroad = besideMainland.test(digits) ? `+${digits}` : digits
  if (foreign.test(abroad)) return { value: abroad.replace(/^00/, '+').replace(/^\+8860/, '+886') }
  if (/^\d(?:\.\d+)?e\+?\d+$/i.test(plain)) return bad('手机号被存成了科学计数，末尾几位已经丢失，请改成文本后重新填写')
  if (/[\\/,，;；、\s]/.test(plain) && plain.split(/[\\/,，;；、\s]+/).filter((part) => readMobile(part) !== null).length > 1)
    return bad('写了两个手机号，请只留一个')
  if (/^1\d+$/.test(digits) && digits.length !== 11) return bad(`手机号应为 11 位，这里是 ${digits.length} 位`)
  if (mobile !== null) return bad('没有这样的手机号段（第二位应为 3 到 9）')
  return bad('不是手机号')
}

/** A line of the office, a short number, or a remark beside the one mobile: it is still the only one. */
const beside_a_mobile = /^(?:0\d{2,3}[-\s]?\d{7,8}(?:[-转]\d{1,6})?|\d{3,8}|[^\d]{1,10})$/
function onlyMobile(plain: string): string | null {
  const parts = plain
    .split(/[\\/,，;；、\n()（）]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length < 2) return null
  const mobiles = parts.filter((part) => /^1[3-9]/.test(readMobile(part.replace(/[\s.·–—-]/g, '')) ?? ''))
  const others = parts.filter((part) => !mobiles.includes(part))
  return mobiles.length === 1 && others.every((part) => beside_a_mobile.test(part))
    ? readMobile((mobiles[0] ?? '').replace(/[\s.·–—-]/g, ''))
    : null
}

export function readIdCard(text: string, damaged: boolean): CellRead<string> {
  const plain = normalIdCard(text).replace(/^['’`]/, '')
  if (isBlank(plain)) return nothing
  if (damaged || /^\d(?:\.\d+)?E\+?\d+$/.test(plain)) return bad('身份证号被存成了数字，末尾几位已经丢失，请改成文本后重新填写')
  if (identityDocumentKind(plain) !== null) return { value: plain }
  if (/^\d{15}$/.test(plain)) return bad('是 15 位的旧身份证号，请填写 18 位的')
  if (!/^\d{17}[\dX]$/.test(plain)) return bad('身份证号应为 18 位；护照、通行证请核对号码')
  return bad(looksLikeIdCard(plain) ? '身份证号的校验位不对，请核对' : '身份证号里的出生日期不存在，请核对')
}

export function readBankCard(text: string, damaged: boolean): CellRead<string> {
  const plain = normalBankCard(text).replace(/^['’`]/, '')
  if (isBlank(plain)) return nothing
  if (damaged || /^\d(?:\.\d+)?E\+?\d+$/i.test(plain)) return bad('银行卡号被存成了数字，末尾几位已经丢失，请改成文本后重新填写')
  return looksLikeBankCard(plain) ? { value: plain } : bad('银行卡号应为 12 到 19 位数字')
}

export function readEmail(text: string): CellRead<string> {
  const plain = tidy(text).replace(/^mailto:/i, '')
  if (isBlank(plain)) return nothing
  return looksLikeEmail(plain) ? { value: plain } : bad('不是邮箱地址')
}

/** Which of two numbers is the day where a date is written 03/04/2019: as the whole column shows, `unknown` where it does not. */
export type DayOrder = 'day first' | 'month first' | 'unknown'
const shortDate = /^(\d{1,2})[-/.](\d{1,2})[-/.]((?:19|20)\d\d)(?:[ T].*)?$/
export function dayOrderOf(texts: readonly string[]): DayOrder {
  const pairs = texts.flatMap((text) => {
    const [, first, second] = shortDate.exec(tidy(text)) ?? []
    return first && second ? [[Number(first), Number(second)] as const] : []
  })
  const days = pairs.some(([first]) => first > 12)
  const months = pairs.some(([, second]) => second > 12)
  return days === months ? 'unknown' : days ? 'day first' : 'month first'
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const yearFirst = /^((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})\s?[日号]?(?:[ T(（星周].*)?$/
const compact = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{6})?$/
const shortYear = /^['’]?(\d\d)[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/
const dayName = /^(\d{1,2})(?:st|nd|rd|th)?[\s-]([a-z]{3})[a-z]*\.?[\s,-]+((?:19|20)?\d\d)$/i
const nameDay = /^([a-z]{3})[a-z]*\.?[\s-](\d{1,2})(?:st|nd|rd|th)?,?[\s-]+((?:19|20)\d\d)$/i
/** 1954 to 2064: a number of a spreadsheet's days that is an entry into a company, and no year. */
const serials = { least: 20_000, most: 60_000 }

/** `2026-03-05`. */
export function readDay(text: string, order: DayOrder): CellRead<string> {
  const plain = tidy(text)
  if (isBlank(plain)) return nothing
  const day = partsOfDay(plain, order)
  if (typeof day === 'string') return bad(day)
  const [year, month, of] = day
  const date = new Date(Date.UTC(year, month - 1, of))
  if (date.getUTCMonth() + 1 !== month || date.getUTCDate() !== of) return bad('没有这一天，请核对日期')
  return { value: date.toISOString().slice(0, 10) }
}

function partsOfDay(plain: string, order: DayOrder): [year: number, month: number, day: number] | string {
  const whole = yearFirst.exec(plain) ?? compact.exec(plain)
  if (whole) return [Number(whole[1]), Number(whole[2]), Number(whole[3])]
  const short = shortDate.exec(plain)
  if (short) {
    const [first, second, year] = [Number(short[1]), Number(short[2]), Number(short[3])]
    if (first > 12 && second <= 12) return [year, second, first]
    if (second > 12 && first <= 12) return [year, first, second]
    if (first === second) return [year, first, second]
    if (order === 'unknown') return '分不清哪个是月、哪个是日，请写成「年-月-日」'
    return order === 'day first' ? [year, second, first] : [year, first, second]
  }
  const two = shortYear.exec(plain)
  if (two) return [fullYear(Number(two[1])), Number(two[2]), Number(two[3])]
  const named = dayName.exec(plain)
  if (named && monthNames.includes((named[2] ?? '').toLowerCase()))
    return [fullYear(Number(named[3])), monthNames.indexOf((named[2] ?? '').toLowerCase()) + 1, Number(named[1])]
  const american = nameDay.exec(plain)
  if (american && monthNames.includes((american[1] ?? '').toLowerCase()))
    return [Number(american[3]), monthNames.indexOf((american[1] ?? '').toLowerCase()) + 1, Number(american[2])]
  const serial = Number(plain)
  if (/^\d{5}(?:\.\d+)?$/.test(plain) && serial >= serials.least && serial <= serials.most)
    return dayOf(new Date(Date.UTC(1899, 11, 30) + Math.floor(serial) * 86_400_000))
  if (readMonth(plain) !== null) return '只有年月，没有日，请写成「年-月-日」'
  return '看不懂的日期，请写成「年-月-日」'
}

const yearMonth = /^((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?月?(?:份)?$/
const compactMonth = /^((?:19|20)\d\d)(0[1-9]|1[0-2])$/
const monthName = /^([a-z]{3})[a-z]*\.?[\s,-]+((?:19|20)\d\d)$/i
/** `2019.03`, `2019年3月`, `201903`, `Mar 2019` as `2019-03`; null where it is no month. */
export function readMonth(text: string): string | null {
  const plain = tidy(text)
  const [, year = '', month = ''] = yearMonth.exec(plain) ?? compactMonth.exec(plain) ?? namedMonth(plain)
  return Number(month) >= 1 && Number(month) <= 12 ? `${year}-${month.padStart(2, '0')}` : null
}
function namedMonth(plain: string): string[] {
  const [, name = '', year = ''] = monthName.exec(plain) ?? []
  const at = monthNames.indexOf(name.toLowerCase())
  return at < 0 ? [] : ['', year, String(at + 1)]
}

const fullYear = (year: number) => (year > 99 ? year : year < 60 ? 2000 + year : 1900 + year)
const dayOf = (date: Date): [number, number, number] => [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]

/** How the cells of a column part the steps of a way, and several ways; null: each cell is one name. */
export interface PathForm {
  step: RegExp | null
  several: RegExp | null
}

const underscore = /\s*[_＿]\s*/
const steps = [/\s*(?:\/|／)\s*/, /\s*(?:->|→|»|＞|>)\s*/, /\s*(?:\\|＼)\s*/, /\s*(?:\||｜)\s*/]
const dash = /\s*[-–—－]\s*/

/** `said`: the label speaks of a way (部门路径). A dash or an underscore parts only where names come again over it; it stands inside names too. */
export function pathFormOf(texts: readonly string[], said: boolean): PathForm {
  // Of twenty thousand people few are in a department of their own.
  const cells = [...new Set([...new Set(texts)].map((text) => text.trim()))].filter((text) => text !== '')
  const pieces = cells.flatMap((text) => text.split(/[;；\n]/))
  const step =
    steps.find((one) =>
      pieces.some(
        (text) =>
          text
            .trim()
            .replace(/^[/\\]/, '')
            .split(one).length > 1,
      ),
    ) ??
    [dash, underscore].find((one) => isParted(pieces, one, said)) ??
    null
  const byComma = step !== null && cells.some((text) => /[;；,，\n]/.test(text))
  const hasSeveral = byComma || cells.some((text) => /[;；\n]/.test(text))
  return { step, several: hasSeveral ? (byComma ? /\s*[;；,，\n]\s*/ : /\s*[;；\n]\s*/) : null }
}

function isParted(pieces: readonly string[], sign: RegExp, said: boolean): boolean {
  const dashed = pieces.filter((text) => text.split(sign).filter((part) => part !== '').length > 1)
  if (dashed.length === 0) return false
  if (said) return true
  const firsts = new Map<string, number>()
  for (const text of pieces) firsts.set(text.split(sign)[0] ?? '', (firsts.get(text.split(sign)[0] ?? '') ?? 0) + 1)
  // 研发部-前端组 and 研发部-后端组, or 研发部 itself: a tree. A-1车间 alone is a name.
  const common = dashed.filter((text) => {
    const [first = ''] = text.split(sign)
    return (firsts.get(first) ?? 0) > 1 && first.length > 1
  })
  return dashed.length * 2 >= pieces.length && common.length * 2 >= dashed.length
}

/** Each way from the top. */
export function readDepartments(text: string, { step, several }: PathForm): string[][] {
  const plain = text.trim()
  if (isBlank(plain)) return []
  const ways = several ? plain.split(several) : [plain]
  return ways
    .map((way) => (step ? way.split(step) : [way]).map((part) => tidy(part)).filter((part) => part !== ''))
    .filter((way) => way.length > 0)
}
