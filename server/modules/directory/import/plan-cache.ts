/**
 * In-memory cache of recently read and planned imports: otherwise paging, answering and applying would decrypt
 * megabytes each time. The database is authoritative: an entry is identified by the value encrypted with the plan.
 */
import type { PlacedDepartment } from '../rules/import-departments.ts'
import type { ExistingMember, ImportRow } from '../rules/import-plan.ts'
import type { ImportAnswers, ImportPlan } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'

/** The company's members at the time of planning an import. */
export interface CompanyMembers {
  readonly members: readonly ExistingMember[]
  readonly tree: readonly PlacedDepartment[]
  /** The departments managed by the importing user; null means all departments. */
  readonly managedDepartmentIds: ReadonlySet<string> | null
}

export interface CachedPlan {
  readonly read: ReadRoster
  readonly answers: ImportAnswers
  readonly plan: ImportPlan
  /** The rows as they would be applied. */
  readonly rows: readonly ImportRow[]
  /** The members it was planned against. */
  readonly company: CompanyMembers
}

const cacheLifetimeMs = 600_000
/** Limit of rows and members over all entries: about forty megabytes. */
const maxCachedRows = 60_000
type CacheSlot = { readonly info: Buffer; readonly value: CachedPlan; readonly expiry: NodeJS.Timeout }
const cacheSlots = new Map<string, CacheSlot>()
const getRowCount = ({ value }: CacheSlot): number => value.read.rows.length + value.company.members.length

/**
 * `info` is the value encrypted with the plan. It is unique each time, so that a plan of another process or of a
 * rolled-back transaction is distinguished from this one.
 */
export function cachePlan(import_id: string, info: Buffer, value: CachedPlan): void {
  removeCachedPlan(import_id)
  const expiry = setTimeout(() => removeCachedPlan(import_id), cacheLifetimeMs)
  expiry.unref()
  cacheSlots.set(import_id, { info, value, expiry })
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

/** Null if the plan must be decrypted from the database. */
export function getCachedPlan({ id, info }: { readonly id: string; readonly info: Buffer | null }): CachedPlan | null {
  const slot = cacheSlots.get(id)
  return slot && info?.equals(slot.info) ? slot.value : null
}
