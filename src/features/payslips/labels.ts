/** Labels and counts shared by the pages about sent payslips. */
import type { CallOutput } from '../../../server/contract/call.ts'
import type { getWageDetail } from '../../../server/contract/payslips/send.ts'
import { type BatchStatus, batchStatuses, payslipStatuses, type TitleKind } from '../../../server/contract/shared/schemas.ts'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../components/search-params.ts'
import type { BarSegment } from '../../components/state/progress.tsx'

export type BatchDetail = CallOutput<typeof getWageDetail>
export type PayslipListItem = BatchDetail['list'][number]
export type PayslipCounts = BatchDetail['batch']['counts']

export const titleKindLabels: Record<TitleKind, string> = { monthly: '月薪', bonus: '奖金', other: '其他' }

export const detailStatuses = [...payslipStatuses, 'feedback'] as const
export type DetailStatus = (typeof detailStatuses)[number]

/** Returns progress segments with each employee counted once; the counts of the list include one another. */
export const getListProgressSegments = (batch: {
  sent: number
  viewed: number
  confirmed: number
  failed: number
}): BarSegment[] => [
  { label: '已确认', value: batch.confirmed, color: 'ok' },
  { label: '已查看，未确认', value: Math.max(0, batch.viewed - batch.confirmed), color: 'info' },
  { label: '未查看', value: Math.max(0, batch.sent - batch.viewed), color: 'track' },
  { label: '失败', value: batch.failed, color: 'danger' },
]
export const getProgressSegments = ({ confirmed, viewed, sent, failed }: PayslipCounts): BarSegment[] => [
  { label: '已确认', value: confirmed, color: 'ok' },
  { label: '已查看，未确认', value: viewed, color: 'info' },
  { label: '未查看', value: sent, color: 'track' },
  { label: '失败', value: failed, color: 'danger' },
]

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Parses an id in the address; invalid ids are dropped. */
export const parseId = (value: unknown): string | undefined =>
  typeof value === 'string' && uuidPattern.test(value) ? value : undefined

/** The search parameters of the batch list; the batch page carries them, so that ‹ leads back even after a reload. */
export type BatchListSearch = PageParams & {
  month?: string | undefined
  status?: BatchStatus | undefined
  name?: string | undefined
  /** Shows only the batches of one title. */
  title_id?: string | undefined
  /** Shows titles instead of batches. */
  view?: 'titles' | undefined
}

const parseMonth = (value: unknown) => {
  const text = parseText(value)
  return text && /^(19|20)\d\d-(0[1-9]|1[0-2])$/.test(text) ? text : undefined
}

export const parseBatchListSearch = (raw: Record<string, unknown>): BatchListSearch => ({
  ...parsePageParams(raw),
  month: parseMonth(raw.month),
  status: parseEnum(raw.status, batchStatuses),
  name: parseText(raw.name)?.slice(0, 50),
  title_id: parseId(raw.title_id),
  view: parseEnum(raw.view, ['titles']),
})

/** Parses the list from which a batch was opened; undefined if it was not filtered. */
export function parseOriginList(raw: unknown): BatchListSearch | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  const entries = Object.entries(parseBatchListSearch({ ...raw })).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

type DepartmentNodes = readonly { ID: string; NAME: string; child: DepartmentNodes }[]
export function findDepartmentName(tree: DepartmentNodes, id: string | undefined): string | undefined {
  for (const node of tree) {
    const name = node.ID === id ? node.NAME : findDepartmentName(node.child, id)
    if (name) return name
  }
}
