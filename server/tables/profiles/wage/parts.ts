/** Columns that are parts of another amount on the sheet: shown, and counted nowhere a second time. */
import type { ColumnRole } from '../../../contract/words.ts'
import { normaliseHeader } from '../../recognise/synonyms.ts'
import type { Draft } from './columns.ts'

/** 津贴补贴, 其中：高温补贴: what is a part of the amount on its left is shown, and counted nowhere a second time. */
export function partsOfOthers(drafts: Draft[]) {
  let whole: Draft | undefined
  for (const draft of drafts) {
    if (!/^其中/.test(normaliseHeader(draft.path.at(-1) ?? ''))) whole = draft.money ? draft : undefined
    else if (draft.money && whole && itemRoles.has(whole.role))
      Object.assign(draft, { role: 'info', confidence: 0.8, reason: `“${draft.label}”是“${whole.label}”里的一部分` })
  }
}
const itemRoles: ReadonlySet<ColumnRole> = new Set(['earning', 'deduction', 'tax', 'employer'])

const way = /^(?:银行|工资)?(?:转账|转帐|代发|打卡|卡发|现金|微信|支付宝|对公|对私)(?:发放|支付|付款|部分|金额|工资|发)?$/
export const isWayOfPay = ({ path, money }: Draft): boolean => money && way.test(normaliseHeader(path.at(-1) ?? ''))
/** 转账 and 现金 beside each other: how the net pay comes to somebody, in two parts. Neither is an item, and neither is all of it. */
export function waysOfPay(drafts: Draft[]) {
  const ways = drafts.filter((draft) => isWayOfPay(draft) && draft.profile.amounts > 0)
  if (ways.length < 2) return
  for (const draft of ways)
    Object.assign(draft, { role: 'info', confidence: 0.8, reason: `“${draft.label}”是发放的方式，只是实发的一部分` })
}
