/** Labels for templates. */
import type { CallOutput } from '../../../../../server/contract/call.ts'
import type { getTemplateList, WageSheetInfo } from '../../../../../server/contract/sheets/sheet.ts'
import { formatMonth } from '../../../../components/value/dates.ts'

export type Template = CallOutput<typeof getTemplateList>['list'][number]

/** Formats the name of a template; an unnamed one is called after the pay run it was learned from. */
export const formatTemplateName = ({ name, title }: Pick<Template, 'name' | 'title'>): string =>
  name ?? (title ? `未命名（${title}）` : '未命名')

const maxLabels = 6
/** Formats 「姓名、工号、基本工资… 共 24 列」; labels below a group label are shortened to the last part. */
export function formatColumnSummary({ labels, column_count }: Pick<Template, 'labels' | 'column_count'>): string {
  const firstLabels = labels
    .slice(0, maxLabels)
    .map((label) => label.split(' / ').at(-1))
    .join('、')
  return column_count > Math.min(maxLabels, labels.length)
    ? `${firstLabels}… 共 ${column_count} 列`
    : `${firstLabels}，共 ${column_count} 列`
}

export const formatLastUse = ({ title, month }: Pick<Template, 'title' | 'month'>): string =>
  title ? `上次用于 ${title}` : month ? `上次用于 ${formatMonth(month)}` : '还没有用过'

/** Returns the template name stored for exactly this header; a different sheet becomes a template of its own. */
export function getSameHeaderTemplateName(remembered: WageSheetInfo['remembered']): string | null {
  if (!remembered?.name) return null
  const { fresh, missing, renamed } = remembered
  return fresh.length + missing.length + renamed.length === 0 ? remembered.name : null
}
