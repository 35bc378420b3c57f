/**
 * Amounts of a month as published to users who may not open its payslips: the groups into which the members were
 * divided at the first publication, and the last published amounts of each group. They are stored so that no two
 * queries differ by one member (docs/decisions/20261123-use-cached-amounts-for-charts.md and
 * 20261124-use-delayed-sums-for-small-groups.md). Writes chart_groups.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { defineDocument } from '../../crypto/sealed-document.ts'
import type { CompanyVaultTx } from '../../database/company-tx.ts'
import { divideIntoGroups, findGroupDepartment, type MemberGroup } from './rules/divide-groups.ts'
import { mergeSmallComponents } from './rules/merge-components.ts'
import { type ComponentTable, componentCount, toMemberKey, unpackComponents } from './rules/packed-components.ts'
import { publishGroup, selectMembers } from './rules/publish-group.ts'
import type { ChartView } from './rules/totals.ts'

type ReportTx = CompanyVaultTx & { readonly canWrite: boolean }
/** `published` and `earlier` hold the states of the published group in base64. */
type StoredGroup = MemberGroup<string> & { readonly published: string; readonly earlier: readonly string[] }
/** `of` is the digest of the payslips behind the snapshot; while the digest is unchanged, the snapshot is reused. */
type GroupsSnapshot = {
  readonly of: string
  readonly suppressed: boolean
  readonly folded: boolean
  readonly groups: readonly StoredGroup[]
}
type StoredSnapshot = GroupsSnapshot & { readonly sealed: Buffer }

const textListSchema = z.array(z.string())
/** `memberIndexes`: their ids. */
type GroupsDocument = {
  groups: { path: string[]; people: string[]; published: string; earlier: string[] }[]
  of: string
  suppressed: boolean
  folded: boolean
}
const groupsDocument = defineDocument<GroupsDocument>({
  kind: 'groups of a chart',
  version: 1,
  schema: z.object({
    groups: z.array(z.object({ path: textListSchema, people: textListSchema, published: z.string(), earlier: textListSchema })),
    of: z.string(),
    suppressed: z.boolean(),
    folded: z.boolean(),
  }),
})
const getGroupsPosition = (month: string) => ({ table: 'chart_groups', row: month, column: 'groups' })

/** Number of attempts when concurrent requests divide the same month. */
const maxAttempts = 3

async function loadSnapshot({ db, company_id, vault }: ReportTx, month: string): Promise<StoredSnapshot | null> {
  const row = await db
    .selectFrom('chart_groups')
    .select('groups')
    .where('company_id', '=', company_id)
    .where('month', '=', month)
    .executeTakeFirst()
  return row ? { sealed: row.groups, ...groupsDocument.open(vault, getGroupsPosition(month), row.groups) } : null
}

/** Saves the snapshot unless a concurrent request has saved another one meanwhile. */
async function saveSnapshot(
  { db, company_id, vault }: ReportTx,
  month: string,
  previous: StoredSnapshot | null,
  next: GroupsSnapshot,
) {
  const document: GroupsDocument = {
    ...next,
    groups: next.groups.map(({ path, people, published, earlier }) => ({
      path: [...path],
      people: [...people],
      published,
      earlier: [...earlier],
    })),
  }
  const groups = groupsDocument.seal(vault, getGroupsPosition(month), document)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('chart_groups')
    .values({ company_id, month, groups })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'month'])
        .doUpdateSet({ groups })
        .where(sql<boolean>`chart_groups.groups = ${previous?.sealed ?? null}::bytea`),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

const encodeBase64 = (packed: Buffer): string => packed.toString('base64')
const decodeBase64 = (text: string): Buffer => Buffer.from(text, 'base64')

const hashComponents = ({ memberKeys, components }: ComponentTable): string =>
  createHash('sha256')
    .update(memberKeys.join(''), 'latin1')
    .update(new Uint8Array(components.buffer, components.byteOffset, components.byteLength))
    .digest('base64')

/** Computes what is published now, including members in no group yet: at least three of them together, else they wait. */
function computeSnapshot(
  view: ChartView & { readonly minGroupSize: number },
  previous: StoredSnapshot | null,
  paidComponents: ComponentTable,
): GroupsSnapshot {
  const sourceHash = hashComponents(paidComponents)
  if (previous?.of === sourceHash) return previous
  const existingGroups = previous?.groups ?? []
  const groupedIds = new Set(existingGroups.flatMap(({ people }) => people))
  const presentKeys = new Set(paidComponents.memberKeys)
  const newcomers = view.members.flatMap(({ id, departmentIndex }) =>
    groupedIds.has(id) || !presentKeys.has(toMemberKey(id)) ? [] : [{ member: id, departmentIndex }],
  )
  const isEnough = newcomers.length >= view.minGroupSize
  const newGroups = isEnough ? divideIntoGroups(view.tree, newcomers, view.minGroupSize) : []
  let [isSuppressed, hasMergedComponents] = [newcomers.length > 0 && !isEnough, false]
  const groups = [...existingGroups, ...newGroups.map((group): StoredGroup => ({ ...group, published: '', earlier: [] }))].map(
    (group) => {
      const groupComponents = selectMembers(paidComponents, group.people)
      const { components, hasMergedComponents: isFolded } = mergeSmallComponents(groupComponents, view.minGroupSize)
      const previousGroup = { published: decodeBase64(group.published), previousStates: group.earlier.map(decodeBase64) }
      const { group: next, isSuppressed: isGroupSuppressed } = publishGroup(
        { memberKeys: groupComponents.memberKeys, components },
        previousGroup,
        view.minGroupSize,
      )
      isSuppressed ||= isGroupSuppressed
      hasMergedComponents ||= isFolded
      return next === previousGroup
        ? group
        : { ...group, published: encodeBase64(next.published), earlier: next.previousStates.map(encodeBase64) }
    },
  )
  return { of: sourceHash, suppressed: isSuppressed, folded: hasMergedComponents, groups }
}

/** The published payslips of a month, and for each member of the view the department in which they are counted (−1: none). */
export type VisiblePayslips = {
  readonly departmentIndexes: Int32Array
  readonly memberIndexes: Int32Array
  readonly components: Float64Array
  /**
   * `isSuppressed` means that changes of fewer than three members are held back. `hasMergedComponents` means that
   * components that fewer than three members have are merged into others.
   */
  readonly isSuppressed: boolean
  readonly hasMergedComponents: boolean
}

/**
 * Loads the published payslips of a month. `paidComponents` are its current payslips. Returns null if something changed
 * and cannot be stored; then the month is not shown.
 */
export async function loadVisiblePayslips(
  ctx: ReportTx,
  view: ChartView & { readonly minGroupSize: number },
  month: string,
  paidComponents: ComponentTable,
): Promise<VisiblePayslips | null> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const previous = await loadSnapshot(ctx, month)
    const next = computeSnapshot(view, previous, paidComponents)
    if (next !== previous) {
      if (!ctx.canWrite) return null
      if (!(await saveSnapshot(ctx, month, previous, next))) continue
    }
    return { ...toVisiblePayslips(view, next.groups), isSuppressed: next.suppressed, hasMergedComponents: next.folded }
  }
  return null
}

function toVisiblePayslips(
  view: ChartView,
  groups: readonly StoredGroup[],
): Pick<VisiblePayslips, 'departmentIndexes' | 'memberIndexes' | 'components'> {
  const memberIndexByKey = new Map(view.members.map(({ id }, memberIndex) => [toMemberKey(id), memberIndex]))
  const departmentIndexById = new Map(view.tree.map(({ id }, departmentIndex) => [id, departmentIndex]))
  const departmentIndexes = Int32Array.from(view.members, () => -1)
  const memberIndexes: number[] = []
  const groupTables = groups.map(({ path, published }) => {
    const table = unpackComponents(decodeBase64(published))
    const departmentIndex = findGroupDepartment(path, departmentIndexById)
    for (const key of table.memberKeys) {
      const memberIndex = memberIndexByKey.get(key) ?? -1
      memberIndexes.push(memberIndex)
      if (memberIndex >= 0) departmentIndexes[memberIndex] = departmentIndex
    }
    return table.components
  })
  const components = new Float64Array(memberIndexes.length * componentCount)
  let end = 0
  for (const one of groupTables) {
    components.set(one, end)
    end += one.length
  }
  return { departmentIndexes, memberIndexes: Int32Array.from(memberIndexes), components }
}
