/**
 * Rules for granting and revoking powers. Pure: the caller loads the rows. Each rule returns `true` or a denial:
 * whether permission is lacking (`not_permitted`) or the state does not allow it (`wrong_state`), with the message for
 * the user.
 */
import { hasPower, type Power, powerLabels, powers } from '../../../contract/access.ts'
import type { DepartmentTreeNode } from '../../../rules/departments.ts'
import { isScopeReduced, type Scope } from './scopes.ts'

/** An administrator, or a member who is not one yet and then has no id and no power. */
export type PowerHolder = { readonly id: string | null; readonly power: readonly Power[] }
export type PowerDenial = { readonly code: 'not_permitted' | 'wrong_state'; readonly message: string; readonly status: string }
export type PowerRuleResult = true | PowerDenial

const deny = (status: string, message: string): PowerDenial => ({ code: 'not_permitted', message, status })
const denyInState = (status: string, message: string): PowerDenial => ({ code: 'wrong_state', message, status })

export const formatPowers = (selected: readonly Power[]): string =>
  powers
    .filter((power) => selected.includes(power))
    .map((power) => powerLabels[power])
    .join('、')

/**
 * Whether the user may change this administrator. Only powers 1 and 4 manage administrators; nobody manages themselves,
 * because they could widen their own scope; only power 4 manages a holder of power 4.
 */
export function canManageAdmin(me: PowerHolder, target: PowerHolder): PowerRuleResult {
  if (!hasPower(me.power, ['1'])) return deny('no_right', '只有企业管理员和系统管理员可以管理管理员')
  if (me.id !== null && me.id === target.id) return deny('self', '不能更改自己的权限或管理范围，请由其他管理员操作')
  if (target.power.includes('4') && !me.power.includes('4')) return deny('head', '系统管理员的权限不能由企业管理员更改')
  return true
}

/**
 * Power 4 is never granted, only transferred; its holder needs no other. In an agency, whose powers reach into the
 * companies it serves, nobody grants a power that they do not hold; in a company power 1 appoints those who pay.
 */
export function canGrantPowers(
  me: PowerHolder,
  target: PowerHolder,
  granted: readonly Power[],
  { isAgency = false } = {},
): PowerRuleResult {
  const managing = canManageAdmin(me, target)
  if (managing !== true) return managing
  if (granted.includes('4')) return deny('head', '系统管理员权限不能添加，只能由系统管理员本人移交')
  if (target.power.includes('4')) return denyInState('head', '系统管理员已有全部权限，无需再添加')
  const missing = granted.filter((power) => !target.power.includes(power) && !hasPower(me.power, [power]))
  if (isAgency && missing.length > 0) return deny('not_held', `您没有${formatPowers(missing)}权限，不能授予他人`)
  return true
}

/**
 * Whether the user may give this scope to an administrator: in an agency it must lie within the user's own, or be no
 * wider than before.
 */
export function canGrantScope(
  me: Scope,
  { before, after }: { readonly before: Scope; readonly after: Scope },
  tree: readonly DepartmentTreeNode[],
): PowerRuleResult {
  const isWider = isScopeReduced(after, me, tree) && isScopeReduced(after, before, tree)
  return isWider ? deny('wider_scope', '管理范围不能超出您自己的管理范围') : true
}

/**
 * `all` are the administrators of the company. A company always keeps an administrator who may manage it: power 4 is
 * not revoked but transferred, and where nobody holds it (an old or restored company) the last power 1 stays. With a
 * holder of power 4 the last power 1 may be revoked, because a mistaken grant must be reversible even if it is the only
 * one.
 */
export function canRevokePower(me: PowerHolder, target: PowerHolder, power: Power, all: readonly PowerHolder[]): PowerRuleResult {
  const managing = canManageAdmin(me, target)
  if (managing !== true) return managing
  if (power === '4') return denyInState('head', '系统管理员权限不能取消，只能由系统管理员本人移交')
  if (!target.power.includes(power)) return denyInState('not_held', `对方没有${powerLabels[power]}权限，列表可能已更新，请刷新`)
  if (power === '1' && isLastAdmin(target, all))
    return denyInState('last_admin', '这是唯一的企业管理员，请先添加另一位企业管理员')
  return true
}

/** Whether a leaving member may lose all powers. */
export function canRemoveAdmin(me: PowerHolder, target: PowerHolder, all: readonly PowerHolder[]): PowerRuleResult {
  if (isLastAdmin(target, all))
    return target.power.includes('4')
      ? denyInState('last_admin', '这是唯一的系统管理员，请先移交系统管理员权限')
      : denyInState('last_admin', '这是唯一的企业管理员，请先添加另一位企业管理员')
  return canManageAdmin(me, target)
}

function isLastAdmin(target: PowerHolder, all: readonly PowerHolder[]): boolean {
  const kind = all.some(({ power }) => power.includes('4')) ? '4' : '1'
  return target.power.includes(kind) && !all.some((other) => other.id !== target.id && other.power.includes(kind))
}
