/**
 * Benchmarks a wage sheet of 10,000 rows compared with last month's batch on the desktop: each step of the wizard that
 * runs the check, by the real calls.
 */

import * as slip from '../../server/contract/payslips/send.ts'
import * as sheet from '../../server/contract/sheets/sheet.ts'
import { makeXlsx, type XlsxCell } from '../support/files/xlsx.ts'
import { type Caller, startWorld, type World } from '../support/world.ts'
import { person } from './baseline.ts'
import { employ } from './importing.ts'

/**
 * Milliseconds of wall-clock time and of this process's CPU time (the client included). A busy machine lengthens the
 * first but not the second.
 */
type Step = { readonly step: string; readonly took: number; readonly cpu: number }

const wrong = 3

/**
 * Builds a wage sheet in which a third of the amounts vary to the fen every month, a third are individual and constant
 * for years, and a third are mostly zero.
 */
function getSheet(people: number, columns: number, month: number): Buffer {
  const money = columns - 4
  const header: XlsxCell[] = [
    '姓名',
    '工号',
    '手机号',
    ...Array.from({ length: money }, (_, at) => (at % 3 === 1 ? `岗位工资${at}` : `奖金${at}`)),
    '实发工资',
  ]
  const rows: XlsxCell[][] = [header]
  for (let row = 0; row < people; row += 1) {
    let net = 0
    const cells = Array.from({ length: money }, (_, at): XlsxCell => {
      const some = (row * 7919 + at * 104_729) % 1_500_000
      const fen =
        at % 3 === 0
          ? (some + month * 9973 * (row % 17)) % 1_500_000
          : at % 3 === 1
            ? (some % 60) * 10_000
            : some % 60 === 0
              ? some % 20_000
              : 0
      net += fen
      return { raw: String(fen / 100), format: 'money' }
    })
    const { name, employee_no, mobile } = person(row)
    const isWrong = month > 0 && row < wrong
    rows.push([name, employee_no, mobile, ...cells, isWrong ? '见备注' : { raw: String(net / 100), format: 'money' }])
  }
  return makeXlsx({ sheets: [{ name: '工资表', rows }] })
}

type Took = Omit<Step, 'step'>
async function timed<T>(work: () => Promise<T>): Promise<[Took, T]> {
  const began = performance.now()
  const before = process.cpuUsage()
  const done = await work()
  const { user, system } = process.cpuUsage(before)
  return [{ took: performance.now() - began, cpu: (user + system) / 1_000 }, done]
}

/** Runs the benchmark. `rows` includes the header, as Excel counts. */
export async function checking(rows: number, times: number): Promise<Step[][]> {
  const world = await startWorld()
  try {
    const corp = await world.createCompany()
    const caller = await world.signIn(await corp.person({ power: ['2'] }))
    await employ(world, corp, rows - 1)
    await sent(world, caller, corp.company_id, getSheet(rows - 1, 40, 0))
    const now = getSheet(rows - 1, 40, 1)
    const rounds: Step[][] = []
    for (let round = 0; round < times; round += 1) rounds.push(await one(world, caller, now))
    return rounds
  } finally {
    await world.close()
  }
}

async function upload(world: World, caller: Caller, bytes: Buffer, title: string, month: string): Promise<string> {
  // The rate limit counts uploads by the minute.
  world.clock.advance(60_000)
  const { batch_id } = await caller.must(sheet.uploadWageExcel, {}, { file: { name: `${title}.xlsx`, bytes } })
  await caller.must(sheet.insertBatchTitle, { batch_id, title, month })
  return batch_id
}

/** Stores last month's wage sheet as if it had been sent. The cost of messages is not measured here. */
async function sent(world: World, caller: Caller, company_id: string, bytes: Buffer): Promise<void> {
  const batch_id = await upload(world, caller, bytes, '九月', '2026-09')
  await caller.must(slip.sendPaySheet, { batch_id, channels: ['link'] })
  await world.database.inCompany(company_id, async (tx) => {
    await tx
      .updateTable('payslip')
      .set({ status: 'sent' })
      .where('company_id', '=', company_id)
      .where('batch_id', '=', batch_id)
      .execute()
    await tx
      .updateTable('batch')
      .set({ status: 'sent' })
      .where('company_id', '=', company_id)
      .where('id', '=', batch_id)
      .execute()
  })
}

async function one(world: World, caller: Caller, bytes: Buffer): Promise<Step[]> {
  const batch_id = await upload(world, caller, bytes, '十月', '2026-10')
  const [first, { problems }] = await timed(() => caller.must(sheet.checkWageData, { batch_id }))
  const errors = problems.filter(({ level }) => level === 'error')
  if (errors.length !== wrong)
    throw new Error(
      `${errors.length} errors: ${errors
        .map(({ message }) => message)
        .join('\n')
        .slice(0, 2000)}`,
    )
  const [page] = await timed(() => caller.must(sheet.getDetailUpload, { batch_id, page: 40, pagesize: 50 }))
  const [listed] = await timed(() => caller.must(sheet.checkWageData, { batch_id, level: 'warning', page: 1 }))
  const [preview] = await timed(() => caller.must(sheet.getPreviewMember, { batch_id, page: 40, pagesize: 50 }))
  const fixes: Took[] = []
  for (const { id } of errors) {
    const [took] = await timed(() =>
      caller.must(sheet.dealWithSalaryList, { batch_id, actions: [{ problem_id: id, fix: 'edit', value: '8000.00' }] }),
    )
    fixes.push(took)
  }
  const [warning] = (await caller.must(sheet.checkWageData, { batch_id, level: 'warning' })).problems.filter(({ fix }) =>
    fix.includes('accept'),
  )
  const accept = { problem_id: warning?.id ?? '', fix: 'accept' as const }
  const [accepted] = await timed(() => caller.must(sheet.dealWithSalaryList, { batch_id, actions: [accept] }))
  const [after] = await timed(() => caller.must(sheet.checkWageData, { batch_id }))
  const left = await caller.must(sheet.checkWageData, { batch_id, level: 'error' })
  await caller.must(sheet.dealWithSalaryList, {
    batch_id,
    actions: left.problems.map(({ id }) => ({ problem_id: id, fix: 'skip' as const })),
  })
  const [plan] = await timed(() => caller.must(slip.getSendPlan, { batch_id, channels: ['link'] }))
  const fix = fixes.toSorted((a, b) => a.took - b.took)[1] ?? { took: Number.NaN, cpu: Number.NaN }
  return [
    { step: 'first check', ...first },
    { step: 'page of rows', ...page },
    { step: 'page of problems', ...listed },
    { step: 'preview page', ...preview },
    { step: 'one fix', ...fix },
    { step: 'one acceptance', ...accepted },
    { step: 'problems after it', ...after },
    { step: 'plan', ...plan },
  ]
}
