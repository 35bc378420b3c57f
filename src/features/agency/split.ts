/** Splitting a sheet of several companies: which part goes to which company, one upload after the other. */

import type { splitSheet } from '../../../server/contract/agency/agency.ts'
import type { CallOutput } from '../../../server/contract/call.ts'

export type SplitResult = CallOutput<typeof splitSheet>
export type SplitSection = SplitResult['sections'][number]
/** The companies that the user assigned to parts, by label. */
export type CompanyAssignments = Readonly<Record<string, string>>
export type CompanyUpload = {
  readonly key: string
  readonly corp_id: string
  readonly name: string
  readonly labels: readonly string[]
  readonly rows: number
}

export const splitReasonLabels = {
  nameless: '不上传；请在表里补上企业名称，再重新选择',
  unknown: '企业列表里没有这个名称',
  several: '有几家企业都叫这个名称',
  closed: '这家企业没有授权，或授权已到期，不上传',
} as const
export const canAssignCompany = ({ reason }: SplitSection): boolean => reason === 'unknown' || reason === 'several'

/** Groups the parts by company. Sheets are uploaded one by one for their own columns; rows split by a column together. */
export function groupByCompany(
  { by, sections, served_companies }: SplitResult,
  assignments: CompanyAssignments,
): CompanyUpload[] {
  const names = new Map(served_companies.map(({ corp_id, name }) => [corp_id, name]))
  const uploads = new Map<string, CompanyUpload>()
  for (const section of sections) {
    const corp_id = section.corp_id ?? (canAssignCompany(section) ? assignments[section.label] : undefined)
    const name = corp_id === undefined ? undefined : names.get(corp_id)
    if (corp_id === undefined || name === undefined) continue
    const key = by === 'sheet' ? `${corp_id} ${section.label}` : corp_id
    const existing = uploads.get(key)
    const [labels, rows] = [[...(existing?.labels ?? []), section.label], (existing?.rows ?? 0) + section.rows]
    uploads.set(key, { key, corp_id, name, labels, rows })
  }
  return [...uploads.values()]
}
