import type { OutputOf } from '../../../server/contract/call.ts'
import type { getMemberList } from '../../../server/contract/people/member.ts'
import type { MemberStatus } from '../../../server/contract/words/words.ts'
import type { Tone } from '../../theme.ts'

export type Member = OutputOf<typeof getMemberList>['list'][number]

export const memberWords: Record<MemberStatus, { word: string; tone: Tone }> = {
  invited: { word: '待加入', tone: 'info' },
  active: { word: '在职', tone: 'ok' },
  left: { word: '已离职', tone: 'ink3' },
}
/** Beside the phone, while nothing is shown or sent to it. */
export const unconfirmedWord = '待确认新手机号'
