/** Who may decide which application. Pure. */

import type { Power } from '../../../contract/access.ts'
import type { ApprovalKind, ApprovalStatus } from '../../../contract/approvals/approvals.ts'

export type Decider = { readonly admin_id: string | null; readonly power: readonly Power[] }
export type ApprovalApplication = {
  readonly kind: ApprovalKind
  readonly applicant_id: string
  readonly status: ApprovalStatus
  /** Whether the applicant holds power 4; for `phone`, whether the current user changed it. */
  readonly of_head?: boolean
  readonly changed_by_current_admin?: boolean
}
export type DecisionRuleResult = true | { readonly code: 'not_found' | 'not_permitted' | 'wrong_state'; readonly message: string }

const allApprovalKinds: readonly ApprovalKind[] = ['wage_transfer', 'unbind', 'join_agency', 'send', 'phone']

/** Power 4 decides everything; power 1 decides what concerns the company but not its pay. */
export function getDecidableKinds(power: readonly Power[]): readonly ApprovalKind[] {
  if (power.includes('4')) return allApprovalKinds
  return power.includes('1') ? ['join_agency', 'unbind'] : []
}

/** Kinds that need a second administrator when the applicant is a system administrator and may be the only one. */
export const secondAdminKinds: readonly ApprovalKind[] = ['phone', 'send']

/**
 * A changed phone or a send is decided by power 4, which may view all pay anyway. Where the applicant holds power 4 and
 * there may be no other holder, power 1 or 2 may decide, so that two administrators have checked it.
 */
export const canDecide = (
  { power }: Pick<Decider, 'power'>,
  application: Pick<ApprovalApplication, 'kind' | 'of_head'>,
): boolean =>
  getDecidableKinds(power).includes(application.kind) ||
  (secondAdminKinds.includes(application.kind) && application.of_head === true && (power.includes('1') || power.includes('2')))

/**
 * Whether this status may be set: 1 approved, 2 rejected, 3 withdrawn. An application that the user neither submitted
 * nor may decide is reported as not found: its number reveals nothing to others.
 */
export function canSetApprovalStatus(me: Decider, application: ApprovalApplication, status: 1 | 2 | 3): DecisionRuleResult {
  const isOwn = me.admin_id !== null && me.admin_id === application.applicant_id
  if (!isOwn && !canDecide(me, application)) return { code: 'not_found', message: '没有找到这份申请，可能已被处理或不属于您' }
  if (isOwn && status !== 3) return { code: 'not_permitted', message: '不能审批自己提交的申请，请等待其他管理员审批' }
  if (application.kind === 'phone' && application.changed_by_current_admin && status === 1)
    return { code: 'not_permitted', message: '这个手机号是您改的，要由另一位管理员确认' }
  if (!isOwn && status === 3) return { code: 'not_permitted', message: '只有申请人可以撤回申请；不同意请选择驳回' }
  if (application.status !== 0) return { code: 'wrong_state', message: alreadyClosedMessages[application.status] }
  return true
}

const alreadyClosedMessages: Record<1 | 2 | 3, string> = {
  1: '这份申请已经通过，无需再处理',
  2: '这份申请已经驳回，无需再处理',
  3: '这份申请已经撤回，无需再处理',
}
