/**
 * The initial world: one company per platform, three levels of departments, an application with all permissions, and a
 * store application.
 */
import type { Provider } from '../types.ts'
import { getRootId } from './company.ts'
import type { Simulator } from './index.ts'
import type { RegisteredApp, RegisteredSuite } from './registered-apps.ts'

export const providers = ['lark', 'wecom', 'dingtalk'] as const
const corpIds: Readonly<Record<Provider, string>> = {
  lark: '2ca1d211f64f6438',
  wecom: 'ww1a2b3c4d5e6f7081',
  dingtalk: 'ding0a1b2c3d4e5f6071',
}
const appIds: Readonly<Record<Provider, string>> = {
  lark: 'cli_a1b2c3d4e5f60001',
  wecom: '1000007',
  dingtalk: 'dingsimappkey0001',
}
const suiteIds: Readonly<Record<Provider, string>> = {
  lark: 'cli_5u1te0000000001',
  wecom: 'wwddddccc7775555aab',
  dingtalk: 'suitesim0000000001',
}
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
  const companyRef = { provider, corp_id: corpIds[provider] }
  simulator.company(provider, companyRef.corp_id).name = '示例科技（模拟）'
  const toDepartmentId = (at: number): string => (provider === 'lark' ? `od-${String(at).padStart(6, '0')}` : String(at + 1))
  for (let at = 1; at <= departments; at += 1) {
    const parent = at <= 10 ? getRootId(provider) : toDepartmentId(Math.floor((at - 1) / 10))
    simulator.saveDepartment({ ...companyRef, id: toDepartmentId(at), parent_id: parent, name: `部门${at}`, order: at })
  }
  for (let at = 0; at < people; at += 1) {
    const first = departments === 0 ? getRootId(provider) : toDepartmentId(1 + (at % departments))
    // Every twentieth user is in a second department as well.
    const second = at % 20 === 19 && departments > 1 ? [toDepartmentId(1 + ((at + 1) % departments))] : []
    const number = String(at + 1).padStart(5, '0')
    simulator.addUser({
      ...companyRef,
      user_id: provider === 'lark' ? `ou_sim${number}` : `sim${number}`,
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
    app_id: appIds[provider],
    agent_id,
    secret: `simulated-secret-${provider}`,
    origin,
  })
  const suite = simulator.addSuite({
    provider,
    id: suiteIds[provider],
    secret: `simulated-suite-secret-${provider}`,
    ticket: null,
  })
  simulator.addApp({
    ...companyRef,
    app_id: suite.id,
    agent_id: '1000008',
    secret: provider === 'wecom' ? 'simulated-permanent-code' : '',
    origin,
    suite,
  })
  return { app, suite }
}
