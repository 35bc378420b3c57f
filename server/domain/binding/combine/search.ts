/** Who of a platform that hides names is called as somebody of the roster: it names them, and a person decides. Writes platform_person. */
import { sql } from 'kysely'
import * as contract from '../../../contract/people/colleagues.ts'
import { tidy } from '../../../rules/text.ts'
import { type Ctx, handleOutside, refuse } from '../../../runtime/handle.ts'
import { everybodyTellable } from '../../member/index.ts'
import { linked, type PlatformCorp } from '../links.ts'
import { tellOf } from '../rows.ts'
import { type HiddenParts, hiddenOf, whileHidden } from './hidden.ts'
import type { MatchCtx } from './match.ts'
import { dropTaken } from './taken.ts'

/** Names of one press: so many that nobody has to press twice, and no more than the platform allows in a minute. */
const most_names = 10_000
/** Calls under way at once. */
const abreast = 4
const most_candidates = 5

export const searchColleagues = (parts: HiddenParts) =>
  handleOutside(contract.searchColleagues, async (ctx) => {
    const { app, hidden, names } = await ctx.inTransaction(async (inside) => {
      const { binding, ...bound } = await restingOf(inside, parts)
      return { ...bound, names: await unlinkedNames(inside, binding) }
    })
    const wanted = [...names.keys()].slice(0, most_names)
    const batches = Array.from({ length: Math.ceil(wanted.length / hidden.at_once) }, (_, at) =>
      wanted.slice(at * hidden.at_once, (at + 1) * hidden.at_once),
    )
    /** By account of the platform, who of the roster is called as its person. */
    const called = new Map<string, Set<string>>()
    const work = async () => {
      for (let batch = batches.pop(); batch; batch = batches.pop())
        for (const [name, user_ids] of await hidden.search(ctx.outdoors, app, batch))
          for (const id of user_ids) called.set(id, new Set([...(called.get(id) ?? []), ...(names.get(name) ?? [])]))
    }
    await whileHidden(() => Promise.all(Array.from({ length: abreast }, work)))
    return ctx.deed(async (inside) => {
      const { binding } = await restingOf(inside, parts)
      const found = await suggest(inside, binding, called)
      await dropTaken(inside, binding)
      const figures = { asked: wanted.length, found, left: names.size - wanted.length }
      await tellOf(inside, binding.id, { kind: 'searched', by: inside.me.name, detail: { people: found } })
      ctx.about(figures)
      return figures
    })
  })

/** While the directory is read its rows are written by that. */
async function restingOf(ctx: Ctx, parts: HiddenParts) {
  const bound = await hiddenOf(ctx, parts)
  const { status } = bound.binding
  if (status === 20) throw refuse('wrong_state', '正在同步通讯录，请等同步完成', { status })
  return bound
}

/** Of the roster who is nobody there, by name: several may be called so. */
async function unlinkedNames(here: MatchCtx, corp: PlatformCorp): Promise<Map<string, string[]>> {
  const held = new Set((await linked(here, corp)).map(({ member_id }) => member_id))
  const names = new Map<string, string[]>()
  for await (const page of everybodyTellable(here))
    for (const { member_id, name } of page) {
      // What is longer the platform does not take.
      const said = tidy(name).slice(0, 64)
      if (said && !held.has(member_id)) names.set(said, [...(names.get(said) ?? []), member_id])
    }
  return names
}

/** Those who are linked to nobody, and whom nobody has left out. Answers how many. */
async function suggest(here: MatchCtx, corp: PlatformCorp, called: ReadonlyMap<string, ReadonlySet<string>>): Promise<number> {
  const rows = [...called].map(([user_id, ids]) => ({ user_id, candidates: [...ids].slice(0, most_candidates) }))
  const a_statement = 2_000
  let found = 0
  for (let from = 0; from < rows.length; from += a_statement) {
    const { numAffectedRows = 0n } = await sql`
      update platform_person as person set standing = 'suggested', why = 'search',
        candidates = array(select jsonb_array_elements_text(told.candidates)::uuid)
      from jsonb_to_recordset(${JSON.stringify(rows.slice(from, from + a_statement))}::jsonb) as told (user_id text, candidates jsonb)
      where person.company_id = ${here.company_id} and person.provider = ${corp.provider} and person.corp_id = ${corp.corp_id}
        and person.user_id = told.user_id and person.member_id is null and person.gone_at is null
        and (person.standing = 'new' or person.why = 'search')`.execute(here.db)
    found += Number(numAffectedRows)
  }
  return found
}
