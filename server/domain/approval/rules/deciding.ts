/** Who may decide which application. Pure. */
import type { ApprovalKind, ApprovalStatus } from '../../../contract/corp/approval.ts'
import type { Power } from '../../../contract/who.ts'

export type Decider = { readonly admin_id: string | null; readonly power: readonly Power[] }
export type Application = {
  readonly kind: ApprovalKind
  readonly applicant_id: string
  readonly status: ApprovalStatus
  /** Whether the applicant holds power 4; for `phone`: whether it was I who changed it. */
  readonly of_head?: boolean
  readonly changed_by_me?: boolean
}
export type DecisionVerdict = true | { readonly no: 'not_found' | 'not_permitted' | 'wrong_state'; readonly why: string }

const everyKind: readonly ApprovalKind[] = ['wage_transfer', 'unbind', 'join_agency', 'send', 'phone']

/** Power 4 decides everything; power 1 what concerns the company and not its pay. */
export function kindsFor(power: readonly Power[]): readonly ApprovalKind[] {
  if (power.includes('4')) return everyKind
  return power.includes('1') ? ['join_agency', 'unbind'] : []
}

/** What somebody else decides where the applicant may do everything himself, and there may be no other who may. */
export const ofTwo: readonly ApprovalKind[] = ['phone', 'send']

/**
 * A changed phone, and a sending, are decided by who may see everybody's pay anyway: power 4. Where the applicant is one, and there may be no other,
 * by whoever holds power 1 or 2: two people have looked at it.
 */
export const decides = ({ power }: Pick<Decider, 'power'>, one: Pick<Application, 'kind' | 'of_head'>): boolean =>
  kindsFor(power).includes(one.kind) ||
  (ofTwo.includes(one.kind) && one.of_head === true && (power.includes('1') || power.includes('2')))

/**
 * Whether this may become of it: 1 approved, 2 rejected, 3 taken back. An application that is neither mine nor mine to decide is not
 * there: its number says nothing to others.
 */
export function mayBecome(me: Decider, one: Application, status: 1 | 2 | 3): DecisionVerdict {
  const mine = me.admin_id !== null && me.admin_id === one.applicant_id
  if (!mine && !decides(me, one)) return { no: 'not_found', why: '没有找到这份申请，可能已被处理或不属于您' }
  if (mine && status !== 3) return { no: 'not_permitted', why: '不能审批自己提交的申请，请等待其他管理员审批' }
  if (one.kind === 'phone' && one.changed_by_me && status === 1)
    return { no: 'not_permitted', why: '这个手机号是您改的，要由另一位管理员确认' }
  if (!mine && status === 3) return { no: 'not_permitted', why: '只有申请人可以撤回申请；不同意请选择驳回' }
  if (one.status !== 0) return { no: 'wrong_state', why: settled[one.status] }
  return true
}

const settled: Record<1 | 2 | 3, string> = {
  1: '这份申请已经通过，无需再处理',
  2: '这份申请已经驳回，无需再处理',
  3: '这份申请已经撤回，无需再处理',
}
