/** The department tree in SQL compared with its in-memory twin: the same results on random trees. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { departmentAncestorsCte, selectDepartmentSubtree } from '../../../server/database/department-tree.ts'
import { type DepartmentTreeNode, getAncestors, getDescendantIds } from '../../../server/rules/departments.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { seeded } from '../../support/random.ts'
import type { Corp } from '../../support/world.ts'

const world = demoWorld()

/** Builds a forest: some departments have no parent, and any earlier one may be the parent. */
async function grow(corp: Corp, seed: number, count: number): Promise<DepartmentTreeNode[]> {
  const chance = seeded(seed)
  const branches: DepartmentTreeNode[] = []
  for (let at = 0; at < count; at++)
    branches.push({ id: newId(), parent_id: at === 0 || chance.chance(0.1) ? null : chance.pick(branches).id })
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .insertInto('department')
      .values(branches.map((one, position) => ({ ...one, company_id: corp.company_id, name: `部门${position}`, position })))
      .execute(),
  )
  return branches
}

test.each([1, 2, 3])('returns the same descendants and ancestors as SQL for seed %i', async (seed) => {
  const [corp, other] = [await world.createCompany(), await world.createCompany()]
  const tree = await grow(corp, seed, 60)
  const [outsider] = await grow(other, seed, 5)
  const chance = seeded(seed + 100)
  const byId = new Map(tree.map((one) => [one.id, one]))
  await world.database.inCompany(corp.company_id, async (tx) => {
    for (const size of [0, 1, 2, 5]) {
      const some = chance.shuffled(tree.map(({ id }) => id)).slice(0, size)
      // A department of another company is requested as well, and returns nothing.
      const ids = sql`${[...some, outsider?.id]}::uuid[]`
      const { rows } = await sql<{
        ids: string[]
      }>`select array(${selectDepartmentSubtree(corp.company_id, ids)}) as ids`.execute(tx)
      expect(rows[0]?.ids.toSorted()).toEqual([...getDescendantIds(some, tree)].toSorted())
    }
    const { rows } = await sql<{
      id: string
      above: string
    }>`with recursive ${departmentAncestorsCte(corp.company_id)} select id, above from upward`.execute(tx)
    const lines = Map.groupBy(rows, ({ id }) => id)
    for (const { id } of tree)
      expect(
        lines
          .get(id)
          ?.map((one) => one.above)
          .toSorted(),
      ).toEqual([id, ...getAncestors(id, byId).map((one) => one.id)].toSorted())
  })
})

test('terminates on cyclic department values as SQL does', () => {
  const ring = [
    { id: 'a', parent_id: 'c' },
    { id: 'b', parent_id: 'a' },
    { id: 'c', parent_id: 'b' },
  ]
  expect([...getDescendantIds(['a'], ring)].toSorted()).toEqual(['a', 'b', 'c'])
  expect(getAncestors('a', new Map(ring.map((one) => [one.id, one]))).map(({ id }) => id)).toEqual(['c', 'b'])
})
