/** The state machine of a binding. Pure. */
import type { BindingStatus } from '../../../contract/platform-binding/binding.ts'

export type BindingAction =
  | 'bind'
  /** New credentials replace the existing ones. */
  | 'rotate'
  | 'sync'
  | 'synced'
  | 'sync_failed'
  | 'apply_unbind'
  /** The application to unbind was rejected or withdrawn. */
  | 'keep'
  | 'unbind'
  /** The company has disabled or re-enabled the application on its platform. */
  | 'stop'
  | 'resume'

const transitions: Readonly<Record<BindingStatus, Partial<Record<BindingAction, BindingStatus>>>> = {
  0: { bind: 10 },
  10: { rotate: 10, sync: 20, apply_unbind: 40, unbind: 0, stop: 50, resume: 10 },
  20: { rotate: 20, synced: 10, sync_failed: 30, unbind: 0, stop: 50, resume: 20 },
  30: { rotate: 30, sync: 20, synced: 10, sync_failed: 30, apply_unbind: 40, unbind: 0, stop: 50, resume: 30 },
  // Messages and sign-in continue; only the directory sync is paused.
  40: { rotate: 40, keep: 10, unbind: 0, synced: 40, sync_failed: 40, stop: 40, resume: 40 },
  50: { rotate: 50, apply_unbind: 40, unbind: 0, stop: 50, resume: 10, synced: 50, sync_failed: 50 },
}

const blockedMessages: Readonly<Record<BindingStatus, string>> = {
  0: '还没有绑定办公平台',
  10: '已经绑定了办公平台；要换另一个平台或企业，请先解除绑定',
  20: '正在同步通讯录，请等同步完成',
  30: '上次同步没有成功，请先处理，再重新同步',
  40: '正在等待解除绑定的审批；要继续使用，请先撤回申请',
  50: '应用已在办公平台上被停用，请先在平台后台启用',
}

/** Returns the next status, or the reason why the action is not allowed. */
export function nextStatus(status: BindingStatus, action: BindingAction): BindingStatus | { readonly message: string } {
  const next = transitions[status][action]
  return next ?? { message: blockedMessages[status] }
}

/** Whether so many users have disappeared from the platform that an administrator must review the sync before terminations. */
export const isMassTermination = ({
  before: total,
  left: removed,
}: {
  readonly before: number
  readonly left: number
}): boolean =>
  // In a small company, a third of the members is missing when one leaves.
  removed >= 5 && removed * 10 > total * 3
