/**
 * The initial world: one company per platform, three levels of departments, an application with all permissions, and a
 * store application.
 */
import type { Provider } from '../types.ts'
import type { Simulator } from './index.ts'
import { getProfile } from './profiles.ts'
import type { RegisteredApp, RegisteredSuite } from './registered-apps.ts'

const surnames = [...'王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗']
const inputNames = [
  '伟',
  '芳',
  '娜',
  '敏',
  '静',
  '强',
  '磊',
  '洋',
  '艳',
  '勇',
  '军',
  '杰',
  '娟',
  '涛',
  '明',
  '超',
  '霞',
  '平',
  '刚',
  '桂英',
]

export type WorldSize = { readonly people: number; readonly departments: number; readonly origin: string }
export type PopulatedApps = { readonly app: RegisteredApp; readonly suite: RegisteredSuite }

export function populateWorld(
  simulator: Simulator,
  provider: Provider,
  { people, departments, origin }: WorldSize,
): PopulatedApps {
  const profile = getProfile(provider)
  const companyRef = { provider, corp_id: profile.corp_id }
  simulator.company(provider, companyRef.corp_id).name = '示例科技（模拟）'
  const toDepartmentId = profile.getDepartmentId
  for (let at = 1; at <= departments; at += 1) {
    const parent = at <= 10 ? profile.rootDepartmentId : toDepartmentId(Math.floor((at - 1) / 10))
    simulator.saveDepartment({ ...companyRef, id: toDepartmentId(at), parent_id: parent, name: `部门${at}`, order: at })
  }
  for (let at = 0; at < people; at += 1) {
    const first = departments === 0 ? profile.rootDepartmentId : toDepartmentId(1 + (at % departments))
    // Every twentieth user is in a second department as well.
    const second = at % 20 === 19 && departments > 1 ? [toDepartmentId(1 + ((at + 1) % departments))] : []
    const number = String(at + 1).padStart(5, '0')
    simulator.addUser({
      ...companyRef,
      user_id: `${profile.userIdPrefix}${number}`,
      union_id: `on_sim${number}`,
      name: `${surnames[at % 20]}${inputNames[Math.floor(at / 20) % 20]}`,
      mobile: `138${String(at).padStart(8, '0')}`,
      employee_no: `E${number}`,
      email: `sim${number}@example.com`,
      job_title: '员工',
      department_ids: [first, ...second],
      ...(at < departments ? { leads: [first] } : {}),
    })
  }
  const agent_id = '1000007'
  const app = simulator.addApp({
    ...companyRef,
    app_id: profile.app_id,
    agent_id,
    secret: `simulated-secret-${provider}`,
    origin,
  })
  const suite = simulator.addSuite({
    provider,
    id: profile.suite_id,
    secret: `simulated-suite-secret-${provider}`,
    ticket: null,
  })
  simulator.addApp({
    ...companyRef,
    app_id: suite.id,
    agent_id: '1000008',
    secret: profile.permanentCode,
    origin,
    suite,
  })
  return { app, suite }
}
