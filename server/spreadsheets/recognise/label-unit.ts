/** The unit of amounts in a label: 基本工资（万元）, 奖金/千元. */

export type LabelUnit = 'yuan' | 'thousand' | 'wan'

const unitPattern =
  /\s*(?:[(（【[]\s*(?:人民币|(?:金额)?单位\s*[:：]?)?\s*([万萬千仟]元?|元)\s*(?:[/／][^)）】\]]{1,4})?[)）】\]]|[/／\s]([万萬千仟]元|元))\s*$/

export function getLabelUnit(path: readonly string[]): LabelUnit | undefined {
  for (const label of path.toReversed()) {
    const match = unitPattern.exec(label)
    const sign = (match?.[1] ?? match?.[2])?.[0]
    if (sign !== undefined) return sign === '元' ? 'yuan' : sign === '千' || sign === '仟' ? 'thousand' : 'wan'
  }
  return undefined
}

export const removeUnit = (label: string): string => label.replace(unitPattern, '') || label
