/** Every page: its user, its address, and what it shows when it is loaded. */

import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getSlipList } from '../../../server/contract/payslips/employee.ts'
import { getWageList } from '../../../server/contract/payslips/send.ts'
import { desk, type Journey } from './journey.ts'

/** What a loaded page shows: a text of its heading or of the server's response. A `who` of '' means signed out. */
export type Position = { route: string; who: string; path: string; viewed: string | RegExp | null }
const [payroll, system] = ['薪酬管理员（全公司）', '系统管理员（全部权限）']
const setPosition = (route: string, who: string, viewed: Position['viewed'], path = route): Position => ({
  route,
  who,
  viewed,
  path,
})
export const routedPlaces: readonly Position[] = [
  // An empty page without a shell.
  setPosition('/', '', null),
  setPosition('/m', '', '查看我的工资条'),
  setPosition('/entry', '', '请在办公平台里打开'),
  setPosition('/landing', payroll, '本月批次'),
  setPosition('/CompanyList', '代理企业负责人', /^\d+ 家企业$/),
  setPosition('/SendSucc', payroll, '查看明细', '/SendSucc?batch_id=BATCH'),
  setPosition('/SendSucc', payroll, '没有指定是哪一批工资条'),
  setPosition('/agency', payroll, '等我处理'),
  setPosition('/agency', system, /^共 \d+ 份$/, '/agency?view=approval'),
  setPosition('/check', payroll, '已经发送', '/check?batch_id=BATCH'),
  setPosition('/check', payroll, '还没有工资表，请先上传一份'),
  setPosition('/companyInfo', system, '统一社会信用代码（税号）'),
  setPosition('/companyMember', payroll, /^\d+ 人$/),
  setPosition('/companyMember', payroll, /人可能收不到/, '/companyMember?view=reach'),
  setPosition('/companyMember', '代理企业负责人', /^\d+ 人$/),
  setPosition('/companyOrder', system, /^共 \d+ 个$|还没有/),
  setPosition('/companyOrder', payroll, /^共 \d+ 条$|还没有/, '/companyOrder?view=use'),
  setPosition('/CompanyService', system, '套餐（按年）'),
  setPosition('/companyThird', system, '可见范围'),
  setPosition('/chars/home', system, '各部门'),
  setPosition('/chars/home', payroll, '平均工资明细', '/chars/home?tab=average'),
  setPosition('/find', payroll, '常见问题'),
  setPosition('/memberFile', payroll, '变更记录', '/memberFile?id=MEMBER'),
  setPosition('/memberFile', payroll, '请在花名册里选择一位员工。'),
  setPosition('/home', payroll, '本月批次'),
  setPosition('/home', '老板', '本月批次'),
  setPosition('/memberFeedback', payroll, /^共 \d+ 条$/),
  setPosition('/profile', payroll, '上传头像'),
  setPosition('/roleAdmin', system, '共 5 人'),
  setPosition('/rolePersonal', system, '企业管理员能做什么'),
  setPosition('/roleWage', system, '薪酬管理员能做什么'),
  setPosition('/rolePersonal', '代理企业负责人', '申请服务企业，进入已授权的企业'),
  setPosition('/salaryTax/deduct/added', payroll, /^共 \d+ 人$/),
  setPosition('/salaryTax/deduct/fiveRisks', payroll, /^共 \d+ 人$/),
  setPosition('/salaryTax/deduct/fiveRisks', payroll, '添加方案', '/salaryTax/deduct/fiveRisks?view=schemes'),
  setPosition('/salaryTax/history/list', payroll, '新建一期'),
  setPosition('/salaryTax/history/list', payroll, /还没有锁定的税款期间|要补税/, '/salaryTax/history/list?view=year'),
  setPosition('/salaryTax/history/list', payroll, '调整测算', '/salaryTax/history/list?view=preview'),
  setPosition('/salaryTax/history/detail', payroll, '请在税款期间里选择一个月份。'),
  setPosition('/salaryTax/add/update', payroll, '请在税款期间里选择一个月份。'),
  setPosition('/salaryTax/add/check', payroll, '请在税款期间里选择一个月份。'),
  setPosition('/strategic', system, /^\d+ 篇$/),
  setPosition('/wageAdmin', payroll, '2026年10月工资'),
  setPosition('/wageAdmin', '老板', /^共 \d+ /),
  setPosition('/wageDetail', payroll, '撤回全部', '/wageDetail?batch_id=BATCH'),
  setPosition('/wageSend1', payroll, /把工资表拖到这里|选择工资表文件/),
  setPosition('/wageSend2', payroll, '排版', '/wageSend2?batch_id=BATCH'),
  setPosition('/wageSend3', payroll, '发送', '/wageSend3?batch_id=BATCH'),
  setPosition('/wageSet', payroll, '反馈与确认'),
  setPosition('/dev/ui', '', '对话框'),
  setPosition('/m/admin', payroll, '本月批次'),
  setPosition('/m/invite', '', '邀请已失效', '/m/invite?code=none'),
  setPosition('/m/login', '', '查看我的工资条'),
  setPosition('/m/me', '，员工', '登录的设备'),
  setPosition('/m/slips', '，员工', '2026年10月工资'),
  setPosition('/m/', '，员工', '2026年10月工资', '/m'),
  setPosition('/m/feedback/$id', '，员工', '反馈内容', '/m/feedback/SLIP'),
  setPosition(
    '/m/rehearsal/$id',
    payroll,
    '没有找到这次试发：只有收到的人能打开，并且一天后失效。',
    '/m/rehearsal/00000000-0000-7000-8000-000000000000',
  ),
  setPosition('/m/slip/$id', '，员工', '实发工资', '/m/slip/SLIP'),
  setPosition('/m/slip/$id', '，员工', '这张工资条已被撤回或不存在', '/m/slip/00000000-0000-7000-8000-000000000000'),
]
/** Pages that are separate files or rendered by the server. */
export const renderedPlaces: readonly Position[] = [
  setPosition('', '', '发得到对的人', '/pc/page/index/index.html'),
  setPosition('', '', '登录薪函', desk),
  setPosition('', '', '没有找到这个页面', '/no/such/page'),
  setPosition('', '', '薪函 API', '/api'),
  setPosition('', '', '发件箱', '/dev/outbox'),
]
export const places: readonly Position[] = [...routedPlaces, ...renderedPlaces]

export type pathMap = (place: Pick<Position, 'path'>) => string
/** Returns the addresses for one demo, with its batch, payslip and member. */
export async function findPaths(journey: Journey): Promise<pathMap> {
  const payroll_admin = await journey.caller(payroll)
  const batch = (await payroll_admin.must(getWageList, {})).list.find(({ title }) => title === '2026年10月工资')?.batch_id ?? ''
  const name = journey.getName('，员工')
  const member = (await payroll_admin.must(getMemberList, { name })).list[0]?.ID ?? ''
  const slip = (await (await journey.caller('，员工')).must(getSlipList, {})).list[0]?.slip_id ?? ''
  return ({ path }) => path.replace('BATCH', batch).replace('SLIP', slip).replace('MEMBER', member)
}
