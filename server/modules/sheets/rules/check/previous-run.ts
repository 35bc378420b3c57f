/** Compares the members of a wage sheet with those of the previous pay run. */
import type { CheckOutcome, NetPayChange } from '../outcome.ts'
import { type MemberAmounts, summaryItems } from './member-amounts.ts'
import { normalizeName, type PayrollMember } from './member-match.ts'
import type { CheckedRow, SheetCheckResult, Totals } from './sheet-check.ts'

export type PreviousPayRun = Totals & { readonly title: string; readonly month: string; readonly amounts: MemberAmounts }

/** Maximum number of listed names of new or missing members. */
const maxListedNames = 500
const maxListedChanges = 5

/** Returns the known, new and missing members, and whose net pay changed most. */
export function compareWithPreviousRun(
  { rows, issues }: Pick<SheetCheckResult, 'rows' | 'issues'>,
  members: readonly PayrollMember[],
  previousRun: PreviousPayRun | null,
): Pick<CheckOutcome, 'last' | 'paidBefore' | 'joined' | 'missing' | 'largest_changes'> {
  if (!previousRun) return { last: null, paidBefore: new Set(), joined: [], missing: [], largest_changes: [] }
  const { amounts, ...summary } = previousRun
  const matched = rows.filter(({ member_id }) => member_id !== null)
  const existingRows = matched.filter(({ member_id }) => amounts.has(member_id ?? ''))
  const presentMembers = new Set(matched.flatMap(({ skipped, member_id }) => (skipped ? [] : [member_id])))
  const newRows = matched.filter(({ skipped, member_id }) => !skipped && !amounts.has(member_id ?? ''))
  // Whoever an open row may belong to is still being asked about, and is not missing yet.
  const open = rows.filter(({ skipped, member_id }) => !skipped && member_id === null)
  const openRows = new Set(open.map(({ row }) => row))
  const openNames = new Set(open.map(({ name }) => normalizeName(name)).filter((name) => name !== ''))
  const openCandidates = new Set(
    issues.flatMap(({ row, candidates }) => (openRows.has(row) ? candidates.map(({ member_id }) => member_id) : [])),
  )
  const missingMembers = members.filter(
    (person) =>
      person.in_scope &&
      amounts.has(person.id) &&
      !presentMembers.has(person.id) &&
      !openCandidates.has(person.id) &&
      !openNames.has(normalizeName(person.name)),
  )
  const manageable = new Set(members.flatMap(({ id, in_scope }) => (in_scope ? [id] : [])))
  return {
    last: summary,
    paidBefore: new Set(existingRows.map(({ row }) => row)),
    joined: newRows.slice(0, maxListedNames).map(({ name }) => ({ name })),
    missing: missingMembers.slice(0, maxListedNames).map(({ id, name }) => ({ member_id: id, name })),
    largest_changes: listLargestChanges(
      existingRows.filter(({ skipped, member_id }) => !skipped && manageable.has(member_id ?? '')),
      amounts,
    ),
  }
}

function listLargestChanges(rows: readonly CheckedRow[], amounts: MemberAmounts): NetPayChange[] {
  // A pay run without a net column has nothing to compare with.
  if (amounts.getColumn(summaryItems.net) < 0) return []
  const getSize = ({ net_fen, previous_net_fen }: NetPayChange) => Math.abs(net_fen - previous_net_fen)
  return rows
    .flatMap(({ row, name, member_id, net_fen }): NetPayChange[] =>
      net_fen === null ? [] : [{ row, name, net_fen, previous_net_fen: amounts.getAmount(member_id ?? '', summaryItems.net) }],
    )
    .filter((change) => getSize(change) > 0)
    .toSorted((a, b) => getSize(b) - getSize(a) || a.row - b.row)
    .slice(0, maxListedChanges)
}
