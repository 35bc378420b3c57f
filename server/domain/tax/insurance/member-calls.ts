/** People's bases: what each pays in a month, who is missing, whose base is of last year's scheme. Writes member_insurance. */
import { setImmediate } from 'node:timers/promises'
import * as contract from '../../../contract/wage/insurance.ts'
import type { InsuranceState } from '../../../contract/wage/kinds.ts'
import { schemeFor } from '../../../rules/law/insurance/scheme.ts'
import { monthOf } from '../../../runtime/clock.ts'
import { takeTurn } from '../../../runtime/data/turns.ts'
import { type Ctx, handle, invalid } from '../../../runtime/handle.ts'
import { changedMeanwhile, keptPeople, mustKeep, namedPeople } from '../people.ts'
import { insuranceKept, type KeptInsurance } from './document.ts'
import { entryFault, tidyEntries } from './entries.ts'
import { lastYearOf } from './last-year.ts'
import { entryIn, type InsuranceOfMonth, insuranceIn } from './month.ts'
import { type Schemes, schemesNow } from './schemes.ts'

/** People reckoned between turns of the event loop. */
const a_turn = 100
type Found = {
  readonly version: number
  readonly kept: KeptInsurance
  readonly now: InsuranceOfMonth | null
  readonly states: readonly InsuranceState[]
}

function foundOf(version: number, kept: KeptInsurance, month: string, schemes: Schemes): Found {
  const entry = entryIn(kept, month)
  const now = insuranceIn(entry, month, schemes)
  const scheme = entry && schemeFor(schemes.get(entry.city) ?? [], month)
  const states: InsuranceState[] = []
  if (entry === null) states.push('missing')
  if (now && 'refused' in now) states.push('faulty')
  // A year of the city has begun since his base was set.
  if (entry?.insured && scheme && entry.from < scheme.valid_from) states.push('adjust')
  return { version, kept, now, states }
}

async function openAll(ctx: Ctx, people: readonly string[], month: string): Promise<Map<string, Found>> {
  const schemes = await schemesNow(ctx)
  const found = new Map<string, Found>()
  for (const [at, row] of (await insuranceKept.sealed(ctx, people)).entries()) {
    if (at % a_turn === a_turn - 1) await setImmediate()
    found.set(row.member_id, foundOf(row.version, insuranceKept.open(ctx, row), month, schemes))
  }
  return found
}

export const getMemberInsurance = handle(contract.getMemberInsurance, async (ctx, input) => {
  const { page, pagesize, state, month = monthOf(ctx.now) } = input
  const people = await keptPeople(ctx, input)
  const found = await openAll(ctx, people, month)
  const has = (id: string, wanted: InsuranceState) => found.get(id)?.states.includes(wanted) ?? wanted === 'missing'
  const counted = (wanted: InsuranceState) => people.filter((id) => has(id, wanted)).length
  const shown = state ? people.filter((id) => has(id, state)) : people
  const named = await namedPeople(ctx, shown.slice((page - 1) * pagesize, page * pagesize))
  const ids = named.map(({ member_id }) => member_id)
  const last = await lastYearOf(ctx, ids, Number(month.slice(0, 4)) - 1)
  return {
    list: named.map(({ member_id, name, employee_no, departments }) => ({
      member_id,
      name,
      employee_no,
      departments,
      ...told(found.get(member_id)),
      last_year: last.get(member_id) ?? null,
    })),
    page: { page, pagesize, total: shown.length },
    month,
    counts: {
      people: people.length,
      entered: people.length - counted('missing'),
      missing: counted('missing'),
      faulty: counted('faulty'),
      adjust: counted('adjust'),
    },
  }
})

type Told = Pick<contract.MemberInsurance, 'version' | 'entries' | 'now' | 'refused' | 'to_adjust'>
function told(found: Found | undefined): Told {
  if (!found) return { version: 0, entries: [], now: null, refused: null, to_adjust: false }
  const { version, kept, now, states } = found
  const isRefused = now !== null && 'refused' in now
  return {
    version,
    entries: kept.entries.toReversed(),
    now:
      now && !isRefused
        ? {
            items: now.items.map(({ code, base, employee, employer }) => ({
              code,
              base_fen: base,
              employee_fen: employee,
              employer_fen: employer,
            })),
            employee_fen: now.employee_total,
            employer_fen: now.employer_total,
            steps: [...now.steps],
          }
        : null,
    refused: isRefused ? now.refused : null,
    to_adjust: states.includes('adjust'),
  }
}

export const saveMemberInsurance = handle(contract.saveMemberInsurance, async (ctx, { members }) => {
  const ids = members.map(({ member_id }) => member_id)
  if (new Set(ids).size !== ids.length) throw invalid('members', '同一位员工填写了两次，请刷新后重试')
  await mustKeep(ctx, ids)
  const schemes = await schemesNow(ctx)
  for (const [at, { entries }] of members.entries()) {
    const fault = entryFault(entries, schemes)
    if (fault) throw invalid(`members.${at}.${fault.field}`, fault.message)
  }
  await takeTurn(ctx, 'insurance')
  const before = new Map((await insuranceKept.sealed(ctx, ids)).map(({ member_id, version }) => [member_id, version]))
  if (members.some(({ member_id, version }) => (before.get(member_id) ?? 0) !== version)) throw changedMeanwhile()
  await insuranceKept.keep(
    ctx,
    members.map(({ member_id, version, entries }) => ({ member_id, version, value: { entries: tidyEntries(entries) } })),
  )
  ctx.about({ people: members.length })
  return { saved: members.length }
})
