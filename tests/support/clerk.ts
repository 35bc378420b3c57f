/** A wage sheet as typed, the figures of an earlier one, and the texts on the page of issues. */

import type { ColumnRole } from '../../server/contract/shared/schemas.ts'
import type { Issue } from '../../server/contract/sheets/sheet.ts'
import type { CheckColumn, Formula } from '../../server/modules/sheets/rules/check/amount-issues.ts'
import type { CheckSheet } from '../../server/modules/sheets/rules/check/check-input.ts'
import { getFen, MemberAmounts, toPayItems } from '../../server/modules/sheets/rules/check/member-amounts.ts'
import { type PayrollMember, Roster } from '../../server/modules/sheets/rules/check/member-match.ts'
import { type CheckCompletion, SheetCheck } from '../../server/modules/sheets/rules/check/sheet-check.ts'
import type { RowCell } from '../../server/rules/amounts.ts'
import { getCardActions } from '../../src/features/sheets/check/card/issue-card.ts'
import { formatRowLabel, issueLabels, issueLevelLabels } from '../../src/features/sheets/check/issue-labels.ts'
import { nothingStored, staff, typed } from './check.ts'

const headings: Partial<Record<ColumnRole, string>> = {
  name: '姓名',
  mobile: '手机号',
  id_card: '身份证号',
  employee_no: '工号',
  department: '部门',
  bank_account: '银行卡号',
  platform_account: '企业微信账号 飞书用户ID 钉钉UserID',
  gross: '应发',
  net: '实发',
  tax: '个税',
  earning: '基本工资 岗位工资 奖金 补贴 加班费',
  deduction: '社保 公积金 养老保险 扣款',
  employer: '公司社保',
}
const roles = new Map(
  Object.entries(headings).flatMap(([role, labels]) => labels.split(' ').map((label) => [label, role as ColumnRole])),
)

type Grid = { readonly columns: readonly CheckColumn[]; readonly lines: readonly (string | RowCell)[][] }
/** Cells that have no text form: what Excel shows for a failed formula, and a number whose last digits it dropped. */
const odd: Record<string, RowCell> = {
  '#REF!': { value: '#REF!', kind: 'error' },
  没有结果: { value: '', kind: 'error', flaw: 'uncached' },
  丢了末尾: { value: '123456789012345680', kind: 'number', flaw: 'damaged' },
}

/** Parses `姓名 | 实发` and the rows below it. As in a file, the header is row 1. */
export function getGrid(text: string): Grid {
  const [head = [], ...rest] = text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return {
    columns: head.map((label, at) => ({ key: `c${at}`, label, role: roles.get(label) ?? 'info' })),
    lines: rest.map((cells) => cells.map((cell) => odd[cell] ?? cell)),
  }
}

/** Parses `实发 = 应发 − 社保`, or `实发 = 应发 − 社保，10 行中 8 行` if not every row fulfils it. */
export function getSum(text: string, columns: readonly CheckColumn[]): Formula {
  const [, target = '', sum = '', of = '9', holds = of] = /^(\S+) = ([^，]+)(?:，(\d+) 行中 (\d+) 行)?$/.exec(text) ?? []
  const getKey = (label: string) => columns.find((column) => column.label === label)?.key ?? `no column ${label}`
  const terms = [...sum.matchAll(/([+−])?\s*([^\s+−]+)/g)]
  const signed = (minus: boolean) => terms.flatMap(([, sign, label = '']) => ((sign === '−') === minus ? [getKey(label)] : []))
  return { plus: signed(false), minus: signed(true), net: getKey(target), holds: Number(holds), of: Number(of) }
}

/** A roster as a table. 情况: 离职, 不归我管, or empty for an active member in scope. */
const leavers: Readonly<Record<string, PayrollMember['termination']>> = {
  离职: { on: '2026-11-20', until: null, access: 'closed' },
  离职可看: { on: '2026-11-20', until: '2028-11-20', access: 'reads' },
  离职过期: { on: '2024-11-20', until: '2026-11-20', access: 'over' },
  离职没登录: { on: '2026-05-20', until: '2028-05-20', access: 'unproven' },
}

export function getRoster(text: string): PayrollMember[] {
  const { columns, lines } = getGrid(text)
  return lines.map((line, at) => {
    const format = (label: string) => {
      const cell = line[columns.findIndex((column) => column.label === label)]
      return typeof cell === 'string' ? cell : ''
    }
    return {
      id: `p${at}`,
      name: format('姓名'),
      mobile: format('手机号'),
      employee_no: format('工号'),
      id_card_index: format('身份证号') || null,
      bank_account_index: format('银行卡号') || null,
      platform_accounts: format('平台账号').split(' ').filter(Boolean),
      status: format('情况').startsWith('离职') ? 'left' : 'active',
      termination: leavers[format('情况')] ?? null,
      departments: format('部门'),
      departments_above: format('上级部门'),
      position: format('岗位'),
      entry_on: format('入职日期') || null,
      in_scope: format('情况') !== '不归我管',
    }
  })
}

/** Parses the amounts of an earlier batch; each line is matched with a roster member by name. */
export function getFigures(text: string, roster: readonly PayrollMember[]): MemberAmounts {
  const { columns, lines } = getGrid(text)
  const figures = new MemberAmounts()
  const items = toPayItems(columns)
  const places = figures.addItems(items.map(({ item }) => item))
  for (const line of lines) {
    const cells = typed(columns, line)
    const id = roster.find(({ name }) => name === line[0])?.id ?? `not in the roster: ${line[0]}`
    figures.add(
      id,
      places,
      items.map(({ column }) => getFen(cells, column.key)),
    )
  }
  return figures
}

export type Input = {
  readonly sheet: string
  readonly roster?: readonly PayrollMember[]
  readonly sum?: string
  /** The sum formula of last time's wage sheet. */
  readonly sumBefore?: string
  readonly subtotals?: readonly string[]
  readonly last?: string
  /** The previous pay of other members of the company, which the checking user may not view. */
  readonly others?: string
  readonly already?: readonly string[]
  readonly skipped?: readonly number[]
  /** Accepted issues by row as `kind:column`; row 0 is the whole wage sheet. */
  readonly accepted?: Readonly<Record<number, readonly string[]>>
  /** Maps rows to the member that an administrator selected. */
  readonly selected?: Readonly<Record<number, string>>
  readonly after?: Partial<CheckCompletion>
} & Partial<Omit<CheckSheet, 'columns' | 'formula' | 'expected' | 'subtotals' | 'accepted'>>

/** Returns a member for each name in a wage sheet, active and matched by phone. */
export const namedIn = ({ columns, lines }: Grid): PayrollMember[] => {
  const at = columns.findIndex(({ role }) => role === 'name')
  return staff([
    ...new Set(lines.map((line) => line[at]).filter((name): name is string => typeof name === 'string' && name !== '')),
  ])
}

export function getProblems(provided: Input): { problems: Issue[]; grid: Grid; check: ReturnType<SheetCheck['finish']> } {
  const { sheet, roster, sum, sumBefore, subtotals, last, others, already, skipped, accepted, selected, after, ...more } =
    provided
  const grid = getGrid(sheet)
  const people = roster ?? namedIn(grid)
  const { columns } = grid
  const check = new SheetCheck(
    {
      ...nothingStored,
      columns,
      formula: sum ? getSum(sum, columns) : null,
      expected: sumBefore ? getSum(sumBefore, columns) : null,
      subtotals: (subtotals ?? []).map((one) => {
        const { net, ...rest } = getSum(one, columns)
        return { key: net, ...rest, plus: [...rest.plus], minus: [...rest.minus] }
      }),
      accepted: accepted?.[0] ?? [],
      ...more,
    },
    {
      roster: new Roster(people),
      lastMonth: last ? getFigures(last, people) : null,
      alreadyPaid: new Set(people.filter(({ name }) => already?.includes(name)).map(({ id }) => id)),
      getIdCardIndex: (card) => card,
      getBankCardIndex: (card) => card,
    },
  )
  for (const [at, line] of grid.lines.entries()) {
    const row = at + 2
    const member_id = people.find(({ name }) => name === selected?.[row])?.id ?? null
    check.add({
      row,
      cells: typed(columns, line),
      member_id,
      skipped: skipped?.includes(row) ?? false,
      accepted: accepted?.[row] ?? [],
    })
  }
  if (others) check.compareWith(getFigures(others, people), true)
  const match = check.finish({ same_file: null, getEarlierAmounts: () => [], taxIssues: [], ...after })
  return { problems: match.issues, grid, check: match }
}

/** Returns the page's texts for an issue, from its heading to its buttons. */
export function asRead(problem: Issue, { columns, lines }: Grid): string {
  const column = columns.findIndex(({ key }) => key === problem.column)
  const cell = lines[problem.row - 2]?.[column]
  const value = typeof cell === 'object' ? cell.value : cell
  const visible = cell === undefined || (value && value === problem.name) ? '' : `（${columns[column]?.label} ${value || '空'}）`
  const who = problem.candidates.map(({ name, mobile_masked }) => `匹配此人：${name} ${mobile_masked}`)
  const buttons = [...who, ...getCardActions(problem).map(({ text }) => text)].join('｜')
  const where = `${formatRowLabel(problem.row, undefined)}${problem.name && ` ${problem.name}`}${visible}`
  return `${issueLevelLabels[problem.level]} ${issueLabels[problem.kind].name}：${where} ${problem.message} → ${buttons}`
}

/** Returns all texts that a payroll administrator reads about a wage sheet. */
export function getRead(provided: Input): string[] {
  const { problems, grid } = getProblems(provided)
  return problems.map((problem) => asRead(problem, grid))
}
