/** Chinese words of the sending wizard, and the small sums it does with values. */

import { moneyRoles, personRoles, roleWords, singleRoles as single } from '../../../server/contract/sheet/column-roles.ts'
import type { Column, SheetInfo } from '../../../server/contract/sheet/sheet.ts'
import { goesWithoutNet, isWages, lacks, openOf } from '../../../server/contract/words/states.ts'
import type { Channel, ColumnRole, TitleKind } from '../../../server/contract/words/words.ts'

export const roleGroups: readonly { name: string; roles: readonly ColumnRole[] }[] = [
  {
    name: '这是谁',
    roles: [...personRoles],
  },
  { name: '金额', roles: [...moneyRoles] },
  { name: '其他', roles: ['info', 'ignore'] },
]
export { roleWords }
/** Choosing one of these takes it from the other; of the gross pay the server would take two. */
export const singleRoles: ReadonlySet<ColumnRole> = new Set([...single, 'gross'])
/** The shortest label that tells the column apart from the others. */
export const columnName = (column: Column) => column.name
/** Columns about which something is still asked. */
export const askedColumns = ({ questions }: SheetInfo): ReadonlySet<string> =>
  new Set(questions.flatMap(({ key, answer }) => (key !== null && answer === null ? [key] : [])))
/** Whether there is anything that could add up to the net pay. */
export const hasItems = ({ columns }: SheetInfo) => columns.some(({ role, kind }) => role !== 'net' && kind === 'money')

export const titleKindWords: Record<TitleKind, string> = { monthly: '月薪', bonus: '奖金', other: '其他' }

export const channelWords: Record<Channel, { name: string; reaches: string }> = {
  platform: { name: '办公平台消息', reaches: '已在飞书、企业微信或钉钉里对上的人，免费' },
  sms: { name: '短信', reaches: '有手机号的人，内容超过 70 字按多条计费' },
  email: { name: '邮件', reaches: '花名册里有邮箱的人，免费；先在「工资条设置」里设置发件邮箱' },
  link: { name: '只生成链接', reaches: '不发消息，员工自己登录或打开您转发的链接查看' },
}

/** The one line under the grid: who was found, and whether the figures agree. */
export function understood(info: SheetInfo): { text: string; agrees: boolean | null } {
  const people = `识别到 ${info.rows} 人`
  const { formula } = info
  if (!formula) {
    if (goesWithoutNet(info) && !info.columns.some(({ role }) => role === 'net'))
      return { text: `${people} · 没有实发，不验算`, agrees: true }
    const unchecked = hasItems(info) && missingRoles(info).length === 0
    return unchecked ? { text: `${people} · 实发没有逐行验算`, agrees: null } : { text: people, agrees: true }
  }
  const sum = info.columns.find(({ key }) => key === formula.net)
  const what = !sum || sum.role === 'net' ? '实发' : `「${columnName(sum)}」`
  const name = `${formula.minus.length ? '应发−扣款' : '各项相加'}=${what}`
  if (formula.holds === formula.of) return { text: `${people} · ${name} 逐行相符`, agrees: true }
  return { text: `${people} · ${name} 有 ${formula.of - formula.holds} 行不符，下一步逐行列出`, agrees: false }
}

export const missingWords = { name: '姓名', net: '实发' } as const
/** What the wizard cannot do without. The server has the last word (checkRequireColumnData). */
export const missingRoles = (info: Pick<SheetInfo, 'columns' | 'questions'>): string[] =>
  isWages(info) === true ? lacks(info).map((one) => missingWords[one]) : []

/** Whether step 1 is done, or why not; `month` as it stands on the page. */
export function mayGoOn(info: SheetInfo, month: string): true | string {
  const wages = isWages(info)
  if (wages !== true) return wages
  const missing = missingRoles(info)
  if (missing.length > 0) return `请先指定${missing.map((word) => `「${word}」`).join('、')}列`
  if (info.rows === 0) return '这份表里没有人'
  const open = openOf(info)
  if (open > 0) return `还有 ${open} 处必须先回答，在表格上方`
  return month === '' ? '请先选这一批是哪个月的工资' : true
}

/** The year of a month that says none: in January one sends December's slips. */
function latest(number: number, today: Date): string {
  const year = number > today.getMonth() + 2 ? today.getFullYear() - 1 : today.getFullYear()
  return `${year}-${String(number).padStart(2, '0')}`
}
export function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
}
const written = (month: string) => `${month.slice(0, 4)}年${Number(month.slice(5))}月`

/** `-10` is 10月. */
const writtenAll = (months: readonly string[]) =>
  months.map((month) => (month.length === 7 ? written(month) : `${Number(month.slice(1))}月`)).join('、')

/** `-10` in the year in which it was last or is next. */
const dated = (month: string, today: Date): string => (month.length === 7 ? month : latest(Number(month.slice(1)), today))

type MonthsSaid = {
  found: string | null
  /** Several months, and where they are written. */
  several: readonly string[]
  where: '表里' | '文件名里' | '工作表'
  is_date: boolean
}

/** The month that stands in the sheet or the name of its file, or the several that do. */
function monthsSaid({ says, file_month, sheets }: SheetInfo, today: Date): MonthsSaid {
  const several = says.months && says.months.length > 1 ? says.months : []
  const said: MonthsSaid = { found: says.month, several, where: '表里', is_date: false }
  // Sheets of different months that are sent as one: no name of a file says of which the batch is.
  if (several.length > 0 && sheets.filter(({ chosen }) => chosen).length > 1) return { ...said, found: null, where: '工作表' }
  if (says.month !== null) return said
  const ofFile = file_month.month === null ? null : dated(file_month.month, today)
  const [bare] = several.length > 0 ? [] : (says.months ?? [])
  // The sheet says which month it is, the name of the file in which year.
  if (bare && !(ofFile?.endsWith(bare) && !file_month.is_date)) return { ...said, found: dated(bare, today) }
  if (file_month.months.length > 1) return { found: ofFile, several: file_month.months, where: '文件名里', is_date: false }
  return ofFile === null ? said : { ...said, found: ofFile, is_date: file_month.is_date }
}

/** What to say beside the month where nobody has written it; null where it is known. */
export function monthHint(info: SheetInfo, today: Date): string | null {
  const { found, several, where, is_date } = monthsSaid(info, today)
  if (info.title && where !== '工作表') return null
  if (where === '工作表') return `合在一起的工作表写的是不同的月份（${writtenAll(several)}），请选这一批是哪个月的工资`
  if (is_date) return '文件名里只写了日期，月份是按日期推算的，请核对这一批是哪个月的工资'
  if (found !== null && where === '表里') return null
  return several.length > 0
    ? `${where}写着 ${writtenAll(several)}，请核对这一批是哪个月的工资`
    : '表里没有写是哪个月的工资，月份是推算的，请核对'
}

/** The same pay run in another month: the month in its title goes along. */
export function inMonth(value: TitleGuess, month: string): TitleGuess {
  const title = value.month ? value.title.replace(written(value.month), written(month)) : value.title
  return { ...value, month, title: title || `${written(month)}${value.kind === 'bonus' ? '奖金' : '工资'}` }
}

export type TitleGuess = { title: string; month: string; kind: TitleKind }
/**
 * What to offer: what was saved, else the month that the file names, else the month after the last title's. Neither title nor month where
 * the sheets that were chosen are of different months.
 */
export function guessTitle(info: SheetInfo, last: TitleGuess | null, today: Date): TitleGuess {
  if (info.title) return info.title
  const { found, where } = monthsSaid(info, today)
  const now = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, '0')}`
  // Never a month that has not begun: several drafts of one month would otherwise each move on by one.
  const following = last ? nextMonth(last.month) : now
  const month = found ?? (following < now ? following : now)
  const words = [info.file_name, info.says.title ?? ''].join(' ')
  // 工资表（含奖金） is a month's pay.
  const saysWages = /工\s*资\s*(?:表|发放|明细)/.test(words)
  const isBonus = /年终/.test(words) || (/奖金|提成/.test(words) && !saysWages)
  const kind: TitleKind = isBonus ? 'bonus' : saysWages ? 'monthly' : (last?.kind ?? 'monthly')
  if (where === '工作表') return { title: '', month: '', kind }
  const renamed =
    last?.title.includes(written(last.month)) && last.kind === kind
      ? last.title.replace(written(last.month), written(month))
      : null
  return { title: renamed ?? `${written(month)}${kind === 'bonus' ? '奖金' : '工资'}`, month, kind }
}

/** Whether the slips look as those that were sent of such a sheet before: the same columns under the same names. */
export const isArrangedBefore = ({ remembered }: Pick<SheetInfo, 'remembered'>): boolean =>
  remembered !== null &&
  remembered.sent === true &&
  remembered.fresh.length === 0 &&
  remembered.missing.length === 0 &&
  remembered.renamed.length === 0
