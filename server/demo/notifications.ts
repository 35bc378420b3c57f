/** Notifications for administrators besides pay: an application that was rejected, and a scope that was changed. */

import type { Vault } from '../crypto/secrets.ts'
import type { Tx } from '../database/database.ts'
import type { SeededRandom } from './random.ts'
import type { DemoCompany } from './staff.ts'

const dayMs = 86_400_000

/**
 * Seeds notifications only for companies with an enterprise administrator and two payroll administrators. No
 * application is pending, so that a demo can start with its own.
 */
export async function seedNotifications(
  tx: Tx,
  { vault, company, now, chance: random }: { vault: Vault; company: DemoCompany; now: Date; chance: SeededRandom },
): Promise<void> {
  const { id: company_id, plan, admins } = company
  const findAdmin = (power: '2' | '4', all: boolean) =>
    admins.find((_, at) => plan.admins[at]?.power.includes(power) && (plan.admins[at]?.scope === 'all') === all)
  const [systemAdmin, companyPayrollAdmin, scopedPayrollAdmin] = [
    findAdmin('4', true),
    findAdmin('2', true),
    findAdmin('2', false),
  ]
  if (!systemAdmin || !companyPayrollAdmin || !scopedPayrollAdmin) return
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs)
  const approval_id = random.id(daysAgo(20))
  const hex = () => random.id(daysAgo(20)).replaceAll('-', '')
  await tx
    .insertInto('approval')
    .values({
      company_id,
      id: approval_id,
      approval_no: hex(),
      kind: 'wage_transfer',
      applicant_id: scopedPayrollAdmin.id,
      admin_id: scopedPayrollAdmin.id,
      member_id: companyPayrollAdmin.staff.id,
      status: 2,
      reason: vault.seal({ table: 'approval', row: approval_id, column: 'reason' }, '本月工资还没有确认完，月底后再移交'),
      created_at: daysAgo(20),
      decided_at: daysAgo(19),
      decided_by: systemAdmin.id,
    })
    .execute()
  const requestText = `申请把薪酬管理权限移交给 ${companyPayrollAdmin.staff.name}`
  const createNotification = (admin_id: string, kind: 'approval' | 'role', text: string, days: number, read: boolean) => {
    const id = random.id(daysAgo(days))
    return {
      company_id,
      id,
      admin_id,
      kind,
      text: vault.seal({ table: 'notification', row: id, column: 'text' }, text),
      batch_id: null,
      created_at: daysAgo(days),
      read_at: read ? daysAgo(days) : null,
    }
  }
  const scope = plan.admins[admins.indexOf(scopedPayrollAdmin)]?.scope
  await tx
    .insertInto('notification')
    .values([
      createNotification(systemAdmin.id, 'approval', `${scopedPayrollAdmin.staff.name} ${requestText}，请审批`, 20, true),
      createNotification(
        scopedPayrollAdmin.id,
        'approval',
        `您${requestText}，${systemAdmin.staff.name} 已驳回，原因见申请记录`,
        19,
        true,
      ),
      createNotification(
        scopedPayrollAdmin.id,
        'role',
        `${systemAdmin.staff.name} 把您的管理范围改为：${Array.isArray(scope) ? scope.join('、') : '全公司'}`,
        3,
        false,
      ),
    ])
    .execute()
}
