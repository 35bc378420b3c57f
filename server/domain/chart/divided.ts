/**
 * The groups into which the people of a month were divided when somebody was first told of them who may not open their slips. Kept, so that they are the
 * same whenever he asks again (docs/decisions/20261123-figures-for-charts.md). Writes chart_groups.
 */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { documentKind } from '../../runtime/data/document.ts'
import type { Ctx } from '../../runtime/handle.ts'
import type { ChartView } from './rules/lines.ts'
import { type CountedGroup, divided, placeOfGroup } from './rules/stand.ts'

type Opening = Pick<Ctx, 'db' | 'company_id' | 'vault'> & { readonly may_write: boolean }
type Kept = { readonly sealed: Buffer; readonly groups: readonly CountedGroup<string>[] }

/** `people`: their ids. */
const chartGroups = documentKind<{ groups: { path: string[]; people: string[] }[] }>({
  kind: 'groups of a chart',
  version: 1,
  schema: z.object({ groups: z.array(z.object({ path: z.array(z.string()), people: z.array(z.string()) })) }),
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
  return row ? { sealed: row.groups, groups: chartGroups.open(vault, placeOf(month), row.groups).groups } : null
}

/** Where nobody else has kept another division meanwhile. */
async function keep(
  { db, company_id, vault }: Opening,
  month: string,
  before: Kept | null,
  all: readonly CountedGroup<string>[],
) {
  const whole = { groups: all.map(({ path, people }) => ({ path: [...path], people: [...people] })) }
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

/**
 * By place of a person in the view, where he is counted in this month (−1: in no department). `paid`: places of those who are paid in it. Null where
 * somebody is in no group and none can be kept: then the month is not told.
 */
export async function groupedIn(
  ctx: Opening,
  view: ChartView & { readonly fewest: number },
  month: string,
  paid: ReadonlySet<number>,
): Promise<Int32Array | null> {
  const personOf = new Map(view.people.map(({ id }, person) => [id, person]))
  const places = new Map(view.tree.map(({ id }, place) => [id, place]))
  for (let tries = 0; tries < most_tries; tries += 1) {
    const before = await keptOf(ctx, month)
    const at = Int32Array.from(view.people, () => -1)
    const placed = new Set<number>()
    const count = ({ path, people }: CountedGroup<string>): void => {
      const place = placeOfGroup(path, places)
      for (const id of people) {
        const person = personOf.get(id)
        if (person === undefined) continue
        at[person] = place
        placed.add(person)
      }
    }
    for (const group of before?.groups ?? []) count(group)
    const known = new Set((before?.groups ?? []).map(({ path }) => placeOfGroup(path, places)))
    const newcomers = [...paid].flatMap((person) => {
      const one = view.people[person]
      return one && !placed.has(person) ? [{ person: one.id, at: one.at }] : []
    })
    if (newcomers.length === 0) return at
    if (!ctx.may_write) return null
    const more = divided(view.tree, newcomers, known, view.fewest)
    for (const group of more) count(group)
    if (await keep(ctx, month, before, [...(before?.groups ?? []), ...more])) return at
  }
  return null
}
