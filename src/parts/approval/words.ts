import type { OutputOf } from '../../../server/contract/call.ts'
import type { ApprovalKind, ApprovalStatus, getApprovalList } from '../../../server/contract/corp/approval.ts'
import type { getJoinList } from '../../../server/contract/people/invite.ts'
import { type NoticeKind, noticeKindWords } from '../../../server/contract/people/notices.ts'
import type { Tone } from '../../theme.ts'

/** Who came by the picture and waits. */
export type Join = OutputOf<typeof getJoinList>['list'][number]
export type Approval = OutputOf<typeof getApprovalList>['list'][number]

export const approvalWords: Readonly<Record<ApprovalKind, string>> = {
  wage_transfer: '移交薪酬管理权限',
  unbind: '解除办公平台绑定',
  join_agency: '加入代理',
  phone: '确认新手机号',
  send: '发送工资条',
}
export const statusWords: Readonly<Record<ApprovalStatus, { word: string; tone: Tone }>> = {
  0: { word: '待审批', tone: 'warn' },
  1: { word: '已同意', tone: 'ok' },
  2: { word: '已驳回', tone: 'danger' },
  3: { word: '已撤回', tone: 'ink3' },
}
const noticeTones: Readonly<Record<NoticeKind, Tone>> = {
  failed: 'danger',
  sent: 'ok',
  feedback: 'warn',
  unviewed: 'info',
  approval: 'warn',
  join: 'info',
  phone: 'warn',
  role: 'info',
  security: 'danger',
  service: 'warn',
}
export const noticeWordOf = (kind: NoticeKind): { word: string; tone: Tone } => ({
  word: noticeKindWords[kind],
  tone: noticeTones[kind],
})
