/** Whose rows stand in a sheet of several companies. Only a name that is exactly one company's says it; everything else is a question. Pure. */
import { memberRoles } from '../../../contract/sheets/column-roles.ts'

/** A company that an agency serves, may serve no more, or has asked to serve; by the name it goes by. */
export type ServedCompany = {
  readonly corp_id: string | null
  readonly name: string
  /** It lets the agency in now. */
  readonly isOpen: boolean
}
export type CompanyMatch =
  | { readonly corp_id: string; readonly reason: null }
  | { readonly corp_id: null; readonly reason: 'nameless' | 'unknown' | 'several' | 'closed' }

/** Full width and half, brackets and blanks are the same; nothing else is. */
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
/** A department may well be called as a company is; what else tells a person is no company's name. */
const identityRoles: ReadonlySet<string> = new Set([...memberRoles].filter((role) => role !== 'department'))
const companyHeaderPattern =
  /^(?:所属|用工|服务|客户|签约|发薪|派遣|委托)?(?:公司|单位|企业)(?:名称|全称)?$|法人(?:主体|单位)|(?:用工|发薪|合同)主体/

/** The column that says whose a row is: the one in which most rows name a company of ours, else one that is called so. */
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

/** The first row of a sheet that is one company's by its name and says in a column that it is another's of ours; null where all agree. */
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
