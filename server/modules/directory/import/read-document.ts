/** Encrypted document with the rows read from a roster. */
import * as z from 'zod/mini'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { SealPosition, Vault } from '../../../crypto/secrets.ts'
import type { RecognizedRoster } from '../../../spreadsheets/index.ts'
import { type PackedRoster, packRoster, unpackRoster } from '../../../spreadsheets/rules.ts'
import { isInteger, isIntegerOrList, isJsonObject, isListWith, isText, isTextList, type JsonObject } from './type-guards.ts'

/** The roster as it was read. It contains identity cards as they are written and is therefore encrypted. */
export type ReadRoster = Pick<RecognizedRoster, 'sheet' | 'rows' | 'bad' | 'entries_lost'> & {
  readonly columns: readonly { readonly index: number; readonly letter: string; readonly label: string; readonly role: string }[]
  readonly fingerprint: string
  readonly remembered: boolean
}
type SealedRoster = Omit<ReadRoster, 'rows'> & { readonly people: PackedRoster }

const textList = z.array(z.string())
const optionalColumnSchema = z.nullable(z.array(z.nullable(z.string())))
const isOptionalColumn = (list: unknown): boolean => list === null || isListWith(list, (one) => one === null || isText(one))
const isOptionalStatus = (one: unknown): boolean => one === null || one === 'active' || one === 'left'
const isPackedRoster = (value: unknown): boolean =>
  isJsonObject(value) &&
  isListWith(value.paths, isTextList) &&
  isListWith(value.row, isInteger) &&
  isTextList(value.name) &&
  isListWith(value.departments, isIntegerOrList) &&
  isOptionalColumn(value.mobile) &&
  isOptionalColumn(value.employee_no) &&
  isOptionalColumn(value.id_card) &&
  isOptionalColumn(value.bank_account) &&
  isOptionalColumn(value.position) &&
  isOptionalColumn(value.entry_on) &&
  isOptionalColumn(value.email) &&
  (value.status === null || isListWith(value.status, isOptionalStatus)) &&
  isOptionalColumn(value.status_word) &&
  isOptionalColumn(value.form) &&
  isOptionalColumn(value.sheet)
const isColumn = (column: unknown): boolean =>
  isJsonObject(column) && isInteger(column.index) && isText(column.letter) && isText(column.label) && isText(column.role)
const isUnreadableCell = (cell: unknown): boolean =>
  isJsonObject(cell) && isInteger(cell.row) && isText(cell.column) && isText(cell.why)

const readRosterDocument = defineDocument<SealedRoster>({
  kind: 'read roster',
  version: 1,
  schema: z.object({
    sheet: z.string(),
    columns: z.array(z.object({ index: z.int(), letter: z.string(), label: z.string(), role: z.string() })),
    people: z.object({
      paths: z.array(textList),
      row: z.array(z.int()),
      name: textList,
      departments: z.array(z.union([z.int(), z.array(z.int())])),
      mobile: optionalColumnSchema,
      employee_no: optionalColumnSchema,
      id_card: optionalColumnSchema,
      bank_account: optionalColumnSchema,
      position: optionalColumnSchema,
      entry_on: optionalColumnSchema,
      email: optionalColumnSchema,
      status: z.nullable(z.array(z.nullable(z.enum(['active', 'left'])))),
      status_word: optionalColumnSchema,
      form: optionalColumnSchema,
      sheet: optionalColumnSchema,
    }),
    bad: z.array(z.object({ row: z.int(), column: z.string(), why: z.string() })),
    entries_lost: z.int(),
    fingerprint: z.string(),
    remembered: z.boolean(),
  }),
  fastCheck: (value): value is JsonObject & SealedRoster =>
    isText(value.sheet) &&
    isListWith(value.columns, isColumn) &&
    isPackedRoster(value.people) &&
    isListWith(value.bad, isUnreadableCell) &&
    isInteger(value.entries_lost) &&
    isText(value.fingerprint) &&
    typeof value.remembered === 'boolean',
})

/** `people` contains the rows as packed by the child process. */
export const sealReadRoster = (
  vault: Vault,
  position: SealPosition,
  { rows, ...read }: ReadRoster,
  packedRows = packRoster(rows),
): Buffer => readRosterDocument.seal(vault, position, { ...read, people: packedRows })
export function openReadRoster(vault: Vault, position: SealPosition, sealed: Buffer): ReadRoster {
  const { people, ...read } = readRosterDocument.open(vault, position, sealed)
  return { ...read, rows: unpackRoster(people) }
}
