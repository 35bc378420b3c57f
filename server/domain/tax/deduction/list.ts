/** Deductions as the page lists them: what counts now, what ends soon, what nobody has confirmed for the year. */
import { setImmediate } from 'node:timers/promises'
import * as contract from '../../../contract/wage/deductions.ts'
import type { DeductionState } from '../../../contract/wage/kinds.ts'
import { dayOf, monthOf } from '../../../runtime/clock.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { keptPeople, type NamedPerson, namedPeople } from '../people.ts'
import { deductionsKept, type KeptDeductions } from './document.ts'
import { expiryOf, isExpiring, shownItem } from './expiry.ts'
import { type DeductionsOfMonth, deductionsIn, isConfirmed } from './month.ts'

/** People opened between turns of the event loop. */
const a_turn = 200
type Found = { readonly version: number; readonly kept: KeptDeductions; readonly states: readonly DeductionState[] }

/** In December the next year is asked about: it has to be confirmed before January is reckoned. */
export const confirmYear = (month: string): number => Number(month.slice(0, 4)) + (month.endsWith('-12') ? 1 : 0)

function statesOf(kept: KeptDeductions, today: string): DeductionState[] {
  // Whoever had some and has none any more is as if nothing had been entered.
  if (kept.items.length === 0) return ['none']
  const month = today.slice(0, 7)
  const isCounting = isConfirmed(kept, Number(month.slice(0, 4)))
  const { refused } = deductionsIn(kept, month, { hired: null, left: null })
  return [
    ...(kept.items.some((item) => isExpiring(expiryOf(item, today))) ? (['expiring'] as const) : []),
    ...(isConfirmed(kept, confirmYear(month)) ? [] : (['unconfirmed'] as const)),
    ...(isCounting && refused !== null ? (['faulty'] as const) : []),
  ]
}

export const getDeductionList = handle(contract.getDeductionList, async (ctx, input) => {
  const { page, pagesize, state, kind } = input
  const today = dayOf(ctx.now)
  const month = monthOf(ctx.now)
  const people = await keptPeople(ctx, input)
  const found = await openAll(ctx, people, today)
  const has = (id: string, wanted: DeductionState) => found.get(id)?.states.includes(wanted) ?? wanted === 'none'
  const counted = (wanted: DeductionState) => people.filter((id) => has(id, wanted)).length
  const shown = people.filter(
    (id) => (!state || has(id, state)) && (!kind || found.get(id)?.kept.items.some((item) => item.kind === kind)),
  )
  const named = await namedPeople(ctx, shown.slice((page - 1) * pagesize, page * pagesize))
  return {
    list: named.map((person) => told(person, found.get(person.member_id), today)),
    page: { page, pagesize, total: shown.length },
    month,
    confirm_year: confirmYear(month),
    counts: {
      people: people.length,
      entered: people.length - counted('none'),
      expiring: counted('expiring'),
      unconfirmed: counted('unconfirmed'),
      faulty: counted('faulty'),
      none: counted('none'),
    },
  }
})

async function openAll(ctx: Ctx, people: readonly string[], today: string): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  for (const [at, row] of (await deductionsKept.sealed(ctx, people)).entries()) {
    if (at % a_turn === a_turn - 1) await setImmediate()
    const kept = deductionsKept.open(ctx, row)
    found.set(row.member_id, { version: row.version, kept, states: statesOf(kept, today) })
  }
  return found
}

type Told = contract.MemberDeductions
function told({ entry_on, ...person }: NamedPerson, found: Found | undefined, today: string): Told {
  if (!found)
    return { ...person, version: 0, confirmed_year: null, items: [], month_fen: 0, year_fen: 0, refused: null, steps: [] }
  const { kept, version } = found
  const month = today.slice(0, 7)
  const employed = { hired: entry_on && entry_on.slice(0, 4) === month.slice(0, 4) ? entry_on.slice(0, 7) : null, left: null }
  const now = deductionsIn(kept, month, employed)
  return {
    ...person,
    version,
    confirmed_year: kept.confirmed_year,
    items: kept.items.map((item) => shownItem(item, today)),
    month_fen: now.additional_cumulative - before(kept, month, employed),
    year_fen: now.additional_cumulative,
    refused: now.refused,
    steps: [...now.steps],
  }
}

type Employed = Parameters<typeof deductionsIn>[2]
/** What the year had come to at the end of the month before. */
function before(kept: KeptDeductions, month: string, employed: Employed): number {
  const at = Number(month.slice(5, 7))
  if (at === 1) return 0
  const last: DeductionsOfMonth = deductionsIn(kept, `${month.slice(0, 5)}${String(at - 1).padStart(2, '0')}`, employed)
  return last.additional_cumulative
}
