/**
 * Builds the shortest names that distinguish the columns of a wage sheet. A sheet with two header rows has 单位 and 个人
 * under each insurance: the last label alone would produce four lines named 个人 on a payslip. Does not import the schema
 * library, so that the spreadsheet child process can use it.
 */
import type { ColumnRole } from '../shared/schemas.ts'
import { isIgnored, isInfo } from './column-roles.ts'

export type NamedColumn = {
  readonly key: string
  /** Header cells from top to bottom. */
  readonly path: readonly string[]
  readonly label: string
  readonly col: string
  readonly role: ColumnRole
}

/** The payer: written in brackets after the item. */
const payer =
  /^(?:由?(?:单位|公司|企业|雇主|个人|职工|员工|本人|雇员))(?:部分|承担|缴纳|缴费|应缴|缴存|缴|负担|扣款|扣缴|代扣|支付|自付)?(?:部分|金额)?$/
/** Labels that mean nothing without the label above them. */
const generic =
  /^(?:金额|数额|小计|合计|总计|共计|标准|基数|比例|费率|税率|单价|系数|数量|次数?|天数?|日数|小?时数?|工时|时长|小时数|分钟数?|分|倍数?|倍率|人数|件数?|个数|本月|上月|累计|应扣|实扣|应缴|实缴|%|h|hrs?|hours?|days?|rate|qty|quantity|count|times|amount|amt|total)$/i
/** Units in labels are removed, because amounts are shown in yuan whatever the unit of the sheet. */
const bigUnit = /\s*(?:[(（【[]\s*(?:人民币|(?:金额)?单位\s*[:：]?)?\s*(?:万元|千元|万|千)\s*[)）】\]]|[/／\s](?:万元|千元))\s*$/

const isGeneric = (part: string): boolean => payer.test(part) || generic.test(part)

/** Returns names by column key. Columns with identical labels from top to bottom get the same name. */
export function getColumnNames(columns: readonly NamedColumn[]): ReadonlyMap<string, string> {
  const paths = new Map(columns.map((column) => [column.key, getFields(column)]))
  const byLeaf = Map.groupBy(columns, ({ key }) => paths.get(key)?.at(-1) ?? '')
  return new Map(
    columns.map((column) => {
      const sections = paths.get(column.key) ?? []
      const others = (byLeaf.get(sections.at(-1) ?? '') ?? []).flatMap(({ key }) =>
        key === column.key ? [] : [paths.get(key) ?? []],
      )
      const name = joinFields(findShortest(sections, others)) || column.label || `${column.col} 列`
      // A lone surrogate cannot be stored.
      return [column.key, name.slice(0, 60).replace(/[\ud800-\udfff]$/u, '')]
    }),
  )
}

function getFields({ path, role }: NamedColumn): string[] {
  const sections = path.map((part) => part.trim()).filter((part) => part !== '')
  return isInfo(role) || isIgnored(role) ? sections : sections.map((part) => part.replace(bigUnit, '') || part)
}

/** Returns the fewest labels, nearest first, that distinguish the column from all others with the same last label. */
function findShortest(sections: readonly string[], others: readonly (readonly string[])[]): readonly string[] {
  const leaf = sections.at(-1)
  if (leaf === undefined) return []
  const above = sections.slice(0, -1).toReversed()
  const isPlain = sections.every(isGeneric)
  for (const selected of subsets(above)) {
    const some = [leaf, ...selected]
    if (!isPlain && some.every(isGeneric)) continue
    if (others.some((other) => selected.every((part) => other.slice(0, -1).includes(part)))) continue
    return [...selected.toReversed(), leaf]
  }
  // Nothing distinguishes the column, so its name is as short as possible.
  return isGeneric(leaf) ? sections : [leaf]
}

/** Lists the subsets by size: none, one, two, …; nearer labels before those further up. */
function subsets(above: readonly string[]): string[][] {
  const matches: string[][] = [[]]
  for (const part of above.slice(0, 5)) matches.push(...matches.map((some) => [...some, part]))
  return matches.toSorted((a, b) => a.length - b.length)
}

function joinFields(sections: readonly string[]): string {
  const payers = sections.filter((part) => payer.test(part))
  const rest = sections.filter((part) => !payer.test(part))
  if (rest.length === 0 || payers.length === 0) return sections.join(' ')
  return `${rest.join(' ')}（${payers.join(' ')}）`
}
