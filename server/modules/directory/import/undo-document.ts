/** Encrypted document with the data to undo an import. */
import * as z from 'zod/mini'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { SealPosition, Vault } from '../../../crypto/secrets.ts'
import type { DepartmentLeader } from '../terminate.ts'
import { type ArrivalMark, isArrivalMark, type Snapshot } from './snapshots.ts'
import { isIntegerOrList, isJsonObject, isListWith, isText, isTextList, type JsonObject } from './type-guards.ts'

/** `before` is null for created members. */
type UndoEntry = SealedUndo['changed'][number] | { readonly before: null; readonly after: ArrivalMark }
export type ImportUndo = {
  readonly departments: readonly string[]
  readonly members: readonly UndoEntry[]
  /** Members terminated by the import, with the departments they led. */
  readonly leaders: readonly DepartmentLeader[]
}

/** Created members, stored by column; each department occurs once. */
type Arrivals = {
  readonly id: readonly string[]
  readonly name: readonly string[]
  /** A single entry if it is the same for all. */
  readonly row_mark: readonly string[]
  readonly position: readonly string[]
  readonly places: readonly (number | readonly number[])[]
}
type SealedUndo = Omit<ImportUndo, 'members'> & {
  readonly changed: readonly { readonly before: Snapshot | null; readonly after: Snapshot }[]
  readonly came: Arrivals
}

const textList = z.array(z.string())
// Rows as written by the database, whose column names are not fixed here.
const snapshotSchema = z.looseObject({ id: z.string(), departments: textList })
const isSnapshot = (value: unknown): boolean => isJsonObject(value) && isText(value.id) && isTextList(value.departments)
const isChange = (value: unknown): boolean =>
  isJsonObject(value) && (value.before === null || isSnapshot(value.before)) && isSnapshot(value.after)
const isLeader = (value: unknown): boolean => isJsonObject(value) && isText(value.id) && isText(value.leader_id)
const areArrivals = (value: unknown): boolean =>
  isJsonObject(value) &&
  isTextList(value.id) &&
  isTextList(value.name) &&
  isTextList(value.row_mark) &&
  isTextList(value.position) &&
  isListWith(value.places, isIntegerOrList)

const importUndoDocument = defineDocument<SealedUndo>({
  kind: 'undo of an import',
  version: 1,
  schema: z.object({
    departments: textList,
    changed: z.array(z.object({ before: z.nullable(snapshotSchema), after: snapshotSchema })),
    came: z.object({
      id: textList,
      name: textList,
      row_mark: textList,
      position: textList,
      places: z.array(z.union([z.int(), z.array(z.int())])),
    }),
    leaders: z.array(z.object({ id: z.string(), leader_id: z.string() })),
  }),
  fastCheck: (value): value is JsonObject & SealedUndo =>
    isTextList(value.departments) &&
    isListWith(value.changed, isChange) &&
    areArrivals(value.came) &&
    isListWith(value.leaders, isLeader),
})

function packArrivals(came: readonly ArrivalMark[]): Arrivals {
  const departmentIds: string[] = []
  const indexByDepartment = new Map<string, number>()
  const getIndex = (department: string): number => {
    const number = indexByDepartment.get(department) ?? departmentIds.push(department) - 1
    indexByDepartment.set(department, number)
    return number
  }
  const first = came[0]?.row_mark
  return {
    id: came.map(({ id }) => id),
    name: came.map(({ name }) => name),
    row_mark: came.some(({ row_mark }) => row_mark !== first) ? came.map(({ row_mark }) => row_mark) : [first ?? ''],
    position: departmentIds,
    places: came.map(({ departments }) => {
      const [only] = departments
      return only !== undefined && departments.length === 1 ? getIndex(only) : departments.map(getIndex)
    }),
  }
}
const unpackArrivals = ({ id: ids, name, row_mark, position: departmentIds, places }: Arrivals): ArrivalMark[] =>
  ids.map((id, at) => {
    const numbers = places[at] ?? []
    const departments = (typeof numbers === 'number' ? [numbers] : numbers).map((number) => departmentIds[number] ?? '')
    return { id, name: name[at] ?? '', row_mark: row_mark[at] ?? row_mark[0] ?? '', departments }
  })

export function sealUndo(vault: Vault, at: SealPosition, { members, ...undo }: ImportUndo): Buffer {
  const changed: SealedUndo['changed'][number][] = []
  const came: ArrivalMark[] = []
  for (const { before, after } of members)
    if (isArrivalMark(after)) came.push(after)
    else changed.push({ before, after })
  return importUndoDocument.seal(vault, at, { ...undo, changed, came: packArrivals(came) })
}
export function openUndo(vault: Vault, at: SealPosition, sealed: Buffer): ImportUndo {
  const { changed, came, ...undo } = importUndoDocument.open(vault, at, sealed)
  return { ...undo, members: [...changed, ...unpackArrivals(came).map((after) => ({ before: null, after }))] }
}
