/**
 * What is known about each column role, once. Code asks this table and the predicates below, and compares a role with
 * no literal (a rule of `tests/architecture`), so that a new role is one entry here and its labels in
 * `server/spreadsheets/recognise/synonyms.ts`. Does not import the schema library, so that pages and the spreadsheet
 * child process can use it.
 */

type ColumnRoleDescriptor = {
  readonly label: string
  /** Whether it identifies the employee of a row, is other data of the employee, or neither. */
  readonly person: 'identity' | 'data' | 'none'
  /** `item`: counts by itself. `total`: net or gross. `subtotal`: displayed, but never counted again. */
  readonly amount: 'item' | 'total' | 'subtotal' | 'none'
  /** What it does to net pay. `employer`: paid on top of it. */
  readonly side: 'adds' | 'deducts' | 'employer' | 'none'
  /** How many columns have it. `usually one`: two columns with it in two months are the same, whatever their labels. */
  readonly columns: 'one' | 'usually one' | 'many'
  /** The group on the payslip. `by label`: a subtotal stands with what it sums up. Null: above all groups. */
  readonly group: 'earning' | 'deduction' | 'employer' | 'other' | 'by label' | null
  /** Whether a new layout leaves it out. */
  readonly isHidden: boolean
  /** The general role that this one makes more precise: what is stored with the general one remains right. */
  readonly refines?: 'deduction'
  /** Shown instead of an employee's data. */
  readonly sample?: string
}

const personal = { amount: 'none', side: 'none', columns: 'one', group: 'other' } as const
const item = { person: 'none', amount: 'item' } as const
const deduction = { ...item, side: 'deducts', group: 'deduction', isHidden: false } as const
const total = { person: 'none', amount: 'total', isHidden: false } as const
const other = { person: 'none', amount: 'none', side: 'none', columns: 'many', group: 'other' } as const

/** In the order in which the user chooses from them. */
export const columnRoles = {
  name: { ...personal, label: '姓名', person: 'identity', isHidden: true, sample: '张三（示例）' },
  last_name: { ...personal, label: '姓', person: 'identity', isHidden: true },
  first_name: { ...personal, label: '名', person: 'identity', isHidden: true },
  mobile: { ...personal, label: '手机号', person: 'identity', isHidden: true, sample: '138****0000' },
  id_card: { ...personal, label: '身份证号', person: 'identity', isHidden: true, sample: '110***********0000' },
  employee_no: { ...personal, label: '工号', person: 'identity', isHidden: false },
  department: { ...personal, label: '部门', person: 'data', isHidden: false },
  email: { ...personal, label: '邮箱', person: 'data', isHidden: true },
  bank_account: { ...personal, label: '银行卡号', person: 'data', isHidden: true },
  /** The account on a chat platform. */
  platform_account: { ...personal, label: '办公平台账号', person: 'data', isHidden: true },
  earning: { ...item, label: '应发项', side: 'adds', columns: 'many', group: 'earning', isHidden: false },
  deduction: { ...deduction, label: '扣款项', columns: 'many' },
  /** The member's fee, deducted from pay; 工会经费 is paid by the employer. */
  union_fee: { ...deduction, label: '工会费', columns: 'usually one', refines: 'deduction' },
  tax: { ...deduction, label: '个税', columns: 'usually one' },
  employer: { ...item, label: '公司承担', side: 'employer', columns: 'many', group: 'employer', isHidden: true },
  gross: { ...total, label: '应发合计', side: 'adds', columns: 'usually one', group: 'earning' },
  net: { ...total, label: '实发', side: 'none', columns: 'one', group: null },
  subtotal: { ...total, label: '小计', amount: 'subtotal', side: 'none', columns: 'many', group: 'by label' },
  info: { ...other, label: '说明', isHidden: false },
  ignore: { ...other, label: '不导入', isHidden: true },
} as const satisfies Record<string, ColumnRoleDescriptor>

export type ColumnRole = keyof typeof columnRoles
type RolesWith<Property extends keyof ColumnRoleDescriptor, Value> = {
  [Role in ColumnRole]: (typeof columnRoles)[Role][Property & keyof (typeof columnRoles)[Role]] extends Value ? Role : never
}[ColumnRole]
export type MemberRole = RolesWith<'person', 'identity' | 'data'>
export type AmountRole = RolesWith<'amount', 'item' | 'total' | 'subtotal'>

export const columnRoleNames = Object.keys(columnRoles) as [ColumnRole, ...ColumnRole[]]

type MaybeRole = ColumnRole | undefined
const describe = (role: MaybeRole): ColumnRoleDescriptor | undefined => role && columnRoles[role]
const is =
  <Role extends ColumnRole>(one: Role) =>
  (role: MaybeRole): role is Role =>
    role === one

// Roles that are special by themselves

export const isName = is('name')
export const isLastName = is('last_name')
export const isFirstName = is('first_name')
export const isMobile = is('mobile')
export const isIdCard = is('id_card')
export const isEmployeeNo = is('employee_no')
export const isDepartment = is('department')
export const isBankAccount = is('bank_account')
export const isNet = is('net')
export const isGross = is('gross')
export const isTax = is('tax')
export const isSubtotal = is('subtotal')
export const isInfo = is('info')
export const isIgnored = is('ignore')

// Roles by what the table says of them

/** The column by which a row is called: the whole name, or else the last name. */
export const isLeadingName = (role: MaybeRole): boolean => isName(role) || isLastName(role)
export const isAnyName = (role: MaybeRole): boolean => isLeadingName(role) || isFirstName(role)
/** A pay item that adds to gross or net pay. */
export const isEarning = (role: MaybeRole): boolean => isPayItem(role) && describe(role)?.side === 'adds'
export const isDeductionOrTax = (role: MaybeRole): boolean => isPayItem(role) && describe(role)?.side === 'deducts'
export const isDeduction = (role: MaybeRole): boolean => isDeductionOrTax(role) && !isTax(role)
export const isEmployerCost = (role: MaybeRole): boolean => describe(role)?.side === 'employer'
/** Counts by itself, unlike gross, net and subtotals. */
export const isPayItem = (role: MaybeRole): boolean => describe(role)?.amount === 'item'
/** A pay item that net pay consists of. */
export const isNetItem = (role: MaybeRole): boolean => isEarning(role) || isDeductionOrTax(role)
export const isTotal = (role: MaybeRole): role is RolesWith<'amount', 'total'> => describe(role)?.amount === 'total'

export const getSampleText = (role: ColumnRole): string => describe(role)?.sample ?? '示例'

const generalItems = { adds: 'earning', deducts: 'deduction' } as const
/** Returns the role of a pay item that is proven to be on this side: the role itself if it is, else the general one. */
export const toPayItemOfSide = (role: ColumnRole, side: keyof typeof generalItems): ColumnRole =>
  isPayItem(role) && describe(role)?.side === side ? role : generalItems[side]

/** Returns the general role of a more precise one, and every other role as it is. */
export const getGeneralRole = (role: ColumnRole): ColumnRole => describe(role)?.refines ?? role

const selectRoles = (matches: (one: ColumnRoleDescriptor) => boolean): ReadonlySet<ColumnRole> =>
  new Set(columnRoleNames.filter((role) => matches(columnRoles[role])))

/** Roles that identify the employee of a row. */
export const identityRoles = selectRoles(({ person }) => person === 'identity')
/** Roles for data of the employee. */
export const memberRoles = selectRoles(({ person }) => person !== 'none')
/** Roles whose cells must be amounts. */
export const moneyRoles = selectRoles(({ amount }) => amount !== 'none')
/** Amounts that count individually and are compared with last month, item by item. */
export const comparedRoles = selectRoles(({ amount }) => amount === 'item' || amount === 'total')
/** Roles that at most one column may have. */
export const uniqueRoles = selectRoles(({ columns }) => columns === 'one')
/** Roles that at most one column has as a rule. */
export const usuallyUniqueRoles = selectRoles(({ columns }) => columns !== 'many')
/** What the user chooses from for a column of amounts. */
export const amountRoleChoices: readonly ColumnRole[] = columnRoleNames.filter(
  (role) => moneyRoles.has(role) || !memberRoles.has(role),
)

/** Returns the first unique role that two columns have; null if there is none. */
export function findDuplicateRole(columns: readonly { readonly role: ColumnRole }[]): ColumnRole | null {
  const viewed = new Set<ColumnRole>()
  for (const { role } of columns) {
    if (!uniqueRoles.has(role)) continue
    if (viewed.has(role)) return role
    viewed.add(role)
  }
  return null
}
