/**
 * Forms of one person each (员工登记表): labels with their values beside them, one a sheet or several below each other. They become the rows of one
 * roster. What stands in a form about somebody else (family, whom to call, who vouches for him) is nobody's who works here.
 */
import { rows_a_part } from '../../../contract/sheet/row-number.ts'
import { tidy } from '../../../rules/text.ts'
import { cellAt, filledColumns, type Grid, type Stored, textAt } from '../../grid.ts'
import { isPersonName } from '../../recognise/who.ts'
import { type RosterRole, rosterMeaningOf } from './words.ts'

/** A form is a page or two. */
const longest_form = 80
const most_forms = 2_000
/** A sheet without a form in so many rows is a table. */
const most_before = 200
/** Cells of a row of it: a header with blank rows below is wider. */
const widest_form = 14

export interface PersonForm {
  sheet: string
  /** As in a batch (`rows_a_part`): where the name stands. */
  row: number
  /** By label, in their order. */
  values: ReadonlyMap<string, Stored>
}

/** Of somebody beside the employee: in a label, or over a part of the form. */
const of_others = /紧急|应急|联系人|家庭|家属|亲属|社会关系|配偶|父亲|母亲|父母|子女|介绍人|推荐人|担保|证明人|监护|称谓/
/** Over a part of the form: what he did before, and what others write. */
const other_parts =
  /^(?:教育|学习|培训|工作|主要|以往|社会)(?:及|和|与|\/)?.{0,4}(?:经历|经验|履历|背景|情况|简历)|^(?:奖惩|声明|承诺|备注|附件|审批|面试|评价|员工签)/
const own_parts =
  /^(?:个人|基本|员工|本人|入职|岗位|任职|职位|联系|公司|人事|薪资|账户|证件)(?:及|与)?.{0,4}(?:信息|资料|情况|填写|方式)/
const relation = /^(?:与?(?:本人|员工)?(?:的)?关系|称谓|亲属关系)$/

/** What is written in it, of the one to whom it belongs. */
const own: ReadonlySet<RosterRole> = new Set<RosterRole>([
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
/** What only somebody who works here has, or what finds him. */
const telling: ReadonlySet<RosterRole> = new Set<RosterRole>([
  'mobile',
  'employee_no',
  'id_card',
  'department',
  'position',
  'entry_date',
])

const plainLabel = (text: string): string =>
  tidy(text)
    .replace(/[\s*＊]/g, '')
    .replace(/[:：;；]$/, '')
/** 入职部门 is the department. */
const fieldOf = (text: string): string => plainLabel(text).replace(/^(?:入职|拟任|聘用|录用|所在)(?=部门|岗位|职位|职务)/, '')
const roleOf = (text: string): RosterRole | null => {
  const plain = fieldOf(text)
  if (plain === '' || plain.length > 20 || /^\d+$/.test(plain)) return null
  const { role, sure } = meaningOf(plain)
  return sure > 1 && own.has(role) ? role : null
}
type Meaning = ReturnType<typeof rosterMeaningOf>
/** In a sheet the same few words stand again and again, and each of them is asked for several times. */
const meanings = new Map<string, Meaning>()
const most_meanings = 5_000
function meaningOf(plain: string): Meaning {
  const known = meanings.get(plain)
  if (known) return known
  const found = rosterMeaningOf([plain])
  if (meanings.size >= most_meanings) meanings.clear()
  meanings.set(plain, found)
  return found
}
/** Whether a cell names something, of whomever: then it is no value of the label before it. */
const labels =
  /^(?:性别|民族|籍贯|婚姻状况|婚否|政治面貌|学历|最高学历|专业|毕业院校|毕业学校|毕业时间|出生年月|出生日期|年龄|身高|体重|血型|户口性质|户籍地址|户口所在地|现住址|现居住地址|家庭住址|住址|地址|邮编|邮政编码|照片|相片|贴照片处|健康状况|身体状况|特长|爱好|外语水平|职称|工作单位|单位|职业|关系|与本人关系|称谓|年龄|联系电话|备注|合同期限|试用期|转正日期|直接上级|开户行|签名|日期|qq|微信|微信号)$/i
const isLabel = (text: string): boolean => {
  const plain = plainLabel(text)
  return plain !== '' && (labels.test(plain) || of_others.test(plain) || meaningOf(plain).sure > 1)
}

/** Where a merged cell ends to the right. */
function rightOf(grid: Grid, row: number, column: number): number {
  const merged = grid.merges.find(
    ({ top, bottom, left, right }) => row >= top && row <= bottom && column >= left && column <= right,
  )
  return merged?.right ?? column
}
/** The value of a label: behind it, or behind the colon in the same cell. */
function valueOf(grid: Grid, row: number, column: number): { at: number; text: string } {
  const at = rightOf(grid, row, column) + 1
  return { at, text: textAt(grid, row, at) }
}

const inOneCell = /^([^:：]{1,12})[:：]\s*(.+)$/s

/**
 * 姓名 with somebody's name beside it, and a label or nothing below: in a table somebody stands there. What the label says is asked last: few cells of a
 * long table have a name beside them.
 */
function isStart(grid: Grid, row: number, column: number): boolean {
  const text = textAt(grid, row, column)
  const [, label = text, behind] = inOneCell.exec(text) ?? []
  if (behind !== undefined) return behind.length <= 20 && roleOf(label) === 'name' && !isLabel(behind)
  // 研发2组 beside somebody's post: no label of a name has a number in it (1、姓名 has one before it), and in a table many rows have such a cell.
  if (/\p{L}.*\d/u.test(label)) return false
  const { at, text: name } = valueOf(grid, row, column)
  if (name === '' || name.length > 20 || !isPersonName(cellAt(grid, row, at)) || roleOf(label) !== 'name') return false
  const under = textAt(grid, row + 1, column)
  if (under !== '' && !isLabel(under) && !isOthers(under) && !own_parts.test(plainLabel(under))) return false
  return !isLabel(name)
}

const title = /(?:登记|信息|资料|履历|档案|入职)(?:登记)?[表卡]$/
/** Of him alone: his family has them in no form. */
const his_own: ReadonlySet<RosterRole> = new Set<RosterRole>(['employee_no', 'id_card', 'department', 'position', 'entry_date'])
/** By row: whether it speaks of somebody else, or of his past. `beginning`: the rows where a form may begin. */
function othersIn(grid: Grid, beginning: ReadonlySet<number>): boolean[] {
  let others = false
  return Array.from({ length: grid.rows.length }, (_, row) => {
    const filled = filledColumns(grid, row)
    const texts = filled.map((column) => textAt(grid, row, column))
    const [first = ''] = texts
    const isHeading = new Set(texts).size === 1
    const isRelated = texts.some((text) => relation.test(plainLabel(text)))
    const roles = beginning.has(row) && !isRelated ? texts.map((text) => roleOf(inOneCell.exec(text)?.[1] ?? text)) : []
    const begins = roles.includes('name') && (roles.includes('gender') || roles.some((role) => role && his_own.has(role)))
    if (isHeading && (own_parts.test(plainLabel(first)) || title.test(plainLabel(first)))) others = false
    else if (isOthers(first) || isRelated) others = true
    else if (begins) others = false
    return others || isAmongOthers(grid, row)
  })
}

/** A pay slip names one person, too, and asks nothing of him. */
const paySlip = /工\s*资\s*[条单]|薪资[条单]|임\s*금\s*명\s*세|급여\s*명세|給与明細|pay ?slip/i
const isPaySlip = (grid: Grid): boolean =>
  [0, 1, 2].some((row) => filledColumns(grid, row).some((column) => paySlip.test(textAt(grid, row, column))))

/** The forms of a sheet, from above; none where it is a table. */
function formsIn(grid: Grid): { row: number; values: Map<string, Stored> }[] {
  const beginning = new Set<number>()
  for (let row = 0; row < grid.rows.length && (row < most_before || beginning.size > 0); row++)
    if (filledColumns(grid, row).some((column) => isStart(grid, row, column))) beginning.add(row)
  if (beginning.size === 0 || isPaySlip(grid)) return []
  const others = othersIn(grid, beginning)
  const starts = [...beginning]
    .filter((row) => !others[row] && filledColumns(grid, row).length <= widest_form)
    .slice(0, most_forms)
  const [first] = starts
  if (first === undefined) return []
  // 工号 over 姓名 belongs to him, and to nobody above: as in the first form, also where it is left blank there.
  const hasLabel = (row: number) =>
    filledColumns(grid, row).some((column) => {
      const text = textAt(grid, row, column)
      return roleOf(inOneCell.exec(text)?.[1] ?? text) !== null
    })
  const lead = [3, 2, 1].find((up) => first >= up && hasLabel(first - up)) ?? 0
  const from = (row: number) => row - lead
  return starts.flatMap((row, at) => {
    const next = starts[at + 1]
    const end = Math.min(next === undefined ? grid.rows.length : from(next), row + longest_form)
    const { values, lines } = readForm(grid, others, from(row), end)
    const roles = new Set([...values.keys()].map(roleOf))
    const isForm = lines > 1 && roles.size > 3 && [...roles].some((role) => role !== null && telling.has(role))
    return isForm && roles.has('name') ? [{ row, values }] : []
  })
}

/** 家庭成员, merged downwards, beside rows of its own. */
function isAmongOthers(grid: Grid, row: number): boolean {
  return grid.merges.some(
    ({ top, bottom, left }) => bottom > top && row >= top && row <= bottom && isOthers(textAt(grid, top, left)),
  )
}
const isOthers = (text: string): boolean => {
  const plain = plainLabel(text)
  return plain.length <= 20 && (of_others.test(plain) || other_parts.test(plain))
}

function readForm(grid: Grid, others: readonly boolean[], from: number, to: number) {
  const values = new Map<string, Stored>()
  const lines = new Set<number>()
  const known = new Set<RosterRole>()
  for (let row = from; row < to; row++) {
    if (others[row]) continue
    const filled = filledColumns(grid, row)
    for (const column of filled) {
      const text = textAt(grid, row, column)
      // 紧急联系人 李四 联系电话 139…: from here on the row is his.
      if (of_others.test(plainLabel(text)) && isLabel(text)) break
      const [, label = text, behind] = inOneCell.exec(text) ?? []
      const role = roleOf(label)
      if (role === null || known.has(role)) continue
      const { at, text: beside } = behind === undefined ? valueOf(grid, row, column) : { at: column, text: behind }
      if (beside === '' || (behind === undefined && isLabel(beside))) continue
      known.add(role)
      lines.add(row)
      values.set(fieldOf(label), behind ?? grid.rows[row]?.[at])
    }
  }
  return { values, lines: lines.size }
}

/** All forms of a file. */
export function formsOf(grids: readonly Grid[]): PersonForm[] {
  const forms: PersonForm[] = []
  for (const grid of grids) {
    if (grid.hidden) continue
    const part = forms.length
    forms.push(
      ...formsIn(grid).map(({ row, values }, at) => ({
        sheet: grid.name,
        row: (part + at) * rows_a_part + row + 1,
        values,
      })),
    )
  }
  return forms.slice(0, most_forms)
}

/** The forms as a table: a row each under all their labels. */
export function laidOut(grid: Grid, forms: readonly PersonForm[]): Grid {
  // One role under several words is one column.
  const byRole = new Map<RosterRole, string>()
  for (const { values } of forms)
    for (const label of values.keys()) {
      const role = roleOf(label)
      if (role && !byRole.has(role)) byRole.set(role, label)
    }
  const roles = [...byRole.keys()]
  const rows = forms.map(({ values }): Stored[] =>
    roles.map((role) => [...values].find(([label]) => roleOf(label) === role)?.[1] ?? null),
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
