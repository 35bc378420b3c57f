/** How a template is spoken of. */
import type { OutputOf } from '../../../../server/contract/call.ts'
import type { getTemplateList, SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import { monthName } from '../../../ui/value/dates.ts'

export type Template = OutputOf<typeof getTemplateList>['list'][number]

/** One that nobody named is called after the pay run it was learned from. */
export const templateName = ({ name, title }: Pick<Template, 'name' | 'title'>): string =>
  name ?? (title ? `未命名（${title}）` : '未命名')

const shown = 6
/** 「姓名、工号、基本工资… 共 24 列」; of labels with a group above them the last word. */
export function columnWords({ labels, columns }: Pick<Template, 'labels' | 'columns'>): string {
  const some = labels
    .slice(0, shown)
    .map((label) => label.split(' / ').at(-1))
    .join('、')
  return columns > Math.min(shown, labels.length) ? `${some}… 共 ${columns} 列` : `${some}，共 ${columns} 列`
}

export const lastUsed = ({ title, month }: Pick<Template, 'title' | 'month'>): string =>
  title ? `上次用于 ${title}` : month ? `上次用于 ${monthName(month)}` : '还没有用过'

/** The name that this very header has already; a sheet that differs from the one remembered becomes a template of its own. */
export function nameOfSameHeader(remembered: SheetInfo['remembered']): string | null {
  if (!remembered?.name) return null
  const { fresh, missing, renamed } = remembered
  return fresh.length + missing.length + renamed.length === 0 ? remembered.name : null
}
