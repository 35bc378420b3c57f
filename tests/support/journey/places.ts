/** Every page there is: who looks at it, by which address, and what is seen of it when it has come. */

import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getSlipList } from '../../../server/contract/payslips/employee.ts'
import { getWageList } from '../../../server/contract/payslips/send.ts'
import { desk, type Journey } from './journey.ts'

/** What is seen when a page has come: words of its heading, or of what the server answered. Who is '' has not signed in. */
export type Place = { route: string; who: string; path: string; seen: string | RegExp | null }
const [payroll, system] = ['薪酬管理员（全公司）', '系统管理员（全部权限）']
const place = (route: string, who: string, seen: Place['seen'], path = route): Place => ({ route, who, seen, path })
export const routedPlaces: readonly Place[] = [
  // An empty page without anything around it.
  place('/', '', null),
  place('/m', '', '查看我的工资条'),
  place('/entry', '', '请在办公软件里打开'),
  place('/landing', payroll, '本月批次'),
  place('/CompanyList', '代理企业负责人', /^\d+ 家企业$/),
  place('/SendSucc', payroll, '查看明细', '/SendSucc?batch_id=BATCH'),
  place('/SendSucc', payroll, '没有指定是哪一批工资条'),
  place('/agency', payroll, '等我处理'),
  place('/agency', system, /^共 \d+ 份$/, '/agency?view=approval'),
  place('/check', payroll, '已经发送', '/check?batch_id=BATCH'),
  place('/check', payroll, '还没有工资表，请先上传一份'),
  place('/companyInfo', system, '统一社会信用代码（税号）'),
  place('/companyMember', payroll, /^\d+ 人$/),
  place('/companyMember', payroll, /人可能收不到$/, '/companyMember?view=reach'),
  place('/companyOrder', system, /^共 \d+ 个$|还没有/),
  place('/companyOrder', payroll, /^共 \d+ 条$|还没有/, '/companyOrder?view=use'),
  place('/CompanyService', system, '版本（每年）'),
  place('/companyThird', system, '可见范围'),
  place('/chars/home', system, '各部门'),
  place('/chars/home', payroll, '平均工资明细', '/chars/home?tab=average'),
  place('/find', payroll, '常见问题'),
  place('/memberFile', payroll, '变更记录', '/memberFile?id=MEMBER'),
  place('/memberFile', payroll, '请在花名册里选择一位员工。'),
  place('/home', payroll, '本月批次'),
  place('/home', '老板', '本月批次'),
  place('/memberFeedback', payroll, /^共 \d+ 条$/),
  place('/profile', payroll, '上传头像'),
  place('/roleAdmin', system, '共 5 人'),
  place('/rolePersonal', system, '企业管理员能做什么'),
  place('/roleWage', system, '薪酬管理员能做什么'),
  place('/salaryTax/deduct/added', payroll, /^共 \d+ 人$/),
  place('/salaryTax/deduct/fiveRisks', payroll, /^共 \d+ 人$/),
  place('/salaryTax/deduct/fiveRisks', payroll, '添加方案', '/salaryTax/deduct/fiveRisks?view=schemes'),
  place('/salaryTax/history/list', payroll, '新建一期'),
  place('/salaryTax/history/list', payroll, /还没有锁定的税款期间|要补税/, '/salaryTax/history/list?view=year'),
  place('/salaryTax/history/list', payroll, '如果改一个数', '/salaryTax/history/list?view=preview'),
  place('/salaryTax/history/detail', payroll, '请在税款期间里选择一个月份。'),
  place('/salaryTax/add/update', payroll, '请在税款期间里选择一个月份。'),
  place('/salaryTax/add/check', payroll, '请在税款期间里选择一个月份。'),
  place('/strategic', system, /^\d+ 篇$/),
  place('/wageAdmin', payroll, '2026年10月工资'),
  place('/wageAdmin', '老板', /^共 \d+ /),
  place('/wageDetail', payroll, '撤回全部', '/wageDetail?batch_id=BATCH'),
  place('/wageSend1', payroll, /把工资表拖到这里|选择工资表文件/),
  place('/wageSend2', payroll, '排版', '/wageSend2?batch_id=BATCH'),
  place('/wageSend3', payroll, '发送', '/wageSend3?batch_id=BATCH'),
  place('/wageSet', payroll, '员工可以做什么'),
  place('/dev/ui', '', '对话框'),
  place('/m/admin', payroll, '本月批次'),
  place('/m/invite', '', '邀请已失效', '/m/invite?code=none'),
  place('/m/login', '', '查看我的工资条'),
  place('/m/me', '，员工', '登录的设备'),
  place('/m/slips', '，员工', '2026年10月工资'),
  place('/m/', '，员工', '2026年10月工资', '/m'),
  place('/m/feedback/$id', '，员工', '您的疑问', '/m/feedback/SLIP'),
  place(
    '/m/rehearsal/$id',
    payroll,
    '没有找到这次试发：只有收到的人能打开，并且一天后失效。',
    '/m/rehearsal/00000000-0000-7000-8000-000000000000',
  ),
  place('/m/slip/$id', '，员工', '实发工资', '/m/slip/SLIP'),
  place('/m/slip/$id', '，员工', '这张工资条已被撤回或不存在', '/m/slip/00000000-0000-7000-8000-000000000000'),
]
/** Pages that are files of their own, or that the server draws. */
export const drawnPlaces: readonly Place[] = [
  place('', '', '发得到对的人', '/pc/page/index/index.html'),
  place('', '', '登录薪函', desk),
  place('', '', '没有找到这个页面', '/no/such/page'),
  place('', '', '薪函 API', '/api'),
  place('', '', '发件箱', '/dev/outbox'),
]
export const places: readonly Place[] = [...routedPlaces, ...drawnPlaces]

export type PathOf = (place: Pick<Place, 'path'>) => string
/** The addresses of one demo: whose batch, slip and person they are about. */
export async function findPaths(journey: Journey): Promise<PathOf> {
  const payroll_admin = await journey.caller(payroll)
  const batch = (await payroll_admin.must(getWageList, {})).list.find(({ title }) => title === '2026年10月工资')?.batch_id ?? ''
  const name = journey.nameOf('，员工')
  const member = (await payroll_admin.must(getMemberList, { name })).list[0]?.ID ?? ''
  const slip = (await (await journey.caller('，员工')).must(getSlipList, {})).list[0]?.slip_id ?? ''
  return ({ path }) => path.replace('BATCH', batch).replace('SLIP', slip).replace('MEMBER', member)
}
