/** Labels of the send wizard, and small calculations for it. */

import type { Channel, ColumnRole, TitleKind } from '../../../server/contract/shared/schemas.ts'
import {
  checkIsWageSheet,
  countOpenQuestions,
  findMissingRoles,
  hasNoNetColumn,
} from '../../../server/contract/shared/statuses.ts'
import {
  columnRoleNames,
  isGross,
  isNet,
  memberRoles,
  moneyRoles,
  uniqueRoles,
} from '../../../server/contract/sheets/column-roles.ts'
import type { Column, WageSheetInfo } from '../../../server/contract/sheets/sheet.ts'
import { formatCount } from '../../components/value/counts.ts'

export const columnRoleGroups: readonly { name: string; roles: readonly ColumnRole[] }[] = [
  {
    name: '这是谁',
    roles: [...memberRoles],
  },
  { name: '金额', roles: [...moneyRoles] },
  { name: '其他', roles: columnRoleNames.filter((role) => !memberRoles.has(role) && !moneyRoles.has(role)) },
]
/** Choosing such a role takes it from the other column. The server would accept two gross columns. */
export const isExclusiveRole = (role: ColumnRole): boolean => uniqueRoles.has(role) || isGross(role)
/** Returns the shortest label that distinguishes the column from the others. */
export const getColumnName = (column: Column) => column.name
/** Returns the columns with open questions. */
export const getQuestionedColumns = ({ questions }: WageSheetInfo): ReadonlySet<string> =>
  new Set(questions.flatMap(({ key, answer }) => (key !== null && answer === null ? [key] : [])))
/** Returns whether there are amounts that could add up to the net pay. */
export const hasMoneyColumns = ({ columns }: WageSheetInfo) => columns.some(({ role, kind }) => !isNet(role) && kind === 'money')

export const titleKindLabels: Record<TitleKind, string> = { monthly: '月薪', bonus: '奖金', other: '其他' }

export const channelDescriptions: Record<Channel, { name: string; audience: string }> = {
  platform: { name: '办公平台消息', audience: '已在飞书、企业微信或钉钉里对上的人，免费' },
  sms: { name: '短信', audience: '有手机号的人，内容超过 70 字按多条计费' },
  email: { name: '邮件', audience: '花名册里有邮箱的人，免费；先在「工资条设置」里设置发件邮箱' },
  link: { name: '只生成链接', audience: '不发消息，员工自己登录或打开您转发的链接查看' },
}

/** Summarizes recognition in one line under the grid: the headcount, and whether the amounts add up. */
export function summarizeRecognition(info: WageSheetInfo): { text: string; agrees: boolean | null } {
  const people = `识别到 ${formatCount(info.rows)} 人`
  const { formula } = info
  if (!formula) {
    if (hasNoNetColumn(info) && !info.columns.some(({ role }) => isNet(role)))
      return { text: `${people} · 没有实发，不核算`, agrees: true }
    const unchecked = hasMoneyColumns(info) && getMissingRoleLabels(info).length === 0
    return unchecked ? { text: `${people} · 实发未逐行核算`, agrees: null } : { text: people, agrees: true }
  }
  const sum = info.columns.find(({ key }) => key === formula.net)
  const netName = !sum || isNet(sum.role) ? '实发' : `「${getColumnName(sum)}」`
  const name = `${formula.minus.length ? '应发−扣款' : '各项相加'}=${netName}`
  if (formula.holds === formula.of) return { text: `${people} · ${name} 逐行相符`, agrees: true }
  return { text: `${people} · ${name} 有 ${formula.of - formula.holds} 行不符，下一步逐行列出`, agrees: false }
}

export const missingRoleLabels = { name: '姓名', net: '实发' } as const
/** Returns the roles that the wizard requires. The server has the final decision (checkRequireColumnData). */
export const getMissingRoleLabels = (info: Pick<WageSheetInfo, 'columns' | 'questions'>): string[] =>
  checkIsWageSheet(info) === true ? findMissingRoles(info).map((role) => missingRoleLabels[role]) : []

/** Returns true if step 1 is complete, or the reason why not; `month` as shown on the page. */
export function checkCanContinue(info: WageSheetInfo, month: string): true | string {
  const isWageSheet = checkIsWageSheet(info)
  if (isWageSheet !== true) return isWageSheet
  const missing = getMissingRoleLabels(info)
  if (missing.length > 0) return `请先指定${missing.map((label) => `「${label}」`).join('、')}列`
  if (info.rows === 0) return '这份表里没有人'
  const open = countOpenQuestions(info)
  if (open > 0) return `还有 ${formatCount(open)} 处必须先回答，在表格上方`
  return month === '' ? '请先选这一批是哪个月的工资' : true
}

/** Returns the year-month of a month without a year: in January, December means last year. */
function toLatestMonth(number: number, today: Date): string {
  const year = number > today.getMonth() + 2 ? today.getFullYear() - 1 : today.getFullYear()
  return `${year}-${String(number).padStart(2, '0')}`
}
export function getNextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
}
const formatMonth = (month: string) => `${month.slice(0, 4)}年${Number(month.slice(5))}月`

/** Formats months; `-10` is a month without a year: 10月. */
const formatMonths = (months: readonly string[]) =>
  months.map((month) => (month.length === 7 ? formatMonth(month) : `${Number(month.slice(1))}月`)).join('、')

/** Adds the year in which the month `-10` occurred last or occurs next. */
const resolveMonth = (month: string, today: Date): string =>
  month.length === 7 ? month : toLatestMonth(Number(month.slice(1)), today)

type DetectedMonths = {
  month: string | null
  /** Shown when there are several months, with the places where they appear. */
  several: readonly string[]
  source: '表里' | '文件名里' | '工作表'
  isDate: boolean
}

/** Detects the month in the sheet or in its file name, or the several months that appear there. */
function detectMonths({ says, file_month, sheets }: WageSheetInfo, today: Date): DetectedMonths {
  const several = says.months && says.months.length > 1 ? says.months : []
  const detected: DetectedMonths = { month: says.month, several, source: '表里', isDate: false }
  // Sheets of different months sent as one batch: a file name does not determine the batch's month.
  if (several.length > 0 && sheets.filter(({ chosen: isSelected }) => isSelected).length > 1)
    return { ...detected, month: null, source: '工作表' }
  if (says.month !== null) return detected
  const fileMonth = file_month.month === null ? null : resolveMonth(file_month.month, today)
  const [yearlessMonth] = several.length > 0 ? [] : (says.months ?? [])
  // The wage sheet contains the month, and the file name contains the year.
  if (yearlessMonth && !(fileMonth?.endsWith(yearlessMonth) && !file_month.is_date))
    return { ...detected, month: resolveMonth(yearlessMonth, today) }
  if (file_month.months.length > 1) return { month: fileMonth, several: file_month.months, source: '文件名里', isDate: false }
  return fileMonth === null ? detected : { ...detected, month: fileMonth, isDate: file_month.is_date }
}

/** Returns the hint next to the month if the file does not determine it; null if it does. */
export function getMonthHint(info: WageSheetInfo, today: Date): string | null {
  const { month, several, source, isDate } = detectMonths(info, today)
  if (info.title && source !== '工作表') return null
  if (source === '工作表') return `合在一起的工作表写的是不同的月份（${formatMonths(several)}），请选这一批是哪个月的工资`
  if (isDate) return '文件名里只写了日期，月份是按日期推算的，请核对这一批是哪个月的工资'
  if (month !== null && source === '表里') return null
  return several.length > 0
    ? `${source}写着 ${formatMonths(several)}，请核对这一批是哪个月的工资`
    : '表中未注明月份，已按上传时间推算，请确认'
}

/** Moves a pay run to another month, together with the month in its title. */
export function changeTitleMonth(value: TitleGuess, month: string): TitleGuess {
  const title = value.month ? value.title.replace(formatMonth(value.month), formatMonth(month)) : value.title
  return { ...value, month, title: title || `${formatMonth(month)}${value.kind === 'bonus' ? '奖金' : '工资'}` }
}

export type TitleGuess = { title: string; month: string; kind: TitleKind }
/**
 * Suggests a title: the saved one, else one for the month in the file, else for the month after the last title. Title
 * and month stay empty if the selected sheets are of different months.
 */
export function guessTitle(info: WageSheetInfo, last: TitleGuess | null, today: Date): TitleGuess {
  if (info.title) return info.title
  const { month: detectedMonth, source } = detectMonths(info, today)
  const currentMonth = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, '0')}`
  // The result is never a future month: otherwise several drafts of one month would each advance it by one.
  const nextAfterLast = last ? getNextMonth(last.month) : currentMonth
  const month = detectedMonth ?? (nextAfterLast < currentMonth ? nextAfterLast : currentMonth)
  const text = [info.file_name, info.says.title ?? ''].join(' ')
  // 工资表（含奖金） is regular monthly pay.
  const mentionsWages = /工\s*资\s*(?:表|发放|明细)/.test(text)
  const isBonus = /年终/.test(text) || (/奖金|提成/.test(text) && !mentionsWages)
  const kind: TitleKind = isBonus ? 'bonus' : mentionsWages ? 'monthly' : (last?.kind ?? 'monthly')
  if (source === '工作表') return { title: '', month: '', kind }
  const renamed =
    last?.title.includes(formatMonth(last.month)) && last.kind === kind
      ? last.title.replace(formatMonth(last.month), formatMonth(month))
      : null
  return { title: renamed ?? `${formatMonth(month)}${kind === 'bonus' ? '奖金' : '工资'}`, month, kind }
}

/**
 * Returns whether the payslip layout equals the last one sent from such a wage sheet: the same columns with the same
 * names.
 */
export const hasExistingLayout = ({ remembered }: Pick<WageSheetInfo, 'remembered'>): boolean =>
  remembered !== null &&
  remembered.sent === true &&
  remembered.fresh.length === 0 &&
  remembered.missing.length === 0 &&
  remembered.renamed.length === 0
