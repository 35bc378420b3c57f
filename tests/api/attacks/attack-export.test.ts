/** Whoever finds an open session cannot take the amounts of a company with them: a recent proof, and a few files an hour. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setPassword, verifyIdentity } from '../../../server/contract/auth/profile.ts'
import { logout } from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { download } from '../../../server/contract/files/files.ts'
import { exportEvidencePackage } from '../../../server/contract/payslips/evidence-package.ts'
import { exportWageDetail, getExportStatus } from '../../../server/contract/payslips/send.ts'
import { exportMemberWageByYear, getYearWageFileStatus } from '../../../server/contract/reports/charts.ts'
import { zipEntries } from '../../support/files/xlsx.ts'
import { makeBatch, send } from '../../support/slips.ts'
import { type Caller, type Person, startWorld, type World } from '../../support/world.ts'

const password = 'correct-horse-9'
let world: World
let head: Person
let manager: Caller
let batch_id: string
beforeAll(async () => {
  world = await startWorld()
  const corp = await world.createCompany()
  head = await corp.person({ power: ['4'] })
  manager = await world.signIn(head)
  await manager.must(setPassword, { password, confirm_password: password })
  batch_id = await makeBatch(world, head, await corp.people(2))
  await send(manager, batch_id)
})
afterAll(() => world.close())

const exportDetail = (what: 'detail' | 'status' = 'detail') => manager.call(exportWageDetail, { batch_id, what })

it('exports amounts within ten minutes of a sign-in, and later only after another proof', async () => {
  world.clock.advance(9 * 60_000)
  expect((await exportDetail()).code).toBe(0)
  world.clock.advance(2 * 60_000)
  const month = { from: '2026-01', to: '2026-12', what: 'evidence' } as const
  expect((await exportDetail()).code).toBe(errorCodes.view_locked.code)
  expect((await manager.call(exportEvidencePackage, month)).code).toBe(errorCodes.view_locked.code)
  expect((await manager.call(exportMemberWageByYear, { year: 2026 })).code).toBe(errorCodes.view_locked.code)
  // A file without amounts needs none.
  expect((await exportDetail('status')).code).toBe(0)
  expect((await manager.call(verifyIdentity, { password: `${password}!` })).code).toBe(errorCodes.wrong_password.code)
  expect((await manager.call(verifyIdentity, {})).code).toBe(errorCodes.invalid.code)
  expect((await exportDetail()).code).toBe(errorCodes.view_locked.code)
  await manager.must(verifyIdentity, { password })
  expect((await exportDetail()).code).toBe(0)
  // The proof belongs to the session in which it was given.
  const other = await world.signIn(head)
  world.clock.advance(11 * 60_000)
  expect((await other.call(exportWageDetail, { batch_id, what: 'detail' })).code).toBe(errorCodes.view_locked.code)
  await other.must(logout)
})

it('marks each file with the number of its export, by which the audit log names who exported it', async () => {
  const corp = await world.createCompany()
  const exporter = await corp.person({ power: ['4'] })
  const caller = await world.signIn(exporter)
  const sent = await makeBatch(world, exporter, await corp.people(2))
  await send(caller, sent)
  const load = async (oss_path: string | null, file_name: string): Promise<Buffer> =>
    (await caller.call(download, { oss_path: oss_path ?? '', file_name })).data as unknown as Buffer
  const exports = (['detail', 'log', 'paper'] as const).map((what) => ({ batch_id: sent, what }))
  const jobs = []
  for (const input of exports) jobs.push((await caller.must(exportWageDetail, input)).job_id)
  const year = (await caller.must(exportMemberWageByYear, { year: 2026 })).job_id
  await world.product.jobs.drain()
  const files = []
  for (const job_id of jobs) {
    const { oss_path, file_name } = await caller.must(getExportStatus, { job_id })
    files.push(await load(oss_path, file_name))
  }
  const { oss_path, file_name } = await caller.must(getYearWageFileStatus, { job_id: year })
  const readMark = (file: Buffer) =>
    /name="xinhan-export"><vt:lpwstr>([^<]+)</.exec(String(zipEntries(file)['docProps/custom.xml']))?.[1]
  const [detail, changes, paper] = files
  expect([detail, changes, await load(oss_path, file_name)].map((file) => file && readMark(file))).toEqual([
    jobs[0],
    jobs[1],
    year,
  ])
  expect(paper?.toString('latin1')).toContain(`(xinhan-export ${jobs[2]})`)
  for (const id of [...jobs, year]) {
    const entries = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('audit_log_entry')
        .select('account_id')
        .where('company_id', '=', corp.company_id)
        .where(sql<string>`details->>'export_id'`, '=', id)
        .execute(),
    )
    expect(entries).toEqual([{ account_id: exporter.account_id }])
  }
})

it('refuses the sixth file with amounts within an hour', async () => {
  await manager.must(verifyIdentity, { password })
  const codes: number[] = []
  for (let attempts = 0; attempts < 5; attempts += 1) codes.push((await exportDetail()).code)
  expect(codes.filter((code) => code === 0)).toHaveLength(3)
  expect(codes.at(-1)).toBe(errorCodes.too_often.code)
  expect((await exportDetail('status')).code).toBe(0)
  const years: number[] = []
  for (let attempts = 0; attempts < 6; attempts += 1)
    years.push((await manager.call(exportMemberWageByYear, { year: 2026 })).code)
  expect(years).toEqual([0, 0, 0, 0, 0, errorCodes.too_often.code])
  world.clock.advance(3_600_000)
  manager = await world.signIn(head)
  expect((await exportDetail()).code).toBe(0)
})
