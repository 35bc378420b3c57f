/** After a large import, progress is shown of the whole and the next query knows the new size of the roster. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import * as contract from '../../../server/contract/directory/import.ts'
import { getDepartList } from '../../../server/contract/directory/members.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { freshPhone } from '../../support/random.ts'
import { asOwner } from '../../support/run/database.ts'

const { world, corp } = demo()
const people = 4_000

it('reports how many of all people are imported, and counts the departments without a full comparison', async () => {
  const head = await world.signIn(await corp.person({ name: '总管', power: ['4'] }))
  // Statistics of a small roster, as autovacuum leaves them before the first large import.
  await asOwner(world, (client) => client.query('analyze member, member_department, department'))
  const getRowEstimate = () =>
    asOwner(world, async (client) => {
      const { rows } = await client.query(`select reltuples::int as count from pg_class where relname = 'member'`)
      return Number(rows[0]?.count)
    })
  const before = await getRowEstimate()
  const rows = Array.from({ length: people }, (_, at) => [`王晓${at}`, freshPhone(), `G-${at}`, `中心${at % 7}/小组${at % 73}`])
  const bytes = makeXlsx({ sheets: [{ name: '员工', rows: [['姓名', '手机号', '工号', '部门'], ...rows] }] })
  const { import_id } = await head.must(contract.importMemberFile, {}, { file: { name: '花名册.xlsx', bytes } })
  const totals = new Set<number>()
  const done = new AbortController()
  const watching = (async () => {
    for (; !done.signal.aborted; await sleep(50)) {
      const { import: current } = await head.must(contract.getImport, { import_id })
      if (current?.stage === 'applying') totals.add(current.total)
    }
  })()
  await head.must(contract.uploadMembers, { import_id, mode: 'update' }).finally(() => done.abort())
  await watching
  expect([...totals]).toEqual([people])
  expect(await getRowEstimate()).toBeGreaterThanOrEqual(before + people)
  const { list } = await head.must(getDepartList, {})
  const added = [...list, ...list.flatMap(({ child }) => child)].filter(({ NAME }) => NAME.startsWith('中心'))
  expect(added.reduce((sum, { count }) => sum + count, 0)).toBe(people)
})
