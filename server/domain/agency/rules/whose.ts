/** Whose rows stand in a sheet of several companies. Only a name that is exactly one company's says it; everything else is a question. Pure. */
import { personRoles } from '../../../contract/sheet/column-roles.ts'

/** A company that an agency serves, may serve no more, or has asked to serve; by the name it goes by. */
export type ServedLink = {
  readonly corp_id: string | null
  readonly name: string
  /** It lets the agency in now. */
  readonly open: boolean
}
export type Whose =
  | { readonly corp_id: string; readonly why: null }
  | { readonly corp_id: null; readonly why: 'nameless' | 'unknown' | 'several' | 'closed' }

/** Full width and half, brackets and blanks are the same; nothing else is. */
export const plainCompany = (name: string): string => name.normalize('NFKC').replace(/\s+/g, '').toLowerCase()

export function whose(label: string, links: readonly ServedLink[]): Whose {
  const plain = plainCompany(label)
  if (plain === '') return { corp_id: null, why: 'nameless' }
  const same = links.filter(({ name }) => plainCompany(name) === plain)
  const corps = new Set(same.map(({ corp_id }) => corp_id))
  if (corps.size > 1) return { corp_id: null, why: 'several' }
  const [one] = same
  if (!one) return { corp_id: null, why: 'unknown' }
  return one.corp_id !== null && one.open ? { corp_id: one.corp_id, why: null } : { corp_id: null, why: 'closed' }
}

type Column = { readonly key: string; readonly label: string; readonly role: string }
type Row = { readonly cells: Readonly<Record<string, { readonly value: string }>> }
/** A department may well be called as a company is; what else tells a person is no company's name. */
const never: ReadonlySet<string> = new Set([...personRoles].filter((role) => role !== 'department'))
const called =
  /^(?:所属|用工|服务|客户|签约|发薪|派遣|委托)?(?:公司|单位|企业)(?:名称|全称)?$|法人(?:主体|单位)|(?:用工|发薪|合同)主体/

/** The column that says whose a row is: the one in which most rows name a company of ours, else one that is called so. */
export function companyColumn(columns: readonly Column[], rows: readonly Row[], links: readonly ServedLink[]): Column | null {
  const names = new Set(links.map(({ name }) => plainCompany(name)))
  let [best, most]: [Column | null, number] = [null, 0]
  for (const column of columns) {
    if (never.has(column.role)) continue
    const met = rows.filter(({ cells }) => names.has(plainCompany(cells[column.key]?.value ?? ''))).length
    if (met > most) [best, most] = [column, met]
  }
  return best ?? columns.find(({ label, role }) => !never.has(role) && called.test(label.replace(/\s/g, ''))) ?? null
}

/** The first row of a sheet that is one company's by its name and says in a column that it is another's of ours; null where all agree. */
export function rowOfAnother(
  sheet: string,
  { columns, rows }: { readonly columns: readonly Column[]; readonly rows: readonly (Row & { readonly row: number })[] },
  links: readonly ServedLink[],
): { readonly row: number; readonly says: string } | null {
  const ours = new Set(links.map(({ name }) => plainCompany(name)))
  const own = plainCompany(sheet)
  if (!ours.has(own)) return null
  for (const { key, role } of columns) {
    if (never.has(role)) continue
    for (const { row, cells } of rows) {
      const says = (cells[key]?.value ?? '').trim()
      const plain = plainCompany(says)
      if (plain !== own && ours.has(plain)) return { row, says }
    }
  }
  return null
}
