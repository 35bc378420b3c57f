/** A sheet of several companies on its way: what goes where, one upload after the other. */
import type { OutputOf } from '../../../../server/contract/call.ts'
import type { splitSheet } from '../../../../server/contract/corp/agency.ts'

export type Apart = OutputOf<typeof splitSheet>
export type SplitPart = Apart['parts'][number]
/** Parts that somebody has said a company for, by their label. */
export type SaidOf = Readonly<Record<string, string>>
export type Bundle = {
  readonly key: string
  readonly corp_id: string
  readonly name: string
  readonly labels: readonly string[]
  readonly rows: number
}

export const whyWords = {
  nameless: '不上传；请在表里补上企业名称，再重新选择',
  unknown: '企业列表里没有这个名称',
  several: '有几家企业都叫这个名称',
  closed: '这家企业没有授权，或授权已到期，不上传',
} as const
export const mayBeSaid = ({ why }: SplitPart): boolean => why === 'unknown' || why === 'several'

/** Sheets go one by one, for their columns are their own; rows of one column together. */
export function bundlesOf({ by, parts, served }: Apart, said: SaidOf): Bundle[] {
  const names = new Map(served.map(({ corp_id, name }) => [corp_id, name]))
  const bundles = new Map<string, Bundle>()
  for (const part of parts) {
    const corp_id = part.corp_id ?? (mayBeSaid(part) ? said[part.label] : undefined)
    const name = corp_id === undefined ? undefined : names.get(corp_id)
    if (corp_id === undefined || name === undefined) continue
    const key = by === 'sheet' ? `${corp_id} ${part.label}` : corp_id
    const known = bundles.get(key)
    const [labels, rows] = [[...(known?.labels ?? []), part.label], (known?.rows ?? 0) + part.rows]
    bundles.set(key, { key, corp_id, name, labels, rows })
  }
  return [...bundles.values()]
}
