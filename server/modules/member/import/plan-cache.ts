/**
 * What was read and planned a moment ago, in the memory of this process: whoever goes through it page by page, answers and carries it out would else
 * open megabytes each time. What lies in the database decides: it is known again by what was sealed with it.
 */
import type { PlacedDepartment } from '../rules/import-departments.ts'
import type { ExistingMember, ImportRow } from '../rules/import-plan.ts'
import type { ImportAnswers, ImportPlan } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'

/** A company beside which an import is planned. */
export interface CompanyMembers {
  readonly members: readonly ExistingMember[]
  readonly tree: readonly PlacedDepartment[]
  /** The departments that whoever imports keeps; null for all. */
  readonly managedDepartmentIds: ReadonlySet<string> | null
}

export interface CachedPlan {
  readonly read: ReadRoster
  readonly answers: ImportAnswers
  readonly plan: ImportPlan
  /** As they would be taken. */
  readonly rows: readonly ImportRow[]
  /** Beside whom it was planned. */
  readonly company: CompanyMembers
}

const cacheLifetimeMs = 600_000
/** Rows, and people beside whom they were planned, of all together: some forty megabytes. */
const maxCachedRows = 60_000
type CacheSlot = { readonly info: Buffer; readonly value: CachedPlan; readonly expiry: NodeJS.Timeout }
const cacheSlots = new Map<string, CacheSlot>()
const getRowCount = ({ value }: CacheSlot): number => value.read.rows.length + value.company.members.length

/** `info`: as it was sealed with the plan. Never twice the same, so that a plan of another process, or of one that came to nothing, is told from this one. */
export function cachePlan(import_id: string, info: Buffer, value: CachedPlan): void {
  removeCachedPlan(import_id)
  const expiry = setTimeout(() => removeCachedPlan(import_id), cacheLifetimeMs)
  expiry.unref()
  cacheSlots.set(import_id, { info, value, expiry: expiry })
  let totalRows = [...cacheSlots.values()].reduce((sum, one) => sum + getRowCount(one), 0)
  for (const [id, one] of cacheSlots) {
    if (totalRows <= maxCachedRows) return
    totalRows -= getRowCount(one)
    removeCachedPlan(id)
  }
}

export function removeCachedPlan(import_id: string): void {
  clearTimeout(cacheSlots.get(import_id)?.expiry)
  cacheSlots.delete(import_id)
}

/** Null: it has to be opened. */
export function getCachedPlan({ id, info }: { readonly id: string; readonly info: Buffer | null }): CachedPlan | null {
  const slot = cacheSlots.get(id)
  return slot && info?.equals(slot.info) ? slot.value : null
}
