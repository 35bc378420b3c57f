/** Rosters with typical damage, imported without answering questions: no member turns into another. */

import { beforeAll, expect } from 'vitest'
import type { Call, CallOutput, CallRequest } from '../../../server/contract/call.ts'
import * as contract from '../../../server/contract/directory/import.ts'
import type { ImportRowState } from '../../../server/contract/shared/schemas.ts'
import { again as untilDone } from '../../support/callers/http.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { freshPhone, type Random } from '../../support/random.ts'
import { trial } from '../../support/run/trial.ts'
import type { Caller, Person, RequestOptions } from '../../support/world.ts'

const { world, corp } = demo({ own: true })
const header = ['姓名', '手机号', '工号', '部门', '岗位', '员工状态']
type Row = string[]
type Status = {
  id: string
  name: string
  mobile: string
  employee_no: string
  status: string
  account_id: string | null
  unconfirmed_at: Date | null
}

const names = ['李雷', '韩梅', '林涛', '王芳', '李雷']
let people: (Person & { employee_no: string })[] = []
let boss: Person
beforeAll(async () => {
  boss = await corp.person({ power: ['4'], name: '负责人' })
  for (let at = 0; at < 10; at++) {
    const options = { name: names[at % names.length] ?? '', employee_no: at % 4 === 3 ? '' : `A${at}`, joined: at % 2 === 0 }
    people.push({ ...(await corp.person(options)), employee_no: options.employee_no })
  }
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('member')
      .set({ status: 'left', left_at: world.clock.now(), account_id: null })
      .where('company_id', '=', corp.company_id)
      .where(
        'id',
        'in',
        people.slice(8).map(({ member_id }) => member_id),
      )
      .execute(),
  )
})

const getStatus = (): Promise<Status[]> =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx
      .selectFrom('member')
      .select(['id', 'name', 'mobile', 'employee_no', 'status', 'account_id', 'unconfirmed_at'])
      .where('company_id', '=', corp.company_id)
      .orderBy('id')
      .execute(),
  )

/** The correct roster, with one new member. */
const right = (): Row[] => [
  ...people.map(({ name, mobile, employee_no }): Row => [name, mobile, employee_no, '', '', '在职']),
  ['赵敏', freshPhone(), 'N1', '新部门', '', '在职'],
]
type Damage = (rows: Row[], random: Random) => Row[]
const column =
  (at: number, change: (values: string[], random: Random) => string[]): Damage =>
  (rows, random) => {
    const values = change(
      rows.map((row) => row[at] ?? ''),
      random,
    )
    return rows.map((row, index) => row.with(at, values[index] ?? ''))
  }
const turned = (values: string[], random: Random) => {
  const by = 1 + random.below(values.length - 1)
  return values.map((_, at) => values[(at + by) % values.length] ?? '')
}
const two = (values: string[], random: Random) => {
  const [one, other] = [random.below(values.length), random.below(values.length)]
  return values.with(one, values[other] ?? '').with(other, values[one] ?? '')
}
const one =
  (change: (row: Row, random: Random, rows: Row[]) => Row): Damage =>
  (rows, random) => {
    const at = random.below(rows.length)
    return rows.with(at, change(rows[at] ?? [], random, rows))
  }
const damages: Damage[] = [
  ...[0, 1, 2].flatMap((at) => [column(at, turned), column(at, two), column(at, (values) => values.map(() => ''))]),
  column(0, (values, random) => random.shuffled(values)),
  column(1, (values, random) => values.map((value) => (random.chance(0.3) ? '' : value))),
  column(2, (values, random) => values.map((value) => (random.chance(0.5) ? '' : value))),
  (rows, random) => [...rows, random.pick(rows)],
  one((row, random, rows) => row.with(1, random.pick(rows)[1] ?? '')),
  one((row, random, rows) => row.with(2, random.pick(rows)[2] ?? '')),
  one((row, random, rows) => row.with(0, random.pick(rows)[0] ?? '')),
  one((row) => row.with(1, freshPhone())),
  one((row, random) => row.with(1, (row[1] ?? '').slice(0, 4 + random.below(6)))),
  one((row) => row.with(5, '离职')),
  one((row) => row.with(4, '主管').with(3, '别的部门/小组')),
  one((row, random) => row.with(0, `${random.pick(['=', '+', '-', '@', '\t'])}${row[0]}`)),
]

/** With a member's own number and name, another phone may be written; nothing else of the identity ever changes. */
function mustBeThemselves(before: readonly Status[], after: readonly Status[], rows: readonly Row[], what: string) {
  const now = new Map(after.map((person) => [person.id, person]))
  for (const was of before) {
    const is = now.get(was.id)
    expect(is?.name, what).toBe(was.name)
    // A tab before a name does not make it another name.
    const own = rows.find((row) => row[2] === was.employee_no && was.employee_no !== '' && row[0]?.trim() === was.name)
    if (is?.mobile !== was.mobile) {
      expect(own?.[1], `${what}: ${was.name} has a phone that his row does not say`).toBe(is?.mobile)
      expect(
        before.some((other) => other.mobile === is?.mobile),
        `${what}: the phone of somebody`,
      ).toBe(false)
      if (was.account_id) expect([is?.account_id, is?.unconfirmed_at !== null], what).toEqual([null, true])
    } else if (is?.status !== 'left') expect(is?.account_id, what).toBe(was.account_id)
    if (is?.employee_no !== was.employee_no)
      expect(
        before.some((other) => other.id !== was.id && other.employee_no === is?.employee_no),
        `${what}: the number of somebody`,
      ).toBe(false)
  }
  const existing = new Set(before.map(({ id }) => id))
  for (const fresh of after.filter(({ id }) => !existing.has(id)))
    for (const was of before)
      if (fresh.mobile === was.mobile || (fresh.employee_no !== '' && fresh.employee_no === was.employee_no))
        // Only the returning member.
        expect([was.status, was.name], what).toEqual(['left', fresh.name])
}

type State = ImportRowState
async function getRows(caller: Caller, import_id: string, states: readonly State[]): Promise<number[]> {
  const rows: number[] = []
  for (const state of states) {
    const { list } = await must(caller, contract.getImportRows, { import_id, state, page: 1, pagesize: 100 })
    rows.push(...list.map(({ row }) => row))
  }
  return rows
}

/** Runs a thousand times on a busy machine: a request refused by load shedding is retried. */
async function must<C extends Call>(
  caller: Caller,
  call: C,
  input: CallRequest<C>,
  more?: RequestOptions,
): Promise<CallOutput<C>> {
  const answer = await untilDone(() => caller.call(call, input, more))
  if (answer.code !== 0) throw new Error(`${call.route}: ${answer.code} ${answer.message}`)
  return answer.data
}

const size = { full: 1_000, sample: 3, of: 'rosters' }
trial(
  'damaged-rosters',
  'moves no phone, number or account without a question, applies a repeated import once, and undoes it completely',
  size,
  async (run) => {
    let caller: Caller | undefined
    let requested = 0
    const before = await getStatus()
    for (let at = 0; at < run.size; at++) {
      world.clock.advance(60_000)
      if (at % 100 === 0) caller = await world.signIn(boss)
      if (!caller) return
      const by = caller
      run.tried(at + 1)
      let rows = right()
      for (let times = 0; times <= run.random.below(3); times++) rows = run.random.pick(damages)(rows, run.random)
      const file = { name: '花名册.xlsx', bytes: makeXlsx({ sheets: [{ name: '员工', rows: [header, ...rows] }] }) }
      const what = `seed ${run.seed}, roster ${at}: ${JSON.stringify(rows)}`
      const first = await untilDone(() => by.call(contract.importMemberFile, {}, { file }))
      // A file without a name column is not a roster.
      if (first.code !== 0) {
        expect(first.code, what).toBe(100002)
        continue
      }
      requested += first.data.counts.conflict
      const open = await getRows(by, first.data.import_id, ['conflict', 'fault'])
      await must(by, contract.uploadMembers, { import_id: first.data.import_id, mode: 'update' })
      mustBeThemselves(before, await getStatus(), rows, what)
      const second = await must(by, contract.importMemberFile, {}, { file })
      // Applied rows are not applied a second time. A question may have been resolved: the number that a row names
      // belongs to nobody any more.
      const again = await getRows(by, second.import_id, ['new', 'changed', 'back', 'leaves'])
      expect(
        again.filter((row) => !open.includes(row)),
        what,
      ).toEqual([])
      await must(by, contract.undoImport, { import_id: first.data.import_id })
      expect(await getStatus(), what).toEqual(before)
    }
    run.says(`${requested} rows asked about`)
  },
)
