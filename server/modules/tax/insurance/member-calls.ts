/** Members' contribution bases: monthly amounts, missing members, bases from last year's scheme. Writes member_insurance. */
import { setImmediate } from 'node:timers/promises'
import * as contract from '../../../contract/tax/insurance.ts'
import type { InsuranceState } from '../../../contract/tax/kinds.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { defineHandler, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { findScheme } from '../../../rules/law/insurance/scheme.ts'
import { toShanghaiMonth } from '../../../shared/clock.ts'
import { assertManaged, createConcurrentChangeError, listManagedMemberIds, loadTaxMembers } from '../members.ts'
import { normalizeEntries, validateEntries } from './entries.ts'
import { getLastYearAverages } from './last-year.ts'
import { computeMonthInsurance, findEntry, type MonthInsurance } from './month.ts'
import { loadCurrentSchemes, type SchemesByCity } from './schemes.ts'
import { insuranceStore, type StoredInsurance } from './store.ts'

/** Members computed between yields to the event loop. */
const membersPerRound = 100
type MemberInsuranceRecord = {
  readonly version: number
  readonly stored: StoredInsurance
  readonly current: MonthInsurance | null
  readonly states: readonly InsuranceState[]
}

function toRecord(version: number, stored: StoredInsurance, month: string, schemes: SchemesByCity): MemberInsuranceRecord {
  const entry = findEntry(stored, month)
  const current = computeMonthInsurance(entry, month, schemes)
  const scheme = entry && findScheme(schemes.get(entry.city) ?? [], month)
  const states: InsuranceState[] = []
  if (entry === null) states.push('missing')
  if (current && 'refused' in current) states.push('faulty')
  // A new contribution year of the city has begun since the base was set.
  if (entry?.insured && scheme && entry.from < scheme.valid_from) states.push('adjust')
  return { version, stored, current, states }
}

async function openAllInsurance(
  ctx: HandlerContext,
  people: readonly string[],
  month: string,
): Promise<Map<string, MemberInsuranceRecord>> {
  const schemes = await loadCurrentSchemes(ctx)
  const recordByMember = new Map<string, MemberInsuranceRecord>()
  for (const [at, row] of (await insuranceStore.sealed(ctx, people)).entries()) {
    if (at % membersPerRound === membersPerRound - 1) await setImmediate()
    recordByMember.set(row.member_id, toRecord(row.version, insuranceStore.open(ctx, row), month, schemes))
  }
  return recordByMember
}

export const getMemberInsurance = defineHandler(contract.getMemberInsurance, async (ctx, input) => {
  const { page, pagesize, state, month = toShanghaiMonth(ctx.now) } = input
  const memberIds = await listManagedMemberIds(ctx, input)
  const recordByMember = await openAllInsurance(ctx, memberIds, month)
  const hasState = (id: string, requestedState: InsuranceState) =>
    recordByMember.get(id)?.states.includes(requestedState) ?? requestedState === 'missing'
  const countWithState = (requestedState: InsuranceState) => memberIds.filter((id) => hasState(id, requestedState)).length
  const matches = state ? memberIds.filter((id) => hasState(id, state)) : memberIds
  const members = await loadTaxMembers(ctx, matches.slice((page - 1) * pagesize, page * pagesize))
  const ids = members.map(({ member_id }) => member_id)
  const last = await getLastYearAverages(ctx, ids, Number(month.slice(0, 4)) - 1)
  return {
    list: members.map(({ member_id, name, employee_no, departments }) => ({
      member_id,
      name,
      employee_no,
      departments,
      ...toMemberInsurance(recordByMember.get(member_id)),
      last_year: last.get(member_id) ?? null,
    })),
    page: { page, pagesize, total: matches.length },
    month,
    counts: {
      people: memberIds.length,
      entered: memberIds.length - countWithState('missing'),
      missing: countWithState('missing'),
      faulty: countWithState('faulty'),
      adjust: countWithState('adjust'),
    },
  }
})

type MemberInsuranceOutput = Pick<contract.MemberInsurance, 'version' | 'entries' | 'current' | 'refused' | 'needs_adjustment'>
function toMemberInsurance(record: MemberInsuranceRecord | undefined): MemberInsuranceOutput {
  if (!record) return { version: 0, entries: [], current: null, refused: null, needs_adjustment: false }
  const { version, stored, current, states } = record
  const isRefused = current !== null && 'refused' in current
  return {
    version,
    entries: stored.entries.toReversed(),
    current:
      current && !isRefused
        ? {
            items: current.items.map(({ code, base, employee, employer }) => ({
              code,
              base_fen: base,
              employee_fen: employee,
              employer_fen: employer,
            })),
            employee_fen: current.employee_total,
            employer_fen: current.employer_total,
            steps: [...current.steps],
          }
        : null,
    refused: isRefused ? current.refused : null,
    needs_adjustment: states.includes('adjust'),
  }
}

export const saveMemberInsurance = defineHandler(contract.saveMemberInsurance, async (ctx, { members }) => {
  const ids = members.map(({ member_id }) => member_id)
  if (new Set(ids).size !== ids.length) throw invalidInput('members', '同一位员工填写了两次，请刷新后重试')
  await assertManaged(ctx, ids)
  const schemes = await loadCurrentSchemes(ctx)
  for (const [at, { entries }] of members.entries()) {
    const error = validateEntries(entries, schemes)
    if (error) throw invalidInput(`members.${at}.${error.field}`, error.message)
  }
  await lockCompanySubject(ctx, 'insurance')
  const storedVersions = new Map((await insuranceStore.sealed(ctx, ids)).map(({ member_id, version }) => [member_id, version]))
  if (members.some(({ member_id, version }) => (storedVersions.get(member_id) ?? 0) !== version))
    throw createConcurrentChangeError()
  await insuranceStore.keep(
    ctx,
    members.map(({ member_id, version, entries }) => ({ member_id, version, value: { entries: normalizeEntries(entries) } })),
  )
  ctx.addAuditDetails({ people: members.length })
  return { saved: members.length }
})
