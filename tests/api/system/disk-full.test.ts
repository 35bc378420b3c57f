/**
 * A full disk (trust.md G12, V7): changes are refused with an error code of their own, payslips stay readable, and the
 * server recovers by itself.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import {
  DiskGuard,
  type DiskGuardState,
  type DiskUsage,
  getDiskReserve,
  getNextGuardState,
  getSpareBytes,
  isDiskFullError,
} from '../../../server/http/limits/disk-guard.ts'
import { bytesPerPayslip } from '../../../server/modules/payslips/send/withdraw.ts'
import { HttpCaller } from '../../support/callers/http.ts'
import { freshPhone } from '../../support/random.ts'
import { asOwner } from '../../support/run/database.ts'
import { startServer } from '../../support/run/server.ts'
import { trial } from '../../support/run/trial.ts'
import { makeBatch, salaries, send } from '../../support/slips.ts'
import { type Person, startWorld, type World } from '../../support/world.ts'

const mb = 1024 * 1024
const gb = 1024 * mb
const open: DiskGuardState = { isFull: false, lastFullErrorAt: null }
const shut: DiskGuardState = { isFull: true, lastFullErrorAt: null }

describe('disk space reserve', () => {
  test.each([
    ['reserves space for two log files on a small disk', 100 * mb, 32 * mb],
    ['reserves one twentieth of a medium disk', 2 * gb, 102.4 * mb],
    ['reserves at most 256 MB of a large disk', 500 * gb, 256 * mb],
  ])('%s', (_what, all, reserve) => {
    expect(getDiskReserve(all)).toBe(reserve)
  })

  const disk = (free: number): DiskUsage => ({ free: free * mb, total: 100 * gb })
  test.each<[string, DiskGuardState, DiskUsage | null, boolean]>([
    ['plenty', open, disk(5_000), false],
    ['stays open with exactly the required space', open, disk(256), false],
    ['less', open, disk(255), true],
    ['nothing', open, disk(0), true],
    ['stays closed slightly above the threshold', shut, disk(300), true],
    ['opens again a quarter above the threshold', shut, disk(320), false],
    ['stays open if the disk cannot be checked and the database reported no error', open, null, false],
    [
      'closes if the disk cannot be checked and the database just reported an error',
      { isFull: true, lastFullErrorAt: 95_000 },
      null,
      true,
    ],
    [
      'opens if the disk cannot be checked and the database error is ten seconds old',
      { isFull: true, lastFullErrorAt: 90_000 },
      null,
      false,
    ],
    [
      'closes despite free space if the database just reported an error',
      { isFull: true, lastFullErrorAt: 99_000 },
      disk(5_000),
      true,
    ],
  ])('%s', (_what, state, viewed, full) => {
    expect(getNextGuardState(state, viewed, 100_000).isFull).toBe(full)
  })

  test('lets requests pass if the disk cannot be checked, and recognizes the errors of database and system', async () => {
    expect(await new DiskGuard(join(tmpdir(), 'there-is-no-such-folder')).check()).toEqual({ full: false, free_mb: null })
    expect((await new DiskGuard(tmpdir()).check()).free_mb).toBeGreaterThanOrEqual(0)
    for (const code of ['53100', 'ENOSPC', 'EDQUOT']) expect(isDiskFullError(Object.assign(new Error('x'), { code }))).toBe(true)
    for (const error of [Object.assign(new Error('x'), { code: '53300' }), new Error('53100'), null, '53100'])
      expect(isDiskFullError(error)).toBe(false)
  })
})

describe('server on a full disk', () => {
  let world: World
  let free = 9_000
  beforeAll(async () => {
    world = await startWorld({ disk: async () => ({ free: free * mb, total: 100 * gb }) })
  })
  afterAll(() => world.close())
  const ready = async () => (await world.product.app.inject('/readyz')).json<{ room: { full: boolean; free_mb: number } }>().room
  const settles = (full: boolean) => expect.poll(async () => (await ready()).full, { timeout: 30_000 }).toBe(full)

  it('refuses changes, serves reads, reports it to monitoring, and recovers', async () => {
    const corp = await world.createCompany()
    const person = await corp.person({ power: ['4'] })
    const boss = await world.signIn(person)
    const change = () => boss.call(member.insertMember, { name: '新人', mobile: freshPhone() })
    expect((await change()).code).toBe(0)
    free = 12
    await settles(true)
    expect((await ready()).free_mb).toBe(12)
    const no = await change()
    expect([no.code, no.message]).toEqual([errorCodes.no_room.code, errorCodes.no_room.message])
    // Signing in and reading are not blocked.
    const reader = await world.signIn(person)
    expect((await reader.call(employee.getSlipList, {})).code).toBe(0)
    // Even the audit log entry of a refusal is not written.
    await asOwner(world, (owner) =>
      owner.query(`create function no_room() returns trigger language plpgsql as $$ begin raise exception using errcode = '53100'; end $$;
        create trigger no_room before insert on audit_log_entry for each row execute function no_room()`),
    )
    expect((await change()).code).toBe(errorCodes.no_room.code)
    await asOwner(world, (owner) => owner.query('drop trigger no_room on audit_log_entry'))
    free = 8_000
    await settles(false)
    expect((await change()).code).toBe(0)
  })
})

describe('urgent actions on a nearly full disk', () => {
  let world: World
  let free = 9_000
  beforeAll(async () => {
    world = await startWorld({ disk: async () => ({ free: free * mb, total: 100 * gb }) })
  })
  afterAll(() => world.close())
  /** Sets the free space and lets the server notice it. */
  const leave = async (mb_free: number) => {
    free = mb_free
    const view = async () => (await world.product.app.inject('/readyz')).json<{ room: { free_mb: number } }>().room.free_mb
    await expect.poll(view, { timeout: 30_000 }).toBe(Math.floor(mb_free))
  }

  test.each([
    ['less than half of the reserve', 127, 0],
    ['slightly above half of the reserve', 132, 1],
    ['a gate that has just closed', 255, 31.75],
  ])('returns the share half of the reserve: %s', (_what, left, spare) => {
    expect(getSpareBytes({ free: left * mb, total: 100 * gb })).toBe(spare * mb)
  })

  it('allows withdrawing payslips, pausing sends and confirming pay, and rejects everything else and too large requests', async () => {
    const corp = await world.createCompany()
    const payer = await corp.person({ power: ['2', '4'] })
    const clerk = await world.signIn(payer)
    const people = await corp.people(3)
    const sent = await makeBatch(world, payer, people)
    await send(clerk, sent, ['sms'], { rules: { confirm: true, feedback: true } })
    await world.product.jobs.drain()
    const waiting = await makeBatch(world, payer, people, { month: '2026-11' })
    await send(clerk, waiting, ['sms'])
    const large = await makeBatch(world, payer, people, { month: '2026-12' })
    await send(clerk, large, ['sms'])
    const [slip_id = ''] = (await salaries(world, corp, sent)).map((one) => one.id)
    const reader = await world.signIn(people[0] as Person)
    const { version } = await reader.must(employee.getSlip, { slip_id })

    // The free space is enough for two payslips and a part of a third.
    await leave(128 + (2.5 * 4 * bytesPerPayslip) / mb)
    const full = errorCodes.no_room.code
    expect((await reader.call(employee.feedbackSlip, { slip_id, content: '少了' })).code).toBe(full)
    expect((await clerk.call(member.insertMember, { name: '新人', mobile: freshPhone() })).code).toBe(full)
    await reader.must(employee.confirmSlip, { slip_id, version })
    await clerk.must(slip.pauseSend, { batch_id: waiting })
    const refused = await clerk.call(slip.withdrawBatchPaySheet, { batch_id: sent })
    expect([refused.code, refused.message]).toEqual([full, expect.stringContaining('最多只能撤回 2 人')])
    await clerk.must(slip.withdrawSingleSalary, { salary_id: slip_id, reason: '算错' })
    expect((await reader.call(employee.getSlip, { slip_id })).code).toBe(errorCodes.not_found.code)
    await leave(200)
    expect(await clerk.must(slip.withdrawBatchPaySheet, { batch_id: sent })).toMatchObject({ withdrawn: 2 })
    // The reserve for readers is not used.
    await leave(100)
    expect((await clerk.call(slip.withdrawBatchPaySheet, { batch_id: large })).code).toBe(full)
    await leave(9_000)
    expect((await clerk.call(slip.withdrawBatchPaySheet, { batch_id: large })).code).toBe(0)
  })
})

/** Mounts a separate disk for the whole server, or returns why it cannot: mounting requires root. */
const mounted = (): { dir: string } | { why: string } => {
  const dir = mkdtempSync(join(tmpdir(), 'xinhan-disk-'))
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', dir], { encoding: 'utf8' })
  if (status === 0) return { dir }
  rmSync(dir, { recursive: true })
  return { why: (error?.message ?? stderr).trim() }
}

it('refuses changes, serves payslips, loses nothing and recovers when a real disk is filled to the last byte', async ({
  skip,
}) => {
  const disk = process.platform === 'linux' ? mounted() : { why: 'not on this system' }
  if ('why' in disk) return skip(`no disk can be mounted: ${disk.why}`)
  const { dir } = disk
  const server = await startServer({ data: dir })
  const ballast = join(dir, 'ballast')
  try {
    const heads = await Promise.all(
      server.signIns.map(({ phone, password }) => new HttpCaller(server.address).signIn(phone, password).catch(() => null)),
    )
    const call = async (of: HttpCaller) =>
      (await of.call(member.insertMember, { name: '满盘新人', mobile: freshPhone() })).error_code
    const count = async (of: HttpCaller) => (await of.call(member.getMemberList, { name: '满盘新人' })).data.page.total
    let boss: HttpCaller | null = null
    for (const one of heads) if (one && !boss && (await call(one)) === 0) boss = one
    if (!boss) throw new Error('nobody of the demo may add a person')
    let acknowledged = 1
    let full = false
    for (let at = 0; at < 200 && !full; at += 1) {
      try {
        writeFileSync(ballast, Buffer.alloc(4 * mb), { flag: 'a' })
      } catch {
        full = true
      }
      const code = await call(boss)
      if (code === 0) acknowledged += 1
      else expect(code, server.output()).toBe(errorCodes.no_room.code)
    }
    expect(full).toBe(true)
    // The database may release segments of its log (16 MB each) at any time: the filling process takes them, too.
    const stuff = () => {
      try {
        for (;;) writeFileSync(ballast, Buffer.alloc(mb), { flag: 'a' })
      } catch (error) {
        expect(isDiskFullError(error)).toBe(true)
      }
    }
    const change = async (of: HttpCaller) => {
      stuff()
      const code = await call(of)
      if (code === 0) acknowledged += 1
      return code
    }
    const filler = boss
    await expect.poll(() => change(filler), { timeout: 60_000, message: server.output() }).toBe(errorCodes.no_room.code)
    const state = async () => {
      stuff()
      const { ok, room } = (await (await fetch(`${server.address}/readyz`)).json()) as { ok: boolean; room: { full: boolean } }
      return [ok, room.full]
    }
    await expect.poll(state, { timeout: 60_000 }).toEqual([true, true])
    const readers = heads.filter((one): one is HttpCaller => one !== null)
    // With the disk kept full, every payslip of the list opens, also those that nobody has viewed yet.
    const opened: number[] = []
    for (const reader of readers) {
      const { error_code, data } = await reader.call(employee.getSlipList, {})
      if (error_code !== 0) continue
      for (const { slip_id, status, closed } of data.list) {
        if (status === 'withdrawn' || closed) continue
        stuff()
        opened.push((await reader.call(employee.getSlip, { slip_id, confirm_open: true })).error_code)
      }
    }
    expect(opened.length).toBeGreaterThan(0)
    expect(opened.filter((code) => code !== 0)).toEqual([])
    rmSync(ballast)
    await expect.poll(() => call(filler), { timeout: 60_000, interval: 500 }).toBe(0)
    expect(await count(filler)).toBe(acknowledged + 1)
  } finally {
    await server.stop({ keep: true })
    spawnSync('umount', ['-l', dir])
    rmSync(dir, { recursive: true, force: true })
  }
}, 300_000)

trial(
  'disk-points',
  'keeps every acknowledged change, continues reads and recovers when the disk fills at any moment',
  { full: 20, sample: 0, of: 'points', goal: 'G12' },
  async ({ size, says, tried, random }) => {
    const disk = process.platform === 'linux' ? mounted() : { why: 'not on this system' }
    if ('why' in disk) return tried(0)
    const { dir } = disk
    const server = await startServer({ data: dir })
    const ballast = join(dir, 'ballast')
    try {
      const callers = await Promise.all(
        server.signIns.map(({ phone, password }) => new HttpCaller(server.address).signIn(phone, password).catch(() => null)),
      )
      const heads = callers.filter((one): one is HttpCaller => one !== null)
      const add = async (of: HttpCaller) =>
        (await of.call(member.insertMember, { name: '满盘新人', mobile: freshPhone() })).error_code
      const boss = (await Promise.all(heads.map(async (one) => ((await add(one)) === 0 ? one : null)))).find(Boolean)
      const slips = await Promise.all(heads.map((one) => one.call(employee.getSlipList, {})))
      const reader = heads[slips.findIndex(({ error_code }) => error_code === 0)]
      if (!boss || !reader) throw new Error('the demo has nobody who may add a person, or nobody with a slip')
      const count = async () => (await boss.must(member.getMemberList, { name: '满盘新人' })).page.total
      let acknowledged = await count()
      const heals: number[] = []
      let refused = 0
      let read = 0
      for (let point = 0; point < size; point += 1) {
        // Slightly more or less than the reserve of 32 MB is left, to the kilobyte, and another process fills it during
        // the work.
        const { bavail, bsize } = statfsSync(dir)
        const left = 24 * mb + random.below(24 * mb)
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)))
        const stuff = () => {
          try {
            for (;;) writeFileSync(ballast, Buffer.alloc(256 * 1024), { flag: 'a' })
          } catch (error) {
            expect(isDiskFullError(error)).toBe(true)
          }
        }
        const full_from = random.below(8)
        for (let at = 0; at < 12; at += 1) {
          if (at >= full_from) stuff()
          const code = await add(boss)
          if (code === 0) acknowledged += 1
          else if (code === errorCodes.no_room.code) refused += 1
          else expect(code, server.output()).toBe(0)
          expect((await reader.call(employee.getSlipList, {})).error_code).toBe(0)
          read += 1
        }
        rmSync(ballast)
        const since = performance.now()
        await expect.poll(() => add(boss), { timeout: 120_000, interval: 250 }).toBe(0)
        heals.push(performance.now() - since)
        acknowledged += 1
        expect(await count()).toBe(acknowledged)
      }
      const longest = Math.max(...heals) / 1000
      says(
        `${refused} changes refused, 0 of ${acknowledged} answered ones lost, ${read} of ${read} reads answered; healed after ${longest.toFixed(1)} s at most`,
      )
      expect(longest).toBeLessThanOrEqual(30)
    } finally {
      await server.stop({ keep: true })
      spawnSync('umount', ['-l', dir])
      rmSync(dir, { recursive: true, force: true })
    }
  },
)
