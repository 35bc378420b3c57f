import type { ApprovalKind, ApprovalStatus, getApprovalList } from '../../../server/contract/approval.ts'
import type { OutputOf } from '../../../server/contract/call.ts'
import type { NoticeKind } from '../../../server/contract/desk.ts'
import type { getJoinList } from '../../../server/contract/people/invite.ts'
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
export const noticeWords: Readonly<Record<NoticeKind, { word: string; tone: Tone }>> = {
  sent: { word: '已发送', tone: 'ok' },
  failed: { word: '发送失败', tone: 'danger' },
  feedback: { word: '员工反馈', tone: 'warn' },
  unviewed: { word: '查看情况', tone: 'info' },
  phone: { word: '手机号变更', tone: 'warn' },
  approval: { word: '审批', tone: 'warn' },
  role: { word: '权限变更', tone: 'info' },
  security: { word: '安全提醒', tone: 'danger' },
  join: { word: '加入申请', tone: 'info' },
  service: { word: '服务与余额', tone: 'warn' },
}
