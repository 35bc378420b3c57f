/**
 * What is told of the people of a month to somebody who may not open their slips: the groups into which they were divided when it was first told, and of
 * each group the figures as they were told last. Kept, so that no two looks differ by one person
 * (docs/decisions/20261123-use-cached-amounts-for-charts.md and
 * 20261124-use-delayed-sums-for-small-groups.md). Writes chart_groups.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { documentKind } from '../../runtime/data/document.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { foldedParts } from './rules/folded.ts'
import { sheafOf, toldNow } from './rules/held.ts'
import type { ChartView } from './rules/lines.ts'
import { keyOfPerson, part_count, type Sheaf, unpackParts } from './rules/packed.ts'
import { type CountedGroup, divided, placeOfGroup } from './rules/stand.ts'

type Opening = Pick<Ctx, 'db' | 'company_id' | 'vault'> & { readonly may_write: boolean }
/** `told`, `earlier`: as `ToldGroup` has them, in base64. */
type KeptGroup = CountedGroup<string> & { readonly told: string; readonly earlier: readonly string[] }
/** `of`: the slips of which it was made, as a digest; what is the same as then is told as then. */
type Telling = { readonly of: string; readonly held: boolean; readonly folded: boolean; readonly groups: readonly KeptGroup[] }
type Kept = Telling & { readonly sealed: Buffer }

const text = z.array(z.string())
/** `people`: their ids. Of the first version nothing is known of what was told. */
type Written = {
  groups: { path: string[]; people: string[]; told: string; earlier: string[] }[]
  of: string
  held: boolean
  folded: boolean
}
const chartGroups = documentKind<Written>({
  kind: 'groups of a chart',
  version: 2,
  schema: z.object({
    groups: z.array(z.object({ path: text, people: text, told: z.string(), earlier: text })),
    of: z.string(),
    held: z.boolean(),
    folded: z.boolean(),
  }),
  upgrades: {
    1: ({ groups }) => ({
      groups: Array.isArray(groups) ? groups.map((group) => ({ ...group, told: '', earlier: [] })) : [],
      of: '',
      held: false,
      folded: false,
    }),
  },
})
const placeOf = (month: string) => ({ table: 'chart_groups', row: month, column: 'groups' })

/** Somebody else divides the same month at the same time: so often it is read again. */
const most_tries = 3

async function keptOf({ db, company_id, vault }: Opening, month: string): Promise<Kept | null> {
  const row = await db
    .selectFrom('chart_groups')
    .select('groups')
    .where('company_id', '=', company_id)
    .where('month', '=', month)
    .executeTakeFirst()
  return row ? { sealed: row.groups, ...chartGroups.open(vault, placeOf(month), row.groups) } : null
}

/** Where nobody else has kept another division meanwhile. */
async function keep({ db, company_id, vault }: Opening, month: string, before: Kept | null, now: Telling) {
  const whole: Written = {
    ...now,
    groups: now.groups.map(({ path, people, told, earlier }) => ({
      path: [...path],
      people: [...people],
      told,
      earlier: [...earlier],
    })),
  }
  const groups = chartGroups.seal(vault, placeOf(month), whole)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('chart_groups')
    .values({ company_id, month, groups })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'month'])
        .doUpdateSet({ groups })
        .where(sql<boolean>`chart_groups.groups = ${before?.sealed ?? null}::bytea`),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

const inBase64 = (packed: Buffer): string => packed.toString('base64')
const packedOf = (text: string): Buffer => Buffer.from(text, 'base64')

const digestOf = ({ people, parts }: Sheaf): string =>
  createHash('sha256')
    .update(people.join(''), 'latin1')
    .update(new Uint8Array(parts.buffer, parts.byteOffset, parts.byteLength))
    .digest('base64')

/** What is told now, with the people who are in no group yet: three at least together, or they wait. */
function toldOf(view: ChartView & { readonly fewest: number }, before: Kept | null, paid: Sheaf): Telling {
  const of = digestOf(paid)
  if (before?.of === of) return before
  const known = before?.groups ?? []
  const placed = new Set(known.flatMap(({ people }) => people))
  const present = new Set(paid.people)
  const newcomers = view.people.flatMap(({ id, at }) =>
    placed.has(id) || !present.has(keyOfPerson(id)) ? [] : [{ person: id, at }],
  )
  const isEnough = newcomers.length >= view.fewest
  const more = isEnough ? divided(view.tree, newcomers, view.fewest) : []
  let [held, folded] = [newcomers.length > 0 && !isEnough, false]
  const groups = [...known, ...more.map((group): KeptGroup => ({ ...group, told: '', earlier: [] }))].map((group) => {
    const slips = sheafOf(paid, group.people)
    const { parts, isFolded } = foldedParts(slips, view.fewest)
    const before_told = { told: packedOf(group.told), earlier: group.earlier.map(packedOf) }
    const { group: next, isHeld: waits } = toldNow({ people: slips.people, parts }, before_told, view.fewest)
    held ||= waits
    folded ||= isFolded
    return next === before_told ? group : { ...group, told: inBase64(next.told), earlier: next.earlier.map(inBase64) }
  })
  return { of, held, folded, groups }
}

/** What is told of a month: by place of a person in the view where he is counted (−1: in no department), and the slips as they are told. */
export type ToldSlips = {
  readonly at: Int32Array
  readonly people: Int32Array
  readonly parts: Float64Array
  /** Changes of fewer than three people wait; what fewer than three have is part of something else. */
  readonly isHeld: boolean
  readonly isFolded: boolean
}

/** `paid`: the slips of the month as they are. Null where something is new and cannot be kept: then the month is not told. */
export async function toldIn(
  ctx: Opening,
  view: ChartView & { readonly fewest: number },
  month: string,
  paid: Sheaf,
): Promise<ToldSlips | null> {
  for (let tries = 0; tries < most_tries; tries += 1) {
    const before = await keptOf(ctx, month)
    const now = toldOf(view, before, paid)
    if (now !== before) {
      if (!ctx.may_write) return null
      if (!(await keep(ctx, month, before, now))) continue
    }
    return { ...placedIn(view, now.groups), isHeld: now.held, isFolded: now.folded }
  }
  return null
}

function placedIn(view: ChartView, groups: readonly KeptGroup[]): Pick<ToldSlips, 'at' | 'people' | 'parts'> {
  const personOf = new Map(view.people.map(({ id }, person) => [keyOfPerson(id), person]))
  const places = new Map(view.tree.map(({ id }, place) => [id, place]))
  const at = Int32Array.from(view.people, () => -1)
  const people: number[] = []
  const sheaves = groups.map(({ path, told }) => {
    const sheaf = unpackParts(packedOf(told))
    const place = placeOfGroup(path, places)
    for (const key of sheaf.people) {
      const person = personOf.get(key) ?? -1
      people.push(person)
      if (person >= 0) at[person] = place
    }
    return sheaf.parts
  })
  const parts = new Float64Array(people.length * part_count)
  let end = 0
  for (const one of sheaves) {
    parts.set(one, end)
    end += one.length
  }
  return { at, people: Int32Array.from(people), parts }
}
