/**
 * Who may give and take which powers. Pure: what the rows say is the caller's business. Each rule answers `true` or a no: whether it is
 * a matter of right (`not_permitted`) or of how things stand (`wrong_state`), and the sentence to the user.
 */
import { holds, type Power, powers, powerWords } from '../../../contract/who.ts'

/** An administrator, or somebody who is none yet: then there is no id and no power. */
export type Holder = { readonly id: string | null; readonly power: readonly Power[] }
export type No = { readonly no: 'not_permitted' | 'wrong_state'; readonly why: string; readonly status: string }
export type PowerVerdict = true | No

const never = (status: string, why: string): No => ({ no: 'not_permitted', why, status })
const notNow = (status: string, why: string): No => ({ no: 'wrong_state', why, status })

export const wordsOf = (some: readonly Power[]): string =>
  powers
    .filter((power) => some.includes(power))
    .map((power) => powerWords[power])
    .join('、')

/**
 * Whether I may change anything of this administrator: only powers 1 and 4 manage administrators, nobody himself (or one could widen
 * one's own scope), and nobody but a holder of 4 a holder of 4.
 */
export function mayTouch(me: Holder, whom: Holder): PowerVerdict {
  if (!holds(me.power, ['1'])) return never('no_right', '只有企业管理员和系统管理员可以管理管理员')
  if (me.id !== null && me.id === whom.id) return never('self', '不能更改自己的权限或管理范围，请由其他管理员操作')
  if (whom.power.includes('4') && !me.power.includes('4')) return never('head', '系统管理员的权限不能由企业管理员更改')
  return true
}

/** Power 4 is never given, it is handed over; who holds it lacks nothing. */
export function mayGive(me: Holder, to: Holder, given: readonly Power[]): PowerVerdict {
  const touch = mayTouch(me, to)
  if (touch !== true) return touch
  if (given.includes('4')) return never('head', '系统管理员权限不能添加，只能由系统管理员本人移交')
  if (to.power.includes('4')) return notNow('head', '系统管理员已有全部权限，无需再添加')
  return true
}

/**
 * `all` are the administrators of the company. A company always keeps somebody who may manage it: power 4 is not taken but handed over,
 * and where nobody holds 4 (an old company, a restored one) the last power 1 stays. Beside a 4 the last 1 may go: powers given to the
 * wrong person must be taken back even when he is the only one.
 */
export function mayTake(me: Holder, from: Holder, power: Power, all: readonly Holder[]): PowerVerdict {
  const touch = mayTouch(me, from)
  if (touch !== true) return touch
  if (power === '4') return notNow('head', '系统管理员权限不能取消，只能由系统管理员本人移交')
  if (!from.power.includes(power)) return notNow('not_held', `对方没有${powerWords[power]}权限，列表可能已更新，请刷新`)
  if (power === '1' && isLast(from, all)) return notNow('last_admin', '这是唯一的企业管理员，请先添加另一位企业管理员')
  return true
}

/** Whether somebody who leaves may lose all that he has. */
export function mayLeave(me: Holder, who: Holder, all: readonly Holder[]): PowerVerdict {
  if (isLast(who, all))
    return who.power.includes('4')
      ? notNow('last_admin', '这是唯一的系统管理员，请先移交系统管理员权限')
      : notNow('last_admin', '这是唯一的企业管理员，请先添加另一位企业管理员')
  return mayTouch(me, who)
}

function isLast(who: Holder, all: readonly Holder[]): boolean {
  const kind = all.some(({ power }) => power.includes('4')) ? '4' : '1'
  return who.power.includes(kind) && !all.some((other) => other.id !== who.id && other.power.includes(kind))
}
