/** JSON Schemas of the API document: the shapes that several calls share become named components. */
import * as z from 'zod/mini'
import { department, member } from '../directory/members.ts'
import { payslip, payslipRules } from '../payslips/payslip.ts'
import { sendOptions } from '../payslips/send-plan.ts'
import {
  batchStatus,
  cell,
  channel,
  columnRole,
  emptyObject,
  fen,
  id,
  mobile,
  month,
  newPassword,
  page,
  password,
  payslipStatus,
  rowNumber,
  time,
} from '../shared/schemas.ts'
import { checkSummary, column, issue, layout, question, wageSheetInfo } from '../sheets/sheet.ts'
import { batchEventData, eventEmployee, payslipEventData } from '../webhooks/payload.ts'

export type JsonSchema = Readonly<Record<string, unknown>>
export type SchemaDirection = 'input' | 'output'

const named = {
  BatchEventData: batchEventData,
  BatchStatus: batchStatus,
  Cell: cell,
  Channel: channel,
  CheckSummary: checkSummary,
  Column: column,
  ColumnRole: columnRole,
  Department: department,
  Empty: emptyObject,
  EventEmployee: eventEmployee,
  Fen: fen,
  Id: id,
  Issue: issue,
  Layout: layout,
  Member: member,
  Mobile: mobile,
  Month: month,
  NewPassword: newPassword,
  Page: page,
  Password: password,
  Payslip: payslip,
  PayslipEventData: payslipEventData,
  PayslipRules: payslipRules,
  PayslipStatus: payslipStatus,
  Question: question,
  RowNumber: rowNumber,
  SendOptions: sendOptions,
  Time: time,
  WageSheetInfo: wageSheetInfo,
} as const satisfies Readonly<Record<string, z.ZodMiniType>>

const registry = z.registry<{ id: string }>()
for (const [name, schema] of Object.entries(named)) registry.add(schema, { id: name })

const toInlineJson = (schema: z.ZodMiniType, io: SchemaDirection): string => JSON.stringify(z.toJSONSchema(schema, { io }))

/** Shapes that a request may leave incomplete: the request and the response then have a component each. */
const differing = new Set(
  Object.entries(named).flatMap(([name, schema]) =>
    toInlineJson(schema, 'input') === toInlineJson(schema, 'output') ? [] : [name],
  ),
)

/** A record whose keys are an enumeration becomes an object with these properties, which generators type exactly. */
function expandRecord(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('propertyNames' in value)) return value
  const { propertyNames, additionalProperties, ...rest } = value as Record<string, JsonSchema>
  const keys = propertyNames?.enum
  if (!Array.isArray(keys)) return value
  return { ...rest, properties: Object.fromEntries(keys.map((key) => [key, additionalProperties])), additionalProperties: false }
}

/** Collects the components while the calls are described. */
export class ComponentSchemas {
  readonly #schemas = new Map<string, JsonSchema>()

  /** Converts a schema; recursive shapes without a name get one from the call. */
  convert(schema: z.ZodMiniType, io: SchemaDirection, callName: string): JsonSchema {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, metadata: registry })
    const toName = (key: string): string => {
      if (key.startsWith('__schema')) return `${callName}${io === 'input' ? 'Input' : 'Output'}${key.slice('__schema'.length)}`
      return io === 'input' && differing.has(key) ? `${key}Input` : key
    }
    const lift = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (key, one: unknown) =>
        key === '$ref' && typeof one === 'string'
          ? `#/components/schemas/${toName(one.replace('#/$defs/', ''))}`
          : expandRecord(one),
      )
    for (const [key, definition] of Object.entries($defs)) this.#schemas.set(toName(key), lift(definition) as JsonSchema)
    return lift(root) as JsonSchema
  }

  add(name: string, schema: JsonSchema): void {
    this.#schemas.set(name, schema)
  }

  /** Returns the components in alphabetical order. */
  list(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
}
