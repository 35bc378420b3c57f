/** Determines the role of each roster column by its label and, if that is ambiguous, by its values. */
import { isName } from '../../../contract/sheets/column-roles.ts'
import { type Grid, getCell, getText, toColumnLetters } from '../../grid.ts'
import { type ColumnProfile, profileColumn } from '../../recognise/column-profile.ts'
import type { Header } from '../../recognise/types.ts'
import { detectPathFormat, parseBankCard } from './cells.ts'
import { type DepartmentLabel, getDepartmentLabel } from './departments.ts'
import { getRosterLabelMeaning, isPastLabel, type RosterRole, splitLabel } from './labels.ts'
import { parseStatus } from './status.ts'

export interface RosterColumn {
  /** 0-based. */
  index: number
  /** The column letters of a spreadsheet. */
  letter: string
  /** `主要信息 / 手机号` */
  label: string
  role: RosterRole
  /** Level of a department column: 1 is the highest. */
  rank?: number
}

/** Returns whether the column contains a name or a part of it. */
export const isNameColumn = ({ role }: Pick<RosterColumn, 'role'>): boolean =>
  role === 'name' || role === 'given_name' || role === 'family_name'

interface RosterColumnDraft extends RosterColumn {
  certainty: number
  path: readonly string[]
  profile: ColumnProfile
}

const maxEmptyRowsBefore = 2

/** Roles of a single column; further columns of the same kind are informational. */
const uniqueRoles: readonly RosterRole[] = [
  'name',
  'given_name',
  'family_name',
  'mobile',
  'employee_no',
  'id_card',
  'bank_account',
  'position',
  'entry_date',
  'email',
  'status',
  'account',
  'gender',
  'birth_date',
]

export function recognizeRosterColumns(grid: Grid, header: Header, people: readonly number[]): RosterColumn[] {
  // A department such as 宣传部, merged over its members, is left of the first label and has no label.
  const before = Math.min(header.left, maxEmptyRowsBefore)
  const drafts = [...Array.from({ length: before }, (): string[] => []), ...header.paths].flatMap(
    (path, at): RosterColumnDraft[] => {
      const index = header.left - before + at
      const profile = profileColumn(grid, people, index)
      if (path.length === 0 && profile.filled === 0) return []
      const { role, certainty } = getRosterLabelMeaning(path)
      return [{ index, letter: toColumnLetters(index), label: path.join(' / '), path, role, certainty, profile }]
    },
  )
  resolveNameColumns(drafts, header)
  resolveByValues(drafts)
  resolveMisplacedColumns(drafts)
  resolveTitleColumns(drafts)
  resolveStatusColumns(drafts, grid, people)
  resolveUnlabeledDepartments(drafts)
  resolveNumberColumns(drafts)
  if (isPastLabel(drafts.map(({ label }) => label)))
    for (const draft of drafts) if (draft.role === 'entry_date') Object.assign(draft, { role: 'info', certainty: 0 })
  // 入职年 | 入职月 | 入职日: the day alone is not a date, and must not make rows invalid.
  for (const draft of drafts)
    if (draft.role === 'entry_date' && draft.profile.amounts === draft.profile.filled && draft.profile.filled > 0)
      if (draft.profile.largest <= 31) Object.assign(draft, { role: 'info', certainty: 0 })
  resolveAccountColumns(drafts, grid, people)
  keepOnePerRole(drafts)
  resolveDepartmentColumns(drafts, grid, people)
  const columns = drafts.filter(({ index, role }) => index >= header.left || role !== 'info')
  return columns.map(({ index, letter, label, role, rank }) => ({
    index,
    letter,
    label,
    role,
    ...(rank !== undefined && { rank }),
  }))
}

/**
 * NAME next to SURNAME is the given name; a surname alone is the entire name. Names under another label were found by
 * the row analysis.
 */
function resolveNameColumns(drafts: RosterColumnDraft[], header: Header): void {
  const of = (role: RosterRole) => drafts.filter((draft) => draft.role === role)
  if (of('name').length === 0)
    for (const draft of drafts)
      if (isName(header.meanings[draft.index - header.left]?.role) && draft.certainty === 0)
        Object.assign(draft, { role: 'name', certainty: 1 })
  const [family] = of('family_name')
  const [firstName] = of('given_name')
  // User Name and 昵称 are accounts if another column names the person, or if they contain e-mail addresses.
  const isNamed = of('name').some(({ certainty }) => certainty > 1) || (family !== undefined && firstName !== undefined)
  for (const draft of of('name')) if (draft.certainty === 1 && isNamed) Object.assign(draft, { role: 'info', certainty: 0 })
  const [name] = of('name').toSorted((a, b) => b.certainty - a.certainty)
  if (family && !firstName && name) {
    for (const other of of('name')) if (other.certainty === name.certainty) other.role = 'info'
    name.role = 'given_name'
  } else if (!name && (family === undefined) !== (firstName === undefined))
    Object.assign(family ?? firstName ?? {}, { role: 'name' })
}

/** Assigns roles to columns with an unknown label that contain only phones, ID card numbers or e-mail addresses. */
function resolveByValues(drafts: RosterColumnDraft[]): void {
  const kinds = [
    ['mobile', 'mobiles'],
    ['id_card', 'id_cards'],
    ['email', 'emails'],
  ] as const
  for (const [role, count] of kinds) {
    if (drafts.some((draft) => draft.role === role)) continue
    const phoneColumn = drafts.find(({ certainty, profile, label, path }) => {
      const isOpen = certainty === 0 && (path.length === 0 || getRosterLabelMeaning(path).isOpen === true)
      return isOpen && label.length < 30 && profile[count] > 1 && profile[count] * 10 >= profile.filled * 8
    })
    if (phoneColumn) Object.assign(phoneColumn, { role, certainty: 1 })
  }
}

/** Matches 财务部, 一车间 … in a column without a label, if no other label denotes departments. */
export const departmentNamePattern = /(?:部|处|科|室|组|中心|车间|公司|店|厂|所|院|局|队|班)$/
function resolveUnlabeledDepartments(drafts: RosterColumnDraft[]): void {
  if (drafts.some(({ role }) => role === 'department')) return
  const departmentColumn = drafts.find(
    ({ path, profile: { filled, texts, samples } }) =>
      path.length === 0 &&
      filled > 1 &&
      texts === filled &&
      samples.length > 0 &&
      samples.every((text) => departmentNamePattern.test(text)),
  )
  if (departmentColumn) Object.assign(departmentColumn, { role: 'department', certainty: 1 })
}

/** 状态 may be the status of anything: it is the employment status if at least one of its values says so. */
function resolveStatusColumns(drafts: RosterColumnDraft[], grid: Grid, people: readonly number[]): void {
  for (const draft of drafts) {
    if (draft.role !== 'status' || draft.certainty > 1) continue
    const texts = new Set(people.map((row) => getText(grid, row, draft.index)))
    const isExisting = [...texts].some((text) => ['active', 'left'].includes(parseStatus(text, draft.label) ?? ''))
    if (!isExisting) Object.assign(draft, { role: 'info', certainty: 0 })
  }
}

/** Salutations such as Mr and Ms under Title are not positions. */
const salutationPattern = /^(?:mr|mrs|ms|miss|mx|dr|prof|先生|女士|小姐)\.?$/i
function resolveTitleColumns(drafts: RosterColumnDraft[]): void {
  for (const draft of drafts) {
    const { samples } = draft.profile
    if (draft.role === 'position' && samples.length > 0 && samples.every((text) => salutationPattern.test(text)))
      Object.assign(draft, { role: 'info', certainty: 0 })
  }
}

/** ID card numbers are never employee numbers, regardless of the label; bank card numbers are not departments. */
function resolveMisplacedColumns(drafts: RosterColumnDraft[]): void {
  for (const draft of drafts) {
    const { filled, id_cards, bank_cards, mobiles } = draft.profile
    const isMostly = (count: number) => count > 0 && count * 10 >= filled * 8
    if (draft.role === 'employee_no' && isMostly(id_cards))
      Object.assign(
        draft,
        drafts.some(({ role }) => role === 'id_card') ? { role: 'info', certainty: 0 } : { role: 'id_card', certainty: 1 },
      )
    if (draft.role === 'department' && isMostly(id_cards + bank_cards + mobiles))
      Object.assign(draft, { role: 'info', certainty: 0 })
  }
}

/**
 * 编号 and id may number rows or database records instead of employees: they count only if they do not run consecutively
 * and there is no account column.
 */
function resolveNumberColumns(drafts: RosterColumnDraft[]): void {
  const hasAccount = drafts.some(({ role }) => role === 'account')
  for (const draft of drafts) {
    if (draft.role !== 'employee_no' || draft.certainty > 1) continue
    const { filled, distinct, counting, padded, cards } = draft.profile
    if (draft.label.endsWith('卡号') && cards * 10 >= filled * 8) {
      draft.role = 'bank_account'
      continue
    }
    const isOfPeople = filled > 0 && distinct === filled && !(counting && padded === 0)
    if (hasAccount || !isOfPeople) Object.assign(draft, { role: 'info', certainty: 0 })
  }
}

/** Passbook or wallet accounts, or numbers truncated by a spreadsheet, must not make rows of the roster invalid. */
function resolveAccountColumns(drafts: RosterColumnDraft[], grid: Grid, people: readonly number[]): void {
  for (const draft of drafts) {
    if (draft.role !== 'bank_account') continue
    const cells = people.map((row) =>
      parseBankCard(getText(grid, row, draft.index), getCell(grid, row, draft.index).damaged === true),
    )
    const read = cells.filter(({ value }) => value !== null).length
    const unread = cells.filter(({ error }) => error !== undefined).length
    if (read <= unread) Object.assign(draft, { role: 'info', certainty: 0 })
  }
}

function keepOnePerRole(drafts: RosterColumnDraft[]): void {
  for (const role of uniqueRoles) {
    const same = drafts.filter((draft) => draft.role === role)
    const [best] = same.toSorted(
      (a, b) => b.certainty - a.certainty || Number(b.profile.filled > 0) - Number(a.profile.filled > 0) || a.index - b.index,
    )
    for (const draft of same) if (draft !== best) draft.role = role === 'mobile' ? 'phone' : 'info'
  }
}

/**
 * 公司, 门店 or 项目部 left of the department, if it has several values: the 财务部 of two companies are two departments. A
 * column with a single value carries no information.
 */
const companyLabelPattern = /^(?:所[属在])?(?:公司|单位|工作单位|用工单位|门店|店铺|车间|项目部)(?:名称)?$/
function findParentColumn(
  drafts: RosterColumnDraft[],
  own: RosterColumnDraft | undefined,
  grid: Grid,
  people: readonly number[],
): RosterColumnDraft | undefined {
  return drafts.find(({ index, label, profile }) => {
    if (!own || index >= own.index || !companyLabelPattern.test(label) || profile.filled * 10 < people.length * 8) return false
    return new Set(people.map((row) => getText(grid, row, index)).filter((text) => text !== '')).size > 1
  })
}

/** Uses one column with a path in each cell, or one column per level, from the highest. */
function resolveDepartmentColumns(drafts: RosterColumnDraft[], grid: Grid, people: readonly number[]): void {
  const all = drafts.flatMap((draft) => {
    if (draft.role !== 'department') return []
    const department = draft.path
      .toReversed()
      .flatMap(splitLabel)
      .map(getDepartmentLabel)
      .find((departmentColumns) => departmentColumns !== null)
    return [{ draft, place: department ?? ({ rank: 50, certainty: 2, isLevel: false, isPath: false } satisfies DepartmentLabel) }]
  })
  for (const { draft } of all) draft.role = 'info'
  const isPath = ({ draft, place: department }: (typeof all)[number]) =>
    detectPathFormat(
      people.map((row) => getText(grid, row, draft.index)),
      department.isPath,
    ).stepSeparator !== null
  const sure = all.filter(({ place: department }) => department.certainty > 1)
  const numbered = sure.filter(({ place: department }) => department.isLevel)
  const pathColumn =
    sure.find(({ place: department }) => department.isPath) ??
    sure.find((one) => !one.place.isLevel && one.place.rank === 50 && isPath(one))
  // 所属部门 may contain the number of a department whose name is under 部门名称.
  const isCoded = ({ draft: { index } }: (typeof all)[number]) => {
    const texts = people.map((row) => getText(grid, row, index)).filter((text) => text !== '')
    return texts.length > 0 && texts.every((text) => /^[a-z]{0,3}[-_]?\d+$/i.test(text))
  }
  const own = sure
    .filter(({ place: department }) => department.rank === 50 && !department.isLevel)
    .toSorted((a, b) => Number(isCoded(a)) - Number(isCoded(b)) || b.place.certainty - a.place.certainty)
  const below = sure.filter(({ place: department }) => department.rank === 60)
  const above = sure.filter(({ place: department }) => department.rank === 20)
  const selected =
    numbered.length > 1
      ? [...numbered, ...below]
      : pathColumn
        ? [pathColumn]
        : sure.length > 0
          ? [...above, ...numbered, ...own.slice(0, 1), ...below]
          : all.toSorted((a, b) => Number(b.draft.profile.filled > 0) - Number(a.draft.profile.filled > 0)).slice(0, 1)
  const over =
    !pathColumn && numbered.length < 2 && own.length > 0 ? findParentColumn(drafts, own[0]?.draft, grid, people) : undefined
  if (over) selected.unshift({ draft: over, place: { rank: 1, certainty: 1, isLevel: false, isPath: false } })
  const places = selected.toSorted((a, b) => a.place.rank - b.place.rank || a.draft.index - b.draft.index)
  for (const [at, { draft }] of places.entries()) Object.assign(draft, { role: 'department', rank: at + 1 })
}
