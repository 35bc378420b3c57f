/** Columns that are parts of another amount on the sheet: they are displayed, but not counted again. */
import { isEmployerCost, isGross, isNet, isPayItem } from '../../../contract/sheets/column-roles.ts'
import type { Grid } from '../../grid.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { getCellFen } from './sums.ts'
import type { ColumnDraft } from './types.ts'

/** 津贴补贴, 其中：高温补贴: a part of the amount on its left is displayed, but not counted again. */
export function excludeSubItems(drafts: ColumnDraft[]) {
  let parent: ColumnDraft | undefined
  for (const draft of drafts) {
    if (!normalizeHeader(draft.path.at(-1) ?? '').startsWith('其中')) parent = draft.isAmount ? draft : undefined
    else if (draft.isAmount && parent && isPayItem(parent.role))
      Object.assign(draft, { role: 'info', confidence: 0.8, reason: `「${draft.label}」是「${parent.label}」里的一部分` })
  }
}

const paymentMethodPattern =
  /^(?:银行|工资)?(?:转账|转帐|代发|打卡|卡发|现金|微信|支付宝|对公|对私)(?:发放|支付|付款|部分|金额|工资|发)?$/
export const isPaymentMethod = ({ path, isAmount }: ColumnDraft): boolean =>
  isAmount && paymentMethodPattern.test(normalizeHeader(path.at(-1) ?? ''))
/** 转账 and 现金 in adjacent columns: the net pay in two payment methods. Neither is an item, and neither is the total. */
export function excludePaymentMethods(drafts: ColumnDraft[]) {
  const paymentColumns = drafts.filter((draft) => isPaymentMethod(draft) && draft.profile.amounts > 0)
  if (paymentColumns.length < 2) return
  for (const draft of paymentColumns)
    Object.assign(draft, {
      role: 'info',
      isAlternative: true,
      confidence: 0.8,
      reason: `「${draft.label}」是发放的方式，只是实发的一部分`,
    })
}

const partialPaymentPattern = /[已预先][发付支领]|现金|微信|支付宝|转[账帐]|存折/
/** 上半月已发 next to 下半月实发, 现金 next to 打卡金额: a part of the amount paid. */
export const isPartialPayment = ({ path, isAmount }: ColumnDraft): boolean =>
  isAmount && partialPaymentPattern.test(path.at(-1) ?? '')

const paymentPattern = /^(?:本[次期批月]|此次|这次)?(?:应付|支付|发放|付款)(?:工资|奖金|金额|合计|总?额|数)?$/
export const isPaymentLabel = (path: readonly string[]): boolean => paymentPattern.test(normalizeHeader(path.at(-1) ?? ''))
const earlierPaymentPattern = /[已预先](?:支付|发放|[发付支领])/
export const isEarlierPayment = ({ path }: ColumnDraft): boolean => earlierPaymentPattern.test(path.at(-1) ?? '')

/** 应付净额, then 15日预发 and 月底补发: two adjacent columns behind the net pay that together equal it in every row. */
export function excludeNetComponents(grid: Grid, people: readonly number[], drafts: readonly ColumnDraft[]) {
  const net = drafts.find(({ role }) => isNet(role))
  if (!net || people.length < 2) return
  const fen = (row: number, draft: ColumnDraft) => getCellFen(grid, row, draft.index) ?? 0
  drafts.forEach((draft, at) => {
    const next = drafts[at + 1]
    if (!next || draft.index <= net.index || !(draft.isAmount || next.isAmount) || draft.profile.amounts === 0) return
    // In 实发, then 代垫 and 实际到账, the column is the amount paid and not a part of it.
    if ((isNet(draft.meaning.role) || isNet(next.meaning.role)) && !(isPartialPayment(draft) || isPartialPayment(next))) return
    // 税后奖金, then 节前已付 and 本次支付: the last is paid now, which the user must confirm.
    const isPaidNow = (one: ColumnDraft) => isNet(one.meaning.role) || isPaymentLabel(one.path)
    if ([draft, next].some(isEarlierPayment) && [draft, next].some(isPaidNow)) return
    if (next.profile.amounts === 0 || !people.every((row) => fen(row, draft) + fen(row, next) === fen(row, net))) return
    for (const one of [draft, next])
      Object.assign(one, {
        role: 'info',
        isAlternative: true,
        confidence: 0.85,
        reason: `「${one.label}」是「${net.label}」的一部分`,
      })
  })
}

/** 服务费 behind the net pay is an agency's fee; before the gross pay it is an employee's earning. */
export function resolveServiceFees(drafts: readonly ColumnDraft[]) {
  const gross = drafts.find(({ role }) => isGross(role))
  for (const draft of drafts)
    if (
      isEmployerCost(draft.role) &&
      gross &&
      draft.index < gross.index &&
      /^(?:服务费|管理费|代理费)$/.test(normalizeHeader(draft.label))
    )
      Object.assign(draft, { role: 'earning', confidence: 0.8, reason: `「${draft.label}」在「${gross.label}」之前` })
}
