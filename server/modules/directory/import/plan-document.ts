/** Encrypted documents with the answers to an import and its plan. */
import * as z from 'zod/mini'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { SealPosition, Vault } from '../../../crypto/secrets.ts'
import { importFields } from '../rules/import-changes.ts'
import type { ImportAnswer, ImportDecision, PlannedRow } from '../rules/import-plan.ts'
import { isInteger, isJsonObject, isListWith, isText, isTextList, type JsonObject } from './type-guards.ts'

export type ImportAnswers = readonly (readonly [row: number, answer: ImportAnswer])[]
const statusSchema = z.enum(['active', 'left'])
export const importAnswersDocument = defineDocument<{ readonly answers: ImportAnswers }>({
  kind: 'answers to an import',
  version: 1,
  schema: z.object({
    answers: z.array(
      z.tuple([
        z.int(),
        z.discriminatedUnion('take', [
          z.object({ take: z.literal('skip') }),
          z.object({ take: z.literal('new'), status: z.optional(statusSchema) }),
          z.object({ take: z.literal('person'), person_id: z.string(), status: z.optional(statusSchema) }),
          z.object({ take: z.literal('status'), status: statusSchema }),
        ]),
      ]),
    ),
  }),
})

export type ImportPlan = {
  readonly rows: readonly PlannedRow[]
  /** Departments to create, each after its parent. */
  readonly departments: readonly (readonly string[])[]
}

type PlainDecisionKind = 'new' | 'skipped'
/**
 * Of twenty thousand rows, most are stored as a single word: a new member, or, in a repeated list, an unchanged one.
 */
type SealedPlan = {
  readonly row: readonly number[]
  readonly decision: readonly (
    | PlainDecisionKind
    | readonly [same: string]
    | Exclude<ImportDecision, { kind: PlainDecisionKind }>
  )[]
  readonly departments: ImportPlan['departments']
  /** Members without a phone, by index in the lists above; a file contains few of them. */
  readonly phones: readonly (readonly [at: number, phone: NonNullable<PlannedRow['phone']>])[]
}
const isPhoneEntry = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isInteger(value[0]) && (value[1] === 'none' || value[1] === 'shared')
const fieldSchema = z.enum(importFields)
const fieldNames: ReadonlySet<unknown> = new Set(importFields)
const nullableText = z.nullable(z.string())
const isNullableText = (value: unknown): boolean => value === null || isText(value)
const isChange = (one: unknown): boolean => isJsonObject(one) && fieldNames.has(one.field) && isText(one.old) && isText(one.new)
function isDecision(value: unknown): boolean {
  if (value === 'new' || value === 'skipped') return true
  if (Array.isArray(value)) return value.length === 1 && isText(value[0])
  if (!isJsonObject(value)) return false
  switch (value.kind) {
    case 'same':
    case 'back':
    case 'changed':
    case 'leaves':
      return isText(value.person_id) && isListWith(value.changes, isChange)
    case 'conflict':
      return (
        isText(value.why) &&
        ['id_card', 'employee_no', 'mobile', 'name', 'status'].some((one) => one === value.field) &&
        isTextList(value.person_ids) &&
        isListWith(value.rows, isInteger) &&
        isListWith(value.may, (one) => one === 'new' || one === 'person' || one === 'status')
      )
    case 'fault':
      return isText(value.why) && isNullableText(value.column) && (value.field === null || fieldNames.has(value.field))
    default:
      return false
  }
}

const importPlanDocument = defineDocument<SealedPlan>({
  kind: 'plan of an import',
  version: 1,
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
            changes: z.array(z.object({ field: fieldSchema, old: z.string(), new: z.string() })),
          }),
          z.object({
            kind: z.literal('conflict'),
            why: z.string(),
            field: z.enum(['id_card', 'employee_no', 'mobile', 'name', 'status']),
            person_ids: z.array(z.string()),
            rows: z.array(z.int()),
            may: z.array(z.enum(['new', 'person', 'status'])),
          }),
          z.object({ kind: z.literal('fault'), why: z.string(), column: nullableText, field: z.nullable(fieldSchema) }),
        ]),
      ]),
    ),
    departments: z.array(z.array(z.string())),
    phones: z.array(z.tuple([z.int(), z.enum(['none', 'shared'])])),
  }),
  fastCheck: (value): value is JsonObject & SealedPlan =>
    isListWith(value.row, isInteger) &&
    isListWith(value.decision, isDecision) &&
    isListWith(value.departments, isTextList) &&
    isListWith(value.phones, isPhoneEntry),
})

const packPlan = (rows: readonly PlannedRow[]): Pick<SealedPlan, 'row' | 'decision' | 'phones'> => ({
  row: rows.map(({ row }) => row),
  decision: rows.map(({ decision }) => {
    if (decision.kind === 'new' || decision.kind === 'skipped') return decision.kind
    return decision.kind === 'same' && decision.changes.length === 0 ? [decision.person_id] : decision
  }),
  phones: rows.flatMap(({ phone }, at) => (phone ? [[at, phone] as const] : [])),
})
function unpackDecision(decision: SealedPlan['decision'][number] | undefined): ImportDecision {
  if (decision === undefined) return { kind: 'skipped' }
  if (typeof decision === 'string') return { kind: decision }
  return 'kind' in decision ? decision : { kind: 'same', person_id: decision[0], changes: [] }
}

export function openPlan(vault: Vault, position: SealPosition, sealed: Buffer): ImportPlan {
  const { row, decision, departments, phones } = importPlanDocument.open(vault, position, sealed)
  const phoneByIndex = new Map(phones)
  const rows = row.map((number, at): PlannedRow => {
    const phone = phoneByIndex.get(at)
    return { row: number, decision: unpackDecision(decision[at]), ...(phone && { phone }) }
  })
  return { rows, departments }
}
export const serializePlan = ({ rows, departments }: ImportPlan): string =>
  importPlanDocument.write({ ...packPlan(rows), departments })
