/** What each column of a roster is for: by what stands over it, and where that leaves it open by what stands in it. */
import { type Grid, getCell, getText, toColumnLetters } from '../../grid.ts'
import { type ColumnProfile, profileColumn } from '../../recognise/column-profile.ts'
import type { Header } from '../../recognise/header.ts'
import { detectPathFormat, parseBankCard } from './cells.ts'
import { type DepartmentLabel, getDepartmentLabel } from './departments.ts'
import { getRosterLabelMeaning, isPastLabel, type RosterRole, splitLabel } from './labels.ts'
import { parseStatus } from './status.ts'

export interface RosterColumn {
  /** 0-based. */
  index: number
  /** As a spreadsheet names it. */
  letter: string
  /** `主要信息 / 手机号` */
  label: string
  role: RosterRole
  /** Of a department: 1 the largest. */
  rank?: number
}

/** Of a name, whole or in parts. */
export const isNameColumn = ({ role }: Pick<RosterColumn, 'role'>): boolean =>
  role === 'name' || role === 'given_name' || role === 'family_name'

interface RosterColumnDraft extends RosterColumn {
  certainty: number
  path: readonly string[]
  profile: ColumnProfile
}

const maxEmptyRowsBefore = 2

/** One column each; the others of the same kind only inform. */
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
  // 宣传部, merged over its people, stands left of the first label and has none.
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
  // 入职年 | 入职月 | 入职日: the day by itself is none, and nobody is kept out for it.
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

/** NAME beside SURNAME is the given one; a surname alone is all the name there is. Names under another label were found by the rows. */
function resolveNameColumns(drafts: RosterColumnDraft[], header: Header): void {
  const of = (role: RosterRole) => drafts.filter((draft) => draft.role === role)
  if (of('name').length === 0)
    for (const draft of drafts)
      if (header.meanings[draft.index - header.left]?.role === 'name' && draft.certainty === 0)
        Object.assign(draft, { role: 'name', certainty: 1 })
  const [family] = of('family_name')
  const [firstName] = of('given_name')
  // User Name and 昵称 are accounts where something else names the person, or where addresses stand in them.
  const isNamed = of('name').some(({ certainty }) => certainty > 1) || (family !== undefined && firstName !== undefined)
  for (const draft of of('name')) if (draft.certainty === 1 && isNamed) Object.assign(draft, { role: 'info', certainty: 0 })
  const [name] = of('name').toSorted((a, b) => b.certainty - a.certainty)
  if (family && !firstName && name) {
    for (const other of of('name')) if (other.certainty === name.certainty) other.role = 'info'
    name.role = 'given_name'
  } else if (!name && (family === undefined) !== (firstName === undefined))
    Object.assign(family ?? firstName ?? {}, { role: 'name' })
}

/** A column whose label says nothing and that holds nothing but phones. */
function resolveByValues(drafts: RosterColumnDraft[]): void {
  const kinds = [
    ['mobile', 'mobiles'],
    ['id_card', 'id_cards'],
    ['email', 'emails'],
  ] as const
  for (const [role, count] of kinds) {
    if (drafts.some((draft) => draft.role === role)) continue
    const phoneColumns = drafts.find(({ certainty, profile, label, path }) => {
      const isOpen = certainty === 0 && (path.length === 0 || getRosterLabelMeaning(path).isOpen === true)
      return isOpen && label.length < 30 && profile[count] > 1 && profile[count] * 10 >= profile.filled * 8
    })
    if (phoneColumns) Object.assign(phoneColumns, { role, certainty: 1 })
  }
}

/** 财务部, 一车间 … without a label, where no label says where people work. */
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

/** 状态 may be that of anything: it is the person's where at least one of its words says whether somebody works here. */
function resolveStatusColumns(drafts: RosterColumnDraft[], grid: Grid, people: readonly number[]): void {
  for (const draft of drafts) {
    if (draft.role !== 'status' || draft.certainty > 1) continue
    const texts = new Set(people.map((row) => getText(grid, row, draft.index)))
    const isExisting = [...texts].some((text) => ['active', 'left'].includes(parseStatus(text, draft.label) ?? ''))
    if (!isExisting) Object.assign(draft, { role: 'info', certainty: 0 })
  }
}

/** Mr and Ms under Title are no position. */
const salutationPattern = /^(?:mr|mrs|ms|miss|mx|dr|prof|先生|女士|小姐)\.?$/i
function resolveTitleColumns(drafts: RosterColumnDraft[]): void {
  for (const draft of drafts) {
    const { samples } = draft.profile
    if (draft.role === 'position' && samples.length > 0 && samples.every((text) => salutationPattern.test(text)))
      Object.assign(draft, { role: 'info', certainty: 0 })
  }
}

/** Numbers of identity cards are nobody's number of the house, whatever stands over them; cards of a bank are no department. */
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

/** 编号 and id number the rows, or a database, as often as people: only where they do not count and no account stands beside them. */
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

/** Accounts of a passbook, of a wallet, or numbers that a spreadsheet has cut: nobody is kept out of the roster because of a column of them. */
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
 * 公司, 门店 or 项目部 left of the department, where there are several: the 财务部 of two companies are two. One that is the same for everybody says
 * nothing.
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

/** One column with a way in each cell, or one a level, from the largest. */
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
  // 所属部门 may hold the number of a department whose name stands under 部门名称.
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
