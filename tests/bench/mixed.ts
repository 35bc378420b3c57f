/**
 * Runs all kinds of load at once for minutes: measures where the server's memory goes, and whether opening a payslip is
 * slowed down by uploads of others.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import * as account from '../../server/contract/auth/sign-in.ts'
import * as employee from '../../server/contract/payslips/employee.ts'
import * as slip from '../../server/contract/payslips/send.ts'
import * as sheet from '../../server/contract/sheets/sheet.ts'
import { HttpCaller } from '../support/callers/http.ts'
import { type SignIn, startServer } from '../support/run/server.ts'
import { tallSheet } from './baseline.ts'

/**
 * Memory in MB. `native` is the server's memory outside of V8's heap and buffers: code, stacks, compressors, allocator
 * remainders.
 */
export type Memory = {
  readonly heap: number
  readonly buffers: number
  readonly native: number
  readonly files: number
  readonly database: number
  readonly children: number
  readonly all: number
}
export type Opened = { readonly count: number; readonly p50: number; readonly p99: number }
export type Mixed = {
  readonly idle: Opened
  readonly comparison: Opened
  readonly before: Memory
  readonly middle: Memory
  readonly after: Memory
  readonly most: number
  readonly quiet: Memory
  readonly uploads: number
}

const opened = (times: readonly number[]): Opened => {
  const sorted = times.toSorted((a, b) => a - b)
  const part = (of: number): number => sorted[Math.floor((sorted.length - 1) * of)] ?? Number.NaN
  return { count: times.length, p50: part(0.5), p99: part(0.99) }
}

type Process = { readonly pid: number; readonly parent: number; readonly name: string }
function processes(): Process[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      return name ? [{ pid: Number(pid), parent: Number(parent), name }] : []
    } catch {
      return [] // The process does not exist, or has ended.
    }
  })
}
/** Returns the kB of a process. Shared memory is divided by the number of processes that share it. */
function rollup(pid: number): { pss: number; anonymous: number } {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
    return { pss: of('Pss'), anonymous: of('Anonymous') }
  } catch {
    return { pss: 0, anonymous: 0 }
  }
}

async function getMemory(server: { address: string; pid: number }): Promise<Memory> {
  const lines = (await (await fetch(`${server.address}/metrics`)).text()).split('\n')
  const figure = (name: string): number => Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? 0) / 2 ** 20
  const all = processes()
  const below = (of: number): Process[] => all.filter(({ parent }) => parent === of).flatMap((one) => [one, ...below(one.pid)])
  const mb = (of: readonly Process[]): number => of.reduce((sum, { pid }) => sum + rollup(pid).pss, 0) / 1024
  const children = below(server.pid)
  const isDatabase = ({ name }: Process): boolean => name.startsWith('postgres')
  const own = rollup(server.pid)
  const [heap, buffers] = [figure('nodejs_heap_size_total_bytes'), figure('nodejs_external_memory_bytes')]
  const sections = {
    heap,
    buffers,
    native: own.anonymous / 1024 - heap - buffers,
    files: (own.pss - own.anonymous) / 1024,
    database: mb(children.filter(isDatabase)),
    children: mb(children.filter((one) => !isDatabase(one))),
  }
  return { ...sections, all: Object.values(sections).reduce((sum, one) => sum + one, 0) }
}

/** Selects demo users from several companies who have payslips or may upload wage sheets. */
async function cast(address: string, signIns: readonly SignIn[]) {
  const in_: { caller: HttpCaller; phone: string; password: string; slip_id: string | null; corp: string; payroll: boolean }[] =
    []
  for (const { phone, password } of signIns) {
    const caller = await new HttpCaller(address).signIn(phone, password).catch(() => null)
    if (!caller) continue
    const slips = await caller.call(employee.getSlipList, {})
    const { data } = await caller.call(slip.getWageList, {})
    const corp = (await caller.must(account.getAvailableCorps, {})).corps[0]?.corp_id ?? ''
    const slip_id = slips.error_code === 0 ? (slips.data.list[0]?.slip_id ?? null) : null
    in_.push({ caller, phone, password, slip_id, corp, payroll: Boolean(data && 'list' in data) })
  }
  const reader = in_.find(({ slip_id }) => slip_id !== null)
  const clerks = in_.filter(({ payroll, corp }) => payroll && corp !== reader?.corp)
  if (!reader?.slip_id || clerks.length === 0) throw new Error('the demo has nobody with a slip, or no other company')
  return { reader, slip_id: reader.slip_id, clerks }
}

export async function mixed(seconds: number): Promise<Mixed> {
  const server = await startServer()
  try {
    const { reader, slip_id, clerks } = await cast(server.address, server.signIns)
    const of = { address: server.address, pid: server.process.pid ?? 0 }
    const openFor = async (ms: number): Promise<number[]> => {
      const times: number[] = []
      for (const until = performance.now() + ms; performance.now() < until; await sleep(60)) {
        const began = performance.now()
        const { error_code } = await reader.caller.call(employee.getSlip, { slip_id })
        if (error_code === 0) times.push(performance.now() - began)
      }
      return times
    }
    await openFor(2_000)
    const idle = opened(await openFor(Math.min(30_000, seconds * 500)))
    const before = await getMemory(of)
    const work = { on: true }
    const until = async (one: () => Promise<unknown>, pause: number): Promise<void> => {
      while (work.on) {
        await one().catch(() => undefined)
        await sleep(pause)
      }
    }
    const bytes = tallSheet(1_000, 40)
    let uploads = 0
    let most = 0
    const upload = (caller: HttpCaller) => async () => {
      const { error_code } = await caller.call(sheet.uploadWageExcel, {}, { name: 'bench.xlsx', bytes })
      if (error_code === 0) uploads += 1
    }
    const others = [
      ...clerks.slice(0, 2).map(({ caller }) => until(upload(caller), 100)),
      ...clerks.slice(0, 2).map(({ caller }) => until(() => caller.call(slip.getWageList, {}), 200)),
      until(() => reader.caller.call(employee.getSlipList, {}), 300),
      until(() => new HttpCaller(server.address).signIn(reader.phone, reader.password), 3_000),
      until(async () => void (most = Math.max(most, (await getMemory(of)).all)), 1_000),
    ]
    const first = await openFor(seconds * 500)
    const middle = await getMemory(of)
    const second = await openFor(seconds * 500)
    const after = await getMemory(of)
    work.on = false
    await Promise.all(others)
    await sleep(15_000)
    const quiet = await getMemory(of)
    return { idle, comparison: opened([...first, ...second]), before, middle, after, most, quiet, uploads }
  } finally {
    await server.stop()
  }
}
