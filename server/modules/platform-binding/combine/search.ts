/**
 * Searches a platform that hides names for users with the names of roster members: the platform returns candidates, and
 * an administrator decides. Writes platform_user.
 */
import { sql } from 'kysely'
import * as contract from '../../../contract/platform-binding/platform-users.ts'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { normalizeText } from '../../../rules/text.ts'
import { streamMatchCandidates } from '../../directory/index.ts'
import { saveBindingEvent } from '../binding-rows.ts'
import { listLinks, type PlatformCompany } from '../links.ts'
import { type HiddenNamesDeps, requireHiddenNames, withPlatformErrors } from './hidden-names.ts'
import { removeLinkedCandidates } from './remove-linked-candidates.ts'

/** Names per request: enough that nobody has to repeat the search, and within the platform's limit per minute. */
const maxNames = 10_000
/** Concurrent calls. */
const concurrentCalls = 4
const maxCandidates = 5

export const searchPlatformUsers = (deps: HiddenNamesDeps) =>
  defineHandler(contract.searchPlatformUsers, { kind: 'external' }, async (ctx) => {
    const { app, hidden, names } = await ctx.inTransaction(async (inside) => {
      const { binding, ...bound } = await requireIdleBinding(inside, deps)
      return { ...bound, names: await getUnlinkedMemberNames(inside, binding) }
    })
    const searchedNames = [...names.keys()].slice(0, maxNames)
    const batches = Array.from({ length: Math.ceil(searchedNames.length / hidden.maxNamesPerCall) }, (_, at) =>
      searchedNames.slice(at * hidden.maxNamesPerCall, (at + 1) * hidden.maxNamesPerCall),
    )
    /** Maps a platform user id to the members with the same name. */
    const candidatesByUser = new Map<string, Set<string>>()
    const runWorker = async () => {
      for (let batch = batches.pop(); batch; batch = batches.pop())
        for (const [name, user_ids] of await hidden.findByNames(ctx.noTransaction, app, batch))
          for (const id of user_ids)
            candidatesByUser.set(id, new Set([...(candidatesByUser.get(id) ?? []), ...(names.get(name) ?? [])]))
    }
    await withPlatformErrors(() => Promise.all(Array.from({ length: concurrentCalls }, runWorker)))
    return ctx.mutate(async (inside) => {
      const { binding } = await requireIdleBinding(inside, deps)
      const matchedCount = await saveSuggestions(inside, binding, candidatesByUser)
      await removeLinkedCandidates(inside, binding)
      const counts = { searched: searchedNames.length, matched: matchedCount, remaining: names.size - searchedNames.length }
      await saveBindingEvent(inside, binding.id, {
        kind: 'searched',
        by: inside.currentUser.name,
        detail: { people: matchedCount },
      })
      ctx.addAuditDetails(counts)
      return counts
    })
  })

/** During a directory sync the sync itself writes these rows. */
async function requireIdleBinding(ctx: HandlerContext, deps: HiddenNamesDeps) {
  const bound = await requireHiddenNames(ctx, deps)
  const { status } = bound.binding
  if (status === 20) throw fail('wrong_state', '正在同步通讯录，请等同步完成', { status })
  return bound
}

/** Returns the unlinked roster members by name; several may share one. */
async function getUnlinkedMemberNames(companyTx: CompanyTimeTx, corp: PlatformCompany): Promise<Map<string, string[]>> {
  const linkedMemberIds = new Set((await listLinks(companyTx, corp)).map(({ member_id }) => member_id))
  const names = new Map<string, string[]>()
  for await (const page of streamMatchCandidates(companyTx))
    for (const { member_id, name } of page) {
      // The platform rejects longer names.
      const searchName = normalizeText(name).slice(0, 64)
      if (searchName && !linkedMemberIds.has(member_id)) names.set(searchName, [...(names.get(searchName) ?? []), member_id])
    }
  return names
}

/** Stores suggestions for users who are neither linked nor ignored. Returns their number. */
async function saveSuggestions(
  companyTx: CompanyTimeTx,
  corp: PlatformCompany,
  candidatesByUser: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<number> {
  const rows = [...candidatesByUser].map(([user_id, ids]) => ({ user_id, candidates: [...ids].slice(0, maxCandidates) }))
  const rowsPerStatement = 2_000
  let savedCount = 0
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const { numAffectedRows = 0n } = await sql`
      update platform_user as person set match_status = 'suggested', match_reason = 'search',
        candidates = array(select jsonb_array_elements_text(updated.candidates)::uuid)
      from jsonb_to_recordset(${JSON.stringify(rows.slice(from, from + rowsPerStatement))}::jsonb) as updated (user_id text, candidates jsonb)
      where person.company_id = ${companyTx.company_id} and person.provider = ${corp.provider} and person.corp_id = ${corp.corp_id}
        and person.user_id = updated.user_id and person.member_id is null and person.removed_at is null
        and (person.match_status = 'new' or person.match_reason = 'search')`.execute(companyTx.db)
    savedCount += Number(numAffectedRows)
  }
  return savedCount
}
