/** How an import is taken back, sealed. */
import * as z from 'zod/mini'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Place, Vault } from '../../../runtime/secrets.ts'
import type { Leader } from '../leave.ts'
import { areNumbers, isListOf, isNamed, isText, isTexts, type NamedValues } from './shapes.ts'
import { type ArrivalMark, isMark, type Snapshot } from './snapshots.ts'

/** `before` is null for who came by it. */
type Trace = SealedUndo['changed'][number] | { readonly before: null; readonly after: ArrivalMark }
export type Undo = {
  readonly departments: readonly string[]
  readonly people: readonly Trace[]
  /** Who left by it, and over which departments he was set. */
  readonly leaders: readonly Leader[]
}

/** Of whoever came a column is one list, and each department stands there once. */
type Arrivals = {
  readonly id: readonly string[]
  readonly name: readonly string[]
  /** One where it is everybody's. */
  readonly row_mark: readonly string[]
  readonly place: readonly string[]
  readonly places: readonly (number | readonly number[])[]
}
type SealedUndo = Omit<Undo, 'people'> & {
  readonly changed: readonly { readonly before: Snapshot | null; readonly after: Snapshot }[]
  readonly came: Arrivals
}

const texts = z.array(z.string())
// Rows as the database wrote them: its columns are its own to name.
const snapshot = z.looseObject({ id: z.string(), departments: texts })
const isSnapshot = (value: unknown): boolean => isNamed(value) && isText(value.id) && isTexts(value.departments)
const isChange = (value: unknown): boolean =>
  isNamed(value) && (value.before === null || isSnapshot(value.before)) && isSnapshot(value.after)
const isLeader = (value: unknown): boolean => isNamed(value) && isText(value.id) && isText(value.leader_id)
const areArrivals = (value: unknown): boolean =>
  isNamed(value) &&
  isTexts(value.id) &&
  isTexts(value.name) &&
  isTexts(value.row_mark) &&
  isTexts(value.place) &&
  isListOf(value.places, areNumbers)

const sealedUndos = documentKind<SealedUndo>({
  kind: 'way back of an import',
  version: 2,
  schema: z.object({
    departments: texts,
    changed: z.array(z.object({ before: z.nullable(snapshot), after: snapshot })),
    came: z.object({
      id: texts,
      name: texts,
      row_mark: texts,
      place: texts,
      places: z.array(z.union([z.int(), z.array(z.int())])),
    }),
    leaders: z.array(z.object({ id: z.string(), leader_id: z.string() })),
  }),
  quick: (value): value is NamedValues & SealedUndo =>
    isTexts(value.departments) &&
    isListOf(value.changed, isChange) &&
    areArrivals(value.came) &&
    isListOf(value.leaders, isLeader),
  upgrades: {
    // Of the first version the mark of whoever came was one text, his departments behind commas.
    1: ({ people, ...rest }) =>
      areFirst(people)
        ? { ...rest, changed: people.filter(({ after }) => !isText(after.mark)), came: packed(people.flatMap(firstMark)) }
        : rest,
  },
})
type First = { readonly after: NamedValues }
const areFirst = (people: unknown): people is First[] => isListOf(people, (one) => isNamed(one) && isNamed(one.after))
function firstMark({ after: { id, name, mark } }: First): ArrivalMark[] {
  if (!isText(mark)) return []
  const [row_mark = '', ...departments] = mark.split(',')
  return [{ id: String(id), name: String(name), row_mark, departments }]
}

function packed(came: readonly ArrivalMark[]): Arrivals {
  const place: string[] = []
  const known = new Map<string, number>()
  const numberOf = (department: string): number => {
    const number = known.get(department) ?? place.push(department) - 1
    known.set(department, number)
    return number
  }
  const first = came[0]?.row_mark
  return {
    id: came.map(({ id }) => id),
    name: came.map(({ name }) => name),
    row_mark: came.some(({ row_mark }) => row_mark !== first) ? came.map(({ row_mark }) => row_mark) : [first ?? ''],
    place,
    places: came.map(({ departments }) => {
      const [only] = departments
      return only !== undefined && departments.length === 1 ? numberOf(only) : departments.map(numberOf)
    }),
  }
}
const unpacked = ({ id: ids, name, row_mark, place, places }: Arrivals): ArrivalMark[] =>
  ids.map((id, at) => {
    const numbers = places[at] ?? []
    const departments = (typeof numbers === 'number' ? [numbers] : numbers).map((number) => place[number] ?? '')
    return { id, name: name[at] ?? '', row_mark: row_mark[at] ?? row_mark[0] ?? '', departments }
  })

export function sealUndo(vault: Vault, at: Place, { people, ...undo }: Undo): Buffer {
  const changed: SealedUndo['changed'][number][] = []
  const came: ArrivalMark[] = []
  for (const { before, after } of people)
    if (isMark(after)) came.push(after)
    else changed.push({ before, after })
  return sealedUndos.seal(vault, at, { ...undo, changed, came: packed(came) })
}
export function openUndo(vault: Vault, at: Place, sealed: Buffer): Undo {
  const { changed, came, ...undo } = sealedUndos.open(vault, at, sealed)
  return { ...undo, people: [...changed, ...unpacked(came).map((after) => ({ before: null, after }))] }
}
