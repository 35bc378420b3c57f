import type { OutputOf } from '../../../server/contract/call.ts'
import type { getMemberList } from '../../../server/contract/member.ts'
import type { MemberStatus } from '../../../server/contract/words.ts'
import type { Tone } from '../../theme.ts'

export type Member = OutputOf<typeof getMemberList>['list'][number]

export const memberWords: Record<MemberStatus, { word: string; tone: Tone }> = {
  invited: { word: '待加入', tone: 'info' },
  active: { word: '在职', tone: 'ok' },
  left: { word: '已离职', tone: 'ink3' },
}
/** Beside the state: what waits, and what is withheld meanwhile. */
export const unconfirmedWords = {
  word: '待确认新手机号',
  tone: 'warn',
  why: '手机号由管理员改过，等待本人确认：确认之前看不到也收不到工资条。请本人用新手机号登录，再用原手机号或原密码确认；或请另一位管理员确认',
} as const satisfies { word: string; tone: Tone; why: string }
