/** What lies on the administrators' desks besides pay: an application that was rejected, and a scope that was changed. */
import type { Tx } from '../runtime/db.ts'
import type { Vault } from '../runtime/secrets.ts'
import type { Chance } from './chance.ts'
import type { Company } from './staff.ts'

const day_ms = 86_400_000

/** Only where there are a head and two who pay. Nothing waits: whoever shows the demo begins with an application of his own. */
export async function writeDesk(
  tx: Tx,
  { vault, company, now, chance }: { vault: Vault; company: Company; now: Date; chance: Chance },
): Promise<void> {
  const { id: company_id, plan, admins } = company
  const holding = (power: '2' | '4', all: boolean) =>
    admins.find((_, at) => plan.admins[at]?.power.includes(power) && (plan.admins[at]?.scope === 'all') === all)
  const [head, wide, narrow] = [holding('4', true), holding('2', true), holding('2', false)]
  if (!head || !wide || !narrow) return
  const ago = (days: number) => new Date(now.getTime() - days * day_ms)
  const approval_id = chance.id(ago(20))
  const hex = () => chance.id(ago(20)).replaceAll('-', '')
  await tx
    .insertInto('approval')
    .values({
      company_id,
      id: approval_id,
      approval_no: hex(),
      kind: 'wage_transfer',
      applicant_id: narrow.id,
      admin_id: narrow.id,
      member_id: wide.staff.id,
      status: 2,
      reason: vault.seal({ table: 'approval', row: approval_id, column: 'reason' }, '本月工资还没有确认完，月底后再移交'),
      created_at: ago(20),
      decided_at: ago(19),
      decided_by: head.id,
    })
    .execute()
  const asks = `申请把薪酬管理权限移交给 ${wide.staff.name}`
  const line = (admin_id: string, kind: 'approval' | 'role', text: string, days: number, read: boolean) => {
    const id = chance.id(ago(days))
    return {
      company_id,
      id,
      admin_id,
      kind,
      text: vault.seal({ table: 'notice', row: id, column: 'text' }, text),
      batch_id: null,
      created_at: ago(days),
      read_at: read ? ago(days) : null,
    }
  }
  const scope = plan.admins[admins.indexOf(narrow)]?.scope
  await tx
    .insertInto('notice')
    .values([
      line(head.id, 'approval', `${narrow.staff.name} ${asks}，请审批`, 20, true),
      line(narrow.id, 'approval', `您${asks}，${head.staff.name} 已驳回，原因见申请记录`, 19, true),
      line(
        narrow.id,
        'role',
        `${head.staff.name} 把您的管理范围改为：${Array.isArray(scope) ? scope.join('、') : '全公司'}`,
        3,
        false,
      ),
    ])
    .execute()
}
