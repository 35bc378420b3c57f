/** What was answered to an import, and what it would do, sealed. */
import * as z from 'zod/mini'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Place, Vault } from '../../../runtime/secrets.ts'
import { importFields } from '../rules/import-changes.ts'
import type { ImportAnswer, ImportDecision, PlannedRow } from '../rules/import-plan.ts'
import { isListOf, isNamed, isText, isTexts, isWhole, type NamedValues } from './shapes.ts'

export type ImportAnswers = readonly (readonly [row: number, answer: ImportAnswer])[]
const saidStatus = z.enum(['active', 'left'])
export const importAnswers = documentKind<{ readonly answers: ImportAnswers }>({
  kind: 'answers to an import',
  version: 2,
  schema: z.object({
    answers: z.array(
      z.tuple([
        z.int(),
        z.discriminatedUnion('take', [
          z.object({ take: z.literal('skip') }),
          z.object({ take: z.literal('new'), status: z.optional(saidStatus) }),
          z.object({ take: z.literal('person'), person_id: z.string(), status: z.optional(saidStatus) }),
          z.object({ take: z.literal('status'), status: saidStatus }),
        ]),
      ]),
    ),
  }),
  // Of the first version nobody was asked about a status.
  upgrades: { 1: (older) => older },
  unversioned: (answers) => ({ answers }),
})

export type ImportPlan = {
  readonly rows: readonly PlannedRow[]
  /** To be made, each after what it belongs to. */
  readonly departments: readonly (readonly string[])[]
}

type Word = 'new' | 'skipped'
/** Of twenty thousand rows most are one word: somebody new; or, of a list that comes again, a person who is as he was. */
type SealedPlan = {
  readonly row: readonly number[]
  readonly decision: readonly (Word | readonly [same: string] | Exclude<ImportDecision, { kind: Word }>)[]
  readonly departments: ImportPlan['departments']
  /** Who comes without a phone, by the place in the lists above: few of a file. */
  readonly phones: readonly (readonly [at: number, phone: NonNullable<PlannedRow['phone']>])[]
}
const isPhone = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isWhole(value[0]) && (value[1] === 'none' || value[1] === 'shared')
const field = z.enum(importFields)
const fields: ReadonlySet<unknown> = new Set(importFields)
const text = z.nullable(z.string())
const isMaybe = (value: unknown): boolean => value === null || isText(value)
const isChange = (one: unknown): boolean => isNamed(one) && fields.has(one.field) && isText(one.old) && isText(one.new)
function isDecision(value: unknown): boolean {
  if (value === 'new' || value === 'skipped') return true
  if (Array.isArray(value)) return value.length === 1 && isText(value[0])
  if (!isNamed(value)) return false
  switch (value.kind) {
    case 'same':
    case 'back':
    case 'changed':
    case 'leaves':
      return isText(value.person_id) && isListOf(value.changes, isChange)
    case 'conflict':
      return (
        isText(value.why) &&
        ['id_card', 'employee_no', 'mobile', 'name', 'status'].some((one) => one === value.field) &&
        isTexts(value.person_ids) &&
        isListOf(value.rows, isWhole) &&
        isListOf(value.may, (one) => one === 'new' || one === 'person' || one === 'status')
      )
    case 'fault':
      return isText(value.why) && isMaybe(value.column) && (value.field === null || fields.has(value.field))
    default:
      return false
  }
}

const sealedPlans = documentKind<SealedPlan>({
  kind: 'plan of an import',
  version: 3,
  schema: z.object({
    row: z.array(z.int()),
    decision: z.array(
      z.union([
        z.enum(['new', 'skipped']),
        z.tuple([z.string()]),
        z.discriminatedUnion('kind', [
          z.object({
            kind: z.enum(['same', 'back', 'changed', 'leaves']),
            person_id: z.string(),
            changes: z.array(z.object({ field, old: z.string(), new: z.string() })),
          }),
          z.object({
            kind: z.literal('conflict'),
            why: z.string(),
            field: z.enum(['id_card', 'employee_no', 'mobile', 'name', 'status']),
            person_ids: z.array(z.string()),
            rows: z.array(z.int()),
            may: z.array(z.enum(['new', 'person', 'status'])),
          }),
          z.object({ kind: z.literal('fault'), why: z.string(), column: text, field: z.nullable(field) }),
        ]),
      ]),
    ),
    departments: z.array(z.array(z.string())),
    phones: z.array(z.tuple([z.int(), z.enum(['none', 'shared'])])),
  }),
  quick: (value): value is NamedValues & SealedPlan =>
    isListOf(value.row, isWhole) &&
    isListOf(value.decision, isDecision) &&
    isListOf(value.departments, isTexts) &&
    isListOf(value.phones, isPhone),
  upgrades: {
    // Of the first version each row stood beside what becomes of it.
    1: ({ rows, ...rest }) => (areRows(rows) ? { ...rest, ...packed(rows) } : rest),
    // Of the second nobody came without a phone.
    2: (older) => ({ ...older, phones: [] }),
  },
})
const areRows = (rows: unknown): rows is PlannedRow[] => isListOf(rows, (row) => isNamed(row) && isNamed(row.decision))

const packed = (rows: readonly PlannedRow[]): Pick<SealedPlan, 'row' | 'decision' | 'phones'> => ({
  row: rows.map(({ row }) => row),
  decision: rows.map(({ decision }) => {
    if (decision.kind === 'new' || decision.kind === 'skipped') return decision.kind
    return decision.kind === 'same' && decision.changes.length === 0 ? [decision.person_id] : decision
  }),
  phones: rows.flatMap(({ phone }, at) => (phone ? [[at, phone] as const] : [])),
})
function unpacked(decision: SealedPlan['decision'][number] | undefined): ImportDecision {
  if (decision === undefined) return { kind: 'skipped' }
  if (typeof decision === 'string') return { kind: decision }
  return 'kind' in decision ? decision : { kind: 'same', person_id: decision[0], changes: [] }
}

export function openPlan(vault: Vault, place: Place, sealed: Buffer): ImportPlan {
  const { row, decision, departments, phones } = sealedPlans.open(vault, place, sealed)
  const phoneOf = new Map(phones)
  const rows = row.map((number, at): PlannedRow => {
    const phone = phoneOf.get(at)
    return { row: number, decision: unpacked(decision[at]), ...(phone && { phone }) }
  })
  return { rows, departments }
}
/** A plan as it is sealed. */
export const planText = ({ rows, departments }: ImportPlan): string => sealedPlans.write({ ...packed(rows), departments })
