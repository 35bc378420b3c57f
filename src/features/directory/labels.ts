import type { CallOutput } from '../../../server/contract/call.ts'
import type { getMemberList } from '../../../server/contract/directory/members.ts'
import type { MemberStatus } from '../../../server/contract/shared/schemas.ts'
import type { StatusColor } from '../../theme.ts'

export type Member = CallOutput<typeof getMemberList>['list'][number]

export const memberStatusLabels: Record<MemberStatus, { label: string; color: StatusColor }> = {
  invited: { label: '待加入', color: 'info' },
  active: { label: '在职', color: 'ok' },
  left: { label: '已离职', color: 'ink3' },
}
/** Shown next to the phone while nothing is displayed or sent to it. */
export const unconfirmedLabel = '待确认新手机号'
