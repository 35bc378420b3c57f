/**
 * A company on each simulated platform, with departments, users in two of them, unreachable users, and an application
 * of ours.
 */
import { createPlatforms, getSimulatorHosts } from '../../../platform/index.ts'
import { type RegisteredApp, type SimulatedUser, Simulator } from '../../../platform/simulator/index.ts'
import { getProfile, type SimulatedProvider } from '../../../platform/simulator/profiles.ts'
import type { DirectoryDepartment, DirectoryUser, Platform, Provider } from '../../../platform/types.ts'

export { simulatedProviders as providers } from '../../../platform/simulator/profiles.ts'
/** Returns a department id in the platform's format. */
export const departmentId = (provider: Provider, number: number): string =>
  number === 1 ? getProfile(provider).rootDepartmentId : provider === 'lark' ? `od-${number}` : String(number)

export type ChatCompany = {
  readonly provider: SimulatedProvider
  readonly corp_id: string
  readonly app: RegisteredApp
  /** Leads 研发, and is in 研发 and 财务. */
  readonly both: SimulatedUser
  readonly plain: SimulatedUser
  /** Has no licence (WeCom), or has blocked the application. */
  readonly shut: SimulatedUser
}

let built = 0
/** Creates 总部 > 研发 (2) > 后端 (3), 财务 (4), and `many` more users in 后端. */
export function chatCompany(
  simulator: Simulator,
  provider: SimulatedProvider,
  { many = 0, app = {} }: { many?: number; app?: Partial<RegisteredApp> } = {},
): ChatCompany {
  built += 1
  const corp_id = `corp-${provider}-${built}`
  const id = String(1_000_000 + built)
  const company = simulator.company(provider, corp_id)
  company.name = '示例科技'
  const own = { provider, corp_id }
  const department = (number: number, parent: number, name: string, more = {}) =>
    simulator.saveDepartment({
      ...own,
      id: departmentId(provider, number),
      parent_id: departmentId(provider, parent),
      name,
      ...more,
    })
  department(2, 1, '研发', { order: 10, leader_ids: [`u1-${built}`] })
  department(3, 2, '后端', { order: 20 })
  department(4, 1, '财务', { order: 30 })
  const person = (number: number, name: string, more: Partial<SimulatedUser> = {}): SimulatedUser =>
    simulator.addUser({
      ...own,
      user_id: `u${number}-${built}`,
      union_id: `union-${number}-${built}`,
      name,
      mobile: `1380000${String(number).padStart(4, '0')}`,
      employee_no: `E${number}`,
      ...more,
    })
  const registered = simulator.addApp({
    ...own,
    app_id: provider === 'lark' ? `cli_${id}` : provider === 'dingtalk' ? `ding${id}` : id,
    agent_id: id,
    secret: `secret-${id}`,
    origin: 'https://pay.example.cn',
    ...(provider === 'wecom' ? { kind: 'old' as const } : {}),
    ...app,
  })
  const [dev, back, money] = [2, 3, 4].map((number) => departmentId(provider, number))
  const result = {
    provider,
    corp_id,
    app: registered,
    both: person(1, '张三', { department_ids: [dev ?? '', money ?? ''], leads: [dev ?? ''], order: 7 }),
    plain: person(2, '李四', { department_ids: [money ?? ''], status: 'not_joined' }),
    shut: person(3, '王五', {
      department_ids: [money ?? ''],
      unreachableReason: provider === 'wecom' ? 'unlicensed' : 'blocked',
    }),
  }
  for (let at = 0; at < many; at += 1) person(100 + at, `员工${at}`, { department_ids: [back ?? ''] })
  return result
}

/** Creates simulators and adapters with one settable clock. */
export async function chatWorld() {
  const clock = { now: Date.parse('2026-11-23T10:00:00+08:00') }
  const simulator = new Simulator(() => clock.now)
  // The clock is paused, so limits by time would never end.
  simulator.state.limits.isEnabled = false
  simulator.callbackSender.delayScale = 0
  const address = await simulator.listen()
  const open = (more: Parameters<typeof createPlatforms>[0] = {}) =>
    createPlatforms({ hosts: getSimulatorHosts(address), now: () => clock.now, ...more })
  return { clock, simulator, address, open, platforms: open(), close: () => simulator.close() }
}

/** Reads everything that an application may view, as a full sync does. */
export async function readAll({ directory }: Platform, app: RegisteredApp) {
  const departments = new Map<string, DirectoryDepartment>()
  const people = new Map<string, DirectoryUser[]>()
  const keep = (person: DirectoryUser) => people.set(person.user_id, [...(people.get(person.user_id) ?? []), person])
  const range = await directory.getVisibleRange(app)
  let next: string | null = null
  do {
    const page: Awaited<ReturnType<typeof directory.listDepartments>> = await directory.listDepartments(app, next)
    for (const one of page.items) departments.set(one.id, one)
    next = page.next
  } while (next !== null)
  for (const { id } of departments.values()) {
    let at: string | null = null
    do {
      const page: Awaited<ReturnType<typeof directory.listUsers>> = await directory.listUsers(app, id, at)
      for (const one of page.items) keep(one)
      at = page.next
    } while (at !== null)
  }
  for (const id of range.user_ids) {
    const one = await directory.getUser(app, id)
    if (one) keep(one)
  }
  return { range, departments, people }
}
