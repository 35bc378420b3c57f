import { expect, test } from 'vitest'
import { powers } from '../../server/contract/access.ts'
import { tasks } from '../../src/features/access/rights.ts'
import { permissions } from '../contract/permissions.ts'

/** Calls that stand for each task. */
const callsByTask: Record<keyof typeof tasks, readonly string[]> = {
  company: ['POST /api/corp/setLogo', 'POST /api/corp/bindPlatform'],
  orders: ['POST /api/order/getOrderList', 'POST /api/order/createInvoice', 'POST /api/order/getUseList'],
  admins: ['POST /api/User/addAmin', 'POST /api/User/clearRole', 'POST /api/user/editUserScope'],
  roster: ['POST /api/Member/getMemberList'],
  members: ['POST /api/Member/editMemberInfo', 'POST /api/Member/decideJoin'],
  sheets: ['POST /api/wage/uploadWageExcel', 'POST /api/wage/checkWageData'],
  sending: ['POST /api/wage/doSend', 'POST /api/wage/withdrawBatchPaySheet'],
  amounts: ['POST /api/wage/getWageDetail'],
  feedback: ['POST /api/wage/answerFeedback', 'POST /api/wage/sendBatch'],
  tax: ['POST /api/tax/saveIncome', 'POST /api/tax/lockPeriod', 'POST /api/tax/saveMemberInsurance'],
  charts: ['POST /api/Charts/chartData'],
  personal: ['POST /api/Member/exportMemberData', 'POST /api/Member/eraseMemberData'],
  system: ['POST /api/User/transferSystemManager'],
}

test.each(Object.entries(callsByTask))('shows who may make the calls of the task %s', (task, routes) => {
  const { reach } = tasks[task as keyof typeof tasks]
  const displayed = powers.filter((power) => power in reach)
  for (const route of routes) {
    const allowed = permissions[route] ?? 'no such call'
    expect(
      powers.filter((power) => power === '4' || allowed.replace(/^[AB]/, '').includes(power)),
      route,
    ).toEqual(displayed)
  }
})
