/** Benchmarks the roster of a large company from the file to its members, by the real calls, and the undo of the import. */
import * as contract from '../../server/contract/directory/import.ts'
import { newId } from '../../server/shared/ids.ts'
import { makeXlsx } from '../support/files/xlsx.ts'
import { type Caller, startWorld, type World } from '../support/world.ts'
import { person } from './baseline.ts'

export const header = ['姓名', '手机号', '工号', '部门', '岗位', '入职日期']
export const getRow = (row: number): string[] => {
  const { name, mobile, employee_no } = person(row)
  const group = row % 2_000
  return [name, mobile, employee_no, `中心${group % 40}/小组${group}`, '工程师', `2024-0${1 + (row % 9)}-1${row % 9}`]
}

export type RosterRound = { readonly plan: number; readonly carry: number; readonly first: number; readonly undo: number }
type Bench = { readonly bytes: Buffer; readonly cells: readonly string[][]; round(): Promise<RosterRound> }

/** Creates an empty company into which members are imported and removed again, as often as requested. */
export async function rostering(people: number, work: (bench: Bench) => Promise<void>): Promise<void> {
  const world = await startWorld()
  try {
    const corp = await world.createCompany()
    const caller = await world.signIn(await corp.person({ power: ['4'], name: '负责人' }))
    const cells = Array.from({ length: people }, (_, row) => getRow(row))
    const bytes = makeXlsx({ sheets: [{ name: '花名册', rows: [header, ...cells] }] })
    await work({ bytes, cells, round: () => one(world, caller, bytes, people) })
  } finally {
    await world.close()
  }
}

async function one(world: World, caller: Caller, bytes: Buffer, people: number): Promise<RosterRound> {
  // The rate limit counts uploads by the minute.
  world.clock.advance(60_000)
  const import_id = newId()
  const began = performance.now()
  const reading = caller.must(contract.importMemberFile, { import_id }, { file: { name: 'bench.xlsx', bytes } })
  let first = Number.NaN
  while (Number.isNaN(first)) {
    const { code } = await caller.call(contract.getImport, { import_id })
    if (code === 0) first = performance.now() - began
  }
  const { counts } = await reading
  const plan = performance.now() - began
  const since = performance.now()
  const { created } = await caller.must(contract.uploadMembers, { import_id, mode: 'update' })
  const carry = performance.now() - since
  if (created !== people) throw new Error(`${created} came, ${JSON.stringify(counts)}`)
  const from = performance.now()
  await caller.must(contract.undoImport, { import_id })
  return { plan, carry, first, undo: performance.now() - from }
}
