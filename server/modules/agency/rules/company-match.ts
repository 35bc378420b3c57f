/**
 * Assigns the rows of a wage sheet with several companies. Only a name that matches exactly one company decides;
 * everything else becomes a question. Pure.
 */
import { isDepartment, memberRoles } from '../../../contract/sheets/column-roles.ts'

/** A company that an agency serves, has served or has asked to serve, with its name. */
export type ServedCompany = {
  readonly corp_id: string | null
  readonly name: string
  /** The company currently grants the agency access. */
  readonly isOpen: boolean
}
export type CompanyMatch =
  | { readonly corp_id: string; readonly reason: null }
  | { readonly corp_id: null; readonly reason: 'nameless' | 'unknown' | 'several' | 'closed' }

/** Treats full-width and half-width characters, brackets and spaces as equal, and nothing else. */
export const normalizeCompanyName = (name: string): string => name.normalize('NFKC').replace(/\s+/g, '').toLowerCase()

export function matchCompany(label: string, companies: readonly ServedCompany[]): CompanyMatch {
  const normalized = normalizeCompanyName(label)
  if (normalized === '') return { corp_id: null, reason: 'nameless' }
  const same = companies.filter(({ name }) => normalizeCompanyName(name) === normalized)
  const corps = new Set(same.map(({ corp_id }) => corp_id))
  if (corps.size > 1) return { corp_id: null, reason: 'several' }
  const [one] = same
  if (!one) return { corp_id: null, reason: 'unknown' }
  return one.corp_id !== null && one.isOpen ? { corp_id: one.corp_id, reason: null } : { corp_id: null, reason: 'closed' }
}

type SheetColumn = { readonly key: string; readonly label: string; readonly role: string }
type SheetRow = { readonly cells: Readonly<Record<string, { readonly value: string }>> }
/** A department may have the same name as a company; other columns that identify a member never contain a company name. */
const identityRoles: ReadonlySet<string> = new Set([...memberRoles].filter((role) => !isDepartment(role)))
const companyHeaderPattern =
  /^(?:所属|用工|服务|客户|签约|发薪|派遣|委托)?(?:公司|单位|企业)(?:名称|全称)?$|法人(?:主体|单位)|(?:用工|发薪|合同)主体/

/**
 * Finds the column that names the company of each row: the one in which most rows name a served company, otherwise one
 * with a matching header.
 */
export function findCompanyColumn(
  columns: readonly SheetColumn[],
  rows: readonly SheetRow[],
  companies: readonly ServedCompany[],
): SheetColumn | null {
  const names = new Set(companies.map(({ name }) => normalizeCompanyName(name)))
  let [best, bestCount]: [SheetColumn | null, number] = [null, 0]
  for (const column of columns) {
    if (identityRoles.has(column.role)) continue
    const count = rows.filter(({ cells }) => names.has(normalizeCompanyName(cells[column.key]?.value ?? ''))).length
    if (count > bestCount) [best, bestCount] = [column, count]
  }
  return (
    best ??
    columns.find(({ label, role }) => !identityRoles.has(role) && companyHeaderPattern.test(label.replace(/\s/g, ''))) ??
    null
  )
}

/**
 * Finds the first row that names another served company in a sheet whose name belongs to one company; null where all
 * rows agree.
 */
export function findForeignRow(
  sheet: string,
  {
    columns,
    rows,
  }: { readonly columns: readonly SheetColumn[]; readonly rows: readonly (SheetRow & { readonly row: number })[] },
  companies: readonly ServedCompany[],
): { readonly row: number; readonly says: string } | null {
  const existingNames = new Set(companies.map(({ name }) => normalizeCompanyName(name)))
  const sheetName = normalizeCompanyName(sheet)
  if (!existingNames.has(sheetName)) return null
  for (const { key, role } of columns) {
    if (identityRoles.has(role)) continue
    for (const { row, cells } of rows) {
      const says = (cells[key]?.value ?? '').trim()
      const normalized = normalizeCompanyName(says)
      if (normalized !== sheetName && existingNames.has(normalized)) return { row, says }
    }
  }
  return null
}
