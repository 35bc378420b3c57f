/** The deductions list: what applies now, what ends soon, and what is not confirmed for the year. */
import { setImmediate } from 'node:timers/promises'
import * as contract from '../../../contract/tax/deductions.ts'
import type { DeductionState } from '../../../contract/tax/kinds.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { toShanghaiDate, toShanghaiMonth } from '../../../shared/clock.ts'
import { listManagedMemberIds, loadTaxMembers, type TaxMember } from '../members.ts'
import { getExpiry, isExpiring, toDeductionItemView } from './expiry.ts'
import { computeMonthDeductions, isConfirmedForYear, type MonthDeductions } from './month.ts'
import { deductionStore, type StoredDeductions } from './store.ts'

/** Members decrypted between yields to the event loop. */
const membersPerRound = 200
type StoredMemberDeductions = {
  readonly version: number
  readonly stored: StoredDeductions
  readonly states: readonly DeductionState[]
}

/** In December, the next year is concerned, because it has to be confirmed before January is computed. */
export const getConfirmationYear = (month: string): number => Number(month.slice(0, 4)) + (month.endsWith('-12') ? 1 : 0)

function getDeductionStates(stored: StoredDeductions, today: string): DeductionState[] {
  // A member whose items were all removed counts as having none entered.
  if (stored.items.length === 0) return ['none']
  const month = today.slice(0, 7)
  const isCounting = isConfirmedForYear(stored, Number(month.slice(0, 4)))
  const { refused } = computeMonthDeductions(stored, month, { hire_month: null, leave_month: null })
  return [
    ...(stored.items.some((item) => isExpiring(getExpiry(item, today))) ? (['expiring'] as const) : []),
    ...(isConfirmedForYear(stored, getConfirmationYear(month)) ? [] : (['unconfirmed'] as const)),
    ...(isCounting && refused !== null ? (['faulty'] as const) : []),
  ]
}

export const getDeductionList = defineHandler(contract.getDeductionList, async (ctx, input) => {
  const { page, pagesize, state, kind } = input
  const today = toShanghaiDate(ctx.now)
  const month = toShanghaiMonth(ctx.now)
  const memberIds = await listManagedMemberIds(ctx, input)
  const storedByMember = await openAllDeductions(ctx, memberIds, today)
  const hasState = (id: string, requestedState: DeductionState) =>
    storedByMember.get(id)?.states.includes(requestedState) ?? requestedState === 'none'
  const countWithState = (requestedState: DeductionState) => memberIds.filter((id) => hasState(id, requestedState)).length
  const matches = memberIds.filter(
    (id) => (!state || hasState(id, state)) && (!kind || storedByMember.get(id)?.stored.items.some((item) => item.kind === kind)),
  )
  const members = await loadTaxMembers(ctx, matches.slice((page - 1) * pagesize, page * pagesize))
  return {
    list: members.map((person) => toMemberDeductions(person, storedByMember.get(person.member_id), today)),
    page: { page, pagesize, total: matches.length },
    month,
    confirm_year: getConfirmationYear(month),
    counts: {
      people: memberIds.length,
      entered: memberIds.length - countWithState('none'),
      expiring: countWithState('expiring'),
      unconfirmed: countWithState('unconfirmed'),
      invalid: countWithState('faulty'),
      none: countWithState('none'),
    },
  }
})

async function openAllDeductions(
  ctx: HandlerContext,
  people: readonly string[],
  today: string,
): Promise<Map<string, StoredMemberDeductions>> {
  const storedByMember = new Map<string, StoredMemberDeductions>()
  for (const [at, row] of (await deductionStore.sealed(ctx, people)).entries()) {
    if (at % membersPerRound === membersPerRound - 1) await setImmediate()
    const stored = deductionStore.open(ctx, row)
    storedByMember.set(row.member_id, { version: row.version, stored, states: getDeductionStates(stored, today) })
  }
  return storedByMember
}

type MemberDeductionsOutput = contract.MemberDeductions
function toMemberDeductions(
  { entry_on, ...person }: TaxMember,
  record: StoredMemberDeductions | undefined,
  today: string,
): MemberDeductionsOutput {
  if (!record)
    return { ...person, version: 0, confirmed_year: null, items: [], month_fen: 0, year_fen: 0, error_message: null, steps: [] }
  const { stored, version } = record
  const month = today.slice(0, 7)
  const employed = {
    hire_month: entry_on && entry_on.slice(0, 4) === month.slice(0, 4) ? entry_on.slice(0, 7) : null,
    leave_month: null,
  }
  const current = computeMonthDeductions(stored, month, employed)
  return {
    ...person,
    version,
    confirmed_year: stored.confirmed_year,
    items: stored.items.map((item) => toDeductionItemView(item, today)),
    month_fen: current.additional_cumulative - getPreviousCumulative(stored, month, employed),
    year_fen: current.additional_cumulative,
    error_message: current.refused,
    steps: [...current.steps],
  }
}

type EmploymentMonths = Parameters<typeof computeMonthDeductions>[2]
/** Returns the cumulative amount of the year at the end of the previous month. */
function getPreviousCumulative(stored: StoredDeductions, month: string, employed: EmploymentMonths): number {
  const monthNumber = Number(month.slice(5, 7))
  if (monthNumber === 1) return 0
  const previous: MonthDeductions = computeMonthDeductions(
    stored,
    `${month.slice(0, 5)}${String(monthNumber - 1).padStart(2, '0')}`,
    employed,
  )
  return previous.additional_cumulative
}
