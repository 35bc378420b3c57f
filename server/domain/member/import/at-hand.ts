/**
 * What was read and planned a moment ago, in the memory of this process: whoever goes through it page by page, answers and carries it out would else
 * open megabytes each time. What lies in the database decides: it is known again by what was sealed with it.
 */
import type { PlacedDepartment } from '../rules/import-departments.ts'
import type { ImportRow, StandingPerson } from '../rules/import-plan.ts'
import type { ImportAnswers, ImportPlan } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'

/** A company beside which an import is planned. */
export interface CompanyPeople {
  readonly people: readonly StandingPerson[]
  readonly tree: readonly PlacedDepartment[]
  /** The departments that whoever imports keeps; null for all. */
  readonly own: ReadonlySet<string> | null
}

export interface PlanAtHand {
  readonly read: ReadRoster
  readonly answered: ImportAnswers
  readonly plan: ImportPlan
  /** As they would be taken. */
  readonly rows: readonly ImportRow[]
  /** Beside whom it was planned. */
  readonly company: CompanyPeople
}

const kept_ms = 600_000
/** Rows, and people beside whom they were planned, of all together: some forty megabytes. */
const most = 60_000
type Kept = { readonly info: Buffer; readonly value: PlanAtHand; readonly clock: NodeJS.Timeout }
const all = new Map<string, Kept>()
const weightOf = ({ value }: Kept): number => value.read.rows.length + value.company.people.length

/** `info`: as it was sealed with the plan. Never twice the same, so that a plan of another process, or of one that came to nothing, is told from this one. */
export function putAtHand(import_id: string, info: Buffer, value: PlanAtHand): void {
  dropAtHand(import_id)
  const clock = setTimeout(() => dropAtHand(import_id), kept_ms)
  clock.unref()
  all.set(import_id, { info, value, clock })
  let weight = [...all.values()].reduce((sum, one) => sum + weightOf(one), 0)
  for (const [id, one] of all) {
    if (weight <= most) return
    weight -= weightOf(one)
    dropAtHand(id)
  }
}

export function dropAtHand(import_id: string): void {
  clearTimeout(all.get(import_id)?.clock)
  all.delete(import_id)
}

/** Null: it has to be opened. */
export function atHand({ id, info }: { readonly id: string; readonly info: Buffer | null }): PlanAtHand | null {
  const kept = all.get(id)
  return kept && info?.equals(kept.info) ? kept.value : null
}
