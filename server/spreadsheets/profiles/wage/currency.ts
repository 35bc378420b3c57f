/** Handles amounts in two currencies on one sheet. */
import { isInfo, isNet } from '../../../contract/sheets/column-roles.ts'
import type { ColumnDraft } from './types.ts'

const currencyPatterns: readonly (readonly [string, RegExp])[] = [
  ['CNY', /人民币|rmb|cny/],
  ['USD', /usd|美元|美金/],
  ['HKD', /hkd|港[币元]/],
  ['EUR', /eur|欧元/],
  ['JPY', /jpy|日[元圆]/],
  ['GBP', /gbp|英镑/],
  ['SGD', /sgd|新(?:加坡)?[币元]/],
]
const getCurrency = ({ label }: ColumnDraft): string | undefined =>
  currencyPatterns.find(([, pattern]) => pattern.test(label.toLowerCase()))?.[0]

/** Only amounts in the currency of the net pay are added up; adjacent amounts in another currency are converted. */
export function excludeOtherCurrencies(drafts: ColumnDraft[]) {
  const net = drafts.find(({ role }) => isNet(role))
  const paidIn =
    net && (getCurrency(net) ?? (drafts.some(({ label }) => /折(?:合|算|成)?(?:人民币|rmb)/i.test(label)) ? 'CNY' : undefined))
  if (paidIn === undefined) return
  for (const draft of drafts) {
    const own = getCurrency(draft)
    if (!draft.isAmount || draft === net || own === undefined || own === paidIn || isInfo(draft.role)) continue
    Object.assign(draft, { role: 'info', confidence: 0.8, reason: `${draft.reason}，但币种和实发不同，不计入` })
  }
}
