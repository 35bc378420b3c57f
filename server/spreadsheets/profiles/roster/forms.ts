/**
 * Employee forms (员工登记表): labels with adjacent values, one form per sheet or several below each other. They become the
 * rows of one roster. Data about other people in a form (family, emergency contact, guarantor) does not belong to the
 * employee.
 */
import { rowsPerSheet } from '../../../contract/sheets/row-number.ts'
import { normalizeText } from '../../../rules/text.ts'
import { type Grid, getCell, getFilledColumns, getText, type StoredValue } from '../../grid.ts'
import { isPersonName } from '../../recognise/identity-columns.ts'
import { getRosterLabelMeaning, type RosterRole } from './labels.ts'

/** A form is one or two pages long. */
const maxFormRows = 80
const maxForms = 2_000
/** A sheet without a form within this many rows is a table. */
const maxRowsBeforeForm = 200
/** Maximum number of cells in a form's row: a header with empty rows below is wider. */
const maxFormColumns = 14

export interface EmployeeForm {
  sheet: string
  /** Rows are numbered as in a batch (`rowsPerSheet`); the value is the row of the name. */
  row: number
  /** Values by label, in order. */
  values: ReadonlyMap<string, StoredValue>
}

/** Matches a reference to somebody other than the employee, in a label or in a section heading. */
const otherPersonPattern = /紧急|应急|联系人|家庭|家属|亲属|社会关系|配偶|父亲|母亲|父母|子女|介绍人|推荐人|担保|证明人|监护|称谓/
/** Headings of sections about the employee's past, or to be filled in by others. */
const otherSectionPattern =
  /^(?:教育|学习|培训|工作|主要|以往|社会)(?:及|和|与|\/)?.{0,4}(?:经历|经验|履历|背景|情况|简历)|^(?:奖惩|声明|承诺|备注|附件|审批|面试|评价|员工签)/
const employeeSectionPattern =
  /^(?:个人|基本|员工|本人|入职|岗位|任职|职位|联系|公司|人事|薪资|账户|证件)(?:及|与)?.{0,4}(?:信息|资料|情况|填写|方式)/
const relationPattern = /^(?:与?(?:本人|员工)?(?:的)?关系|称谓|亲属关系)$/

const employeeRoles: ReadonlySet<RosterRole> = new Set<RosterRole>([
  'name',
  'mobile',
  'employee_no',
  'id_card',
  'bank_account',
  'department',
  'position',
  'entry_date',
  'email',
  'status',
  'gender',
  'birth_date',
])
/** Fields that only employees have, or that identify them. */
const distinctiveRoles: ReadonlySet<RosterRole> = new Set<RosterRole>([
  'mobile',
  'employee_no',
  'id_card',
  'department',
  'position',
  'entry_date',
])

const normalizeFormLabel = (text: string): string =>
  normalizeText(text)
    .replace(/[\s*＊]/g, '')
    .replace(/[:：;；]$/, '')
/** 入职部门 means the department. */
const getFieldLabel = (text: string): string =>
  normalizeFormLabel(text).replace(/^(?:入职|拟任|聘用|录用|所在)(?=部门|岗位|职位|职务)/, '')
const getFieldRole = (text: string): RosterRole | null => {
  const plain = getFieldLabel(text)
  if (plain === '' || plain.length > 20 || /^\d+$/.test(plain)) return null
  const { role, certainty } = getCachedMeaning(plain)
  return certainty > 1 && employeeRoles.has(role) ? role : null
}
type RosterLabelMeaning = ReturnType<typeof getRosterLabelMeaning>
/** A sheet repeats the same few labels, and each one is looked up several times. */
const meaningCache = new Map<string, RosterLabelMeaning>()
const maxCachedMeanings = 5_000
function getCachedMeaning(plain: string): RosterLabelMeaning {
  const cached = meaningCache.get(plain)
  if (cached) return cached
  const meaning = getRosterLabelMeaning([plain])
  if (meaningCache.size >= maxCachedMeanings) meaningCache.clear()
  meaningCache.set(plain, meaning)
  return meaning
}
/** Matches any label, whoever it refers to; such a cell is not the value of the preceding label. */
const labelPattern =
  /^(?:性别|民族|籍贯|婚姻状况|婚否|政治面貌|学历|最高学历|专业|毕业院校|毕业学校|毕业时间|出生年月|出生日期|年龄|身高|体重|血型|户口性质|户籍地址|户口所在地|现住址|现居住地址|家庭住址|住址|地址|邮编|邮政编码|照片|相片|贴照片处|健康状况|身体状况|特长|爱好|外语水平|职称|工作单位|单位|职业|关系|与本人关系|称谓|年龄|联系电话|备注|合同期限|试用期|转正日期|直接上级|开户行|签名|日期|qq|微信|微信号)$/i
const isFormLabel = (text: string): boolean => {
  const plain = normalizeFormLabel(text)
  return plain !== '' && (labelPattern.test(plain) || otherPersonPattern.test(plain) || getCachedMeaning(plain).certainty > 1)
}

function getRightEdge(grid: Grid, row: number, column: number): number {
  const merged = grid.merges.find(
    ({ top, bottom, left, right }) => row >= top && row <= bottom && column >= left && column <= right,
  )
  return merged?.right ?? column
}
/** Returns the value of a label: the cell after it, or the text after the colon in the same cell. */
function getFieldValue(grid: Grid, row: number, column: number): { at: number; text: string } {
  const at = getRightEdge(grid, row, column) + 1
  return { at, text: getText(grid, row, at) }
}

const inlineValuePattern = /^([^:：]{1,12})[:：]\s*(.+)$/s

/**
 * Returns whether 姓名 has an adjacent name, and a label or nothing below; in a table a name would be below it. The label
 * is looked up last, because few cells of a long table have an adjacent name.
 */
function isFormStart(grid: Grid, row: number, column: number): boolean {
  const text = getText(grid, row, column)
  const [, label = text, behind] = inlineValuePattern.exec(text) ?? []
  if (behind !== undefined) return behind.length <= 20 && getFieldRole(label) === 'name' && !isFormLabel(behind)
  // For example 研发2组 next to a position: no label of a name contains a number (1、姓名 starts with one), and many rows of
  // a table have such a cell.
  if (/\p{L}.*\d/u.test(label)) return false
  const { at, text: name } = getFieldValue(grid, row, column)
  if (name === '' || name.length > 20 || !isPersonName(getCell(grid, row, at)) || getFieldRole(label) !== 'name') return false
  const under = getText(grid, row + 1, column)
  if (
    under !== '' &&
    !isFormLabel(under) &&
    !isOtherPersonLabel(under) &&
    !employeeSectionPattern.test(normalizeFormLabel(under))
  )
    return false
  return !isFormLabel(name)
}

const formTitlePattern = /(?:登记|信息|资料|履历|档案|入职)(?:登记)?[表卡]$/
/** Fields of the employee only, because no form asks for them about the family. */
const employeeOnlyRoles: ReadonlySet<RosterRole> = new Set<RosterRole>([
  'employee_no',
  'id_card',
  'department',
  'position',
  'entry_date',
])
/** Returns for each row whether it concerns other people or the employee's past. `beginning`: rows where a form may begin. */
function markOtherPersonRows(grid: Grid, beginning: ReadonlySet<number>): boolean[] {
  let others = false
  return Array.from({ length: grid.rows.length }, (_, row) => {
    const filled = getFilledColumns(grid, row)
    const texts = filled.map((column) => getText(grid, row, column))
    const [first = ''] = texts
    const isHeading = new Set(texts).size === 1
    const isRelated = texts.some((text) => relationPattern.test(normalizeFormLabel(text)))
    const roles =
      beginning.has(row) && !isRelated ? texts.map((text) => getFieldRole(inlineValuePattern.exec(text)?.[1] ?? text)) : []
    const begins =
      roles.includes('name') && (roles.includes('gender') || roles.some((role) => role && employeeOnlyRoles.has(role)))
    if (isHeading && (employeeSectionPattern.test(normalizeFormLabel(first)) || formTitlePattern.test(normalizeFormLabel(first))))
      others = false
    else if (isOtherPersonLabel(first) || isRelated) others = true
    else if (begins) others = false
    return others || isInOtherSection(grid, row)
  })
}

/** A payslip also names one person, but is not a form. */
const payslipPattern = /工\s*资\s*[条单]|薪资[条单]|임\s*금\s*명\s*세|급여\s*명세|給与明細|pay ?slip/i
const isPayslip = (grid: Grid): boolean =>
  [0, 1, 2].some((row) => getFilledColumns(grid, row).some((column) => payslipPattern.test(getText(grid, row, column))))

/** Finds the forms of a sheet from top to bottom; none if it is a table. */
function findForms(grid: Grid): { row: number; values: Map<string, StoredValue> }[] {
  const beginning = new Set<number>()
  for (let row = 0; row < grid.rows.length && (row < maxRowsBeforeForm || beginning.size > 0); row++)
    if (getFilledColumns(grid, row).some((column) => isFormStart(grid, row, column))) beginning.add(row)
  if (beginning.size === 0 || isPayslip(grid)) return []
  const others = markOtherPersonRows(grid, beginning)
  const starts = [...beginning]
    .filter((row) => !others[row] && getFilledColumns(grid, row).length <= maxFormColumns)
    .slice(0, maxForms)
  const [first] = starts
  if (first === undefined) return []
  // 工号 above 姓名 belongs to the form below it, as in the first form, even if it is left blank there.
  const hasLabel = (row: number) =>
    getFilledColumns(grid, row).some((column) => {
      const text = getText(grid, row, column)
      return getFieldRole(inlineValuePattern.exec(text)?.[1] ?? text) !== null
    })
  const lead = [3, 2, 1].find((up) => first >= up && hasLabel(first - up)) ?? 0
  const from = (row: number) => row - lead
  return starts.flatMap((row, at) => {
    const next = starts[at + 1]
    const end = Math.min(next === undefined ? grid.rows.length : from(next), row + maxFormRows)
    const { values, lines } = readForm(grid, others, from(row), end)
    const roles = new Set([...values.keys()].map(getFieldRole))
    const isForm = lines > 1 && roles.size > 3 && [...roles].some((role) => role !== null && distinctiveRoles.has(role))
    return isForm && roles.has('name') ? [{ row, values }] : []
  })
}

/** A label such as 家庭成员, merged downwards, covers the rows next to it. */
function isInOtherSection(grid: Grid, row: number): boolean {
  return grid.merges.some(
    ({ top, bottom, left }) => bottom > top && row >= top && row <= bottom && isOtherPersonLabel(getText(grid, top, left)),
  )
}
const isOtherPersonLabel = (text: string): boolean => {
  const plain = normalizeFormLabel(text)
  return plain.length <= 20 && (otherPersonPattern.test(plain) || otherSectionPattern.test(plain))
}

function readForm(grid: Grid, others: readonly boolean[], from: number, to: number) {
  const values = new Map<string, StoredValue>()
  const lines = new Set<number>()
  const existing = new Set<RosterRole>()
  for (let row = from; row < to; row++) {
    if (others[row]) continue
    const filled = getFilledColumns(grid, row)
    for (const column of filled) {
      const text = getText(grid, row, column)
      // In 紧急联系人 李四 联系电话 139…, the row belongs to the contact from here on.
      if (otherPersonPattern.test(normalizeFormLabel(text)) && isFormLabel(text)) break
      const [, label = text, behind] = inlineValuePattern.exec(text) ?? []
      const role = getFieldRole(label)
      if (role === null || existing.has(role)) continue
      const { at, text: valueCell } = behind === undefined ? getFieldValue(grid, row, column) : { at: column, text: behind }
      if (valueCell === '' || (behind === undefined && isFormLabel(valueCell))) continue
      existing.add(role)
      lines.add(row)
      values.set(getFieldLabel(label), behind ?? grid.rows[row]?.[at])
    }
  }
  return { values, lines: lines.size }
}

export function readForms(grids: readonly Grid[]): EmployeeForm[] {
  const forms: EmployeeForm[] = []
  for (const grid of grids) {
    if (grid.hidden) continue
    const part = forms.length
    forms.push(
      ...findForms(grid).map(({ row, values }, at) => ({
        sheet: grid.name,
        row: (part + at) * rowsPerSheet + row + 1,
        values,
      })),
    )
  }
  return forms.slice(0, maxForms)
}

/** Converts forms to a table: one row per form under all of their labels. */
export function formsToGrid(grid: Grid, forms: readonly EmployeeForm[]): Grid {
  // Different labels for the same role become one column.
  const byRole = new Map<RosterRole, string>()
  for (const { values } of forms)
    for (const label of values.keys()) {
      const role = getFieldRole(label)
      if (role && !byRole.has(role)) byRole.set(role, label)
    }
  const roles = [...byRole.keys()]
  const rows = forms.map(({ values }): StoredValue[] =>
    roles.map((role) => [...values].find(([label]) => getFieldRole(label) === role)?.[1] ?? null),
  )
  return {
    ...grid,
    rows: [[...byRole.values()], ...rows],
    marks: new Map(),
    merges: [],
    hidden_rows: new Set(),
    hidden_columns: new Set(),
  }
}
