/** What the pages about sent slips share in words and figures. */
import type { OutputOf } from '../../../server/contract/call.ts'
import type { getWageDetail } from '../../../server/contract/slip/slip.ts'
import { type BatchStatus, batchStatuses, salaryStatuses, type TitleKind } from '../../../server/contract/words/words.ts'
import { oneOf, type PageSearch, pageOf, textOf } from '../../ui/search.ts'
import type { Part } from '../../ui/state/progress.tsx'

export type Detail = OutputOf<typeof getWageDetail>
export type SlipLine = Detail['list'][number]
export type Counts = Detail['batch']['counts']

export const kindWords: Record<TitleKind, string> = { monthly: '月薪', bonus: '奖金', other: '其他' }

export const detailStatuses = [...salaryStatuses, 'feedback'] as const
export type DetailStatus = (typeof detailStatuses)[number]

/** Each person stands in exactly one part; the list's figures contain one another, so they are taken apart here. */
export const partsOfLine = (line: { sent: number; viewed: number; confirmed: number; failed: number }): Part[] => [
  { label: '已确认', value: line.confirmed, tone: 'ok' },
  { label: '已查看，未确认', value: Math.max(0, line.viewed - line.confirmed), tone: 'info' },
  { label: '未查看', value: Math.max(0, line.sent - line.viewed), tone: 'ink3' },
  { label: '失败', value: line.failed, tone: 'danger' },
]
export const partsOf = ({ confirmed, viewed, sent, failed }: Counts): Part[] => [
  { label: '已确认', value: confirmed, tone: 'ok' },
  { label: '已查看，未确认', value: viewed, tone: 'info' },
  { label: '未查看', value: sent, tone: 'ink3' },
  { label: '失败', value: failed, tone: 'danger' },
]

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** An id in the address; whatever is no id is none. */
export const idOf = (value: unknown): string | undefined => (typeof value === 'string' && uuid.test(value) ? value : undefined)

/** The address of the list of batches; the page of one bears it, too, so that ‹ leads back to the list as it was filtered, also after a reload. */
export type BatchesSearch = PageSearch & {
  month?: string | undefined
  status?: BatchStatus | undefined
  name?: string | undefined
  /** The batches of one title. */
  title_id?: string | undefined
  /** Titles in the place of batches. */
  view?: 'titles' | undefined
}

const monthOf = (value: unknown) => {
  const text = textOf(value)
  return text && /^(19|20)\d\d-(0[1-9]|1[0-2])$/.test(text) ? text : undefined
}

export const batchesOf = (raw: Record<string, unknown>): BatchesSearch => ({
  ...pageOf(raw),
  month: monthOf(raw.month),
  status: oneOf(raw.status, batchStatuses),
  name: textOf(raw.name)?.slice(0, 50),
  title_id: idOf(raw.title_id),
  view: oneOf(raw.view, ['titles']),
})

/** The list that a batch was opened from; undefined where it was not filtered. */
export function listSearchOf(raw: unknown): BatchesSearch | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  const said = Object.entries(batchesOf({ ...raw })).filter(([, value]) => value !== undefined)
  return said.length > 0 ? Object.fromEntries(said) : undefined
}

type Tree = readonly { ID: string; NAME: string; child: Tree }[]
export function nameOfDepartment(tree: Tree, id: string | undefined): string | undefined {
  for (const node of tree) {
    const found = node.ID === id ? node.NAME : nameOfDepartment(node.child, id)
    if (found) return found
  }
}
