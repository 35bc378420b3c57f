/** What a card of the list says beside its name and its cell, as values: nothing that stands there already, and what one does about it as acts. */

import { formatFen, formatPlainFen, parseFen } from '../../../../server/contract/shared/money.ts'
import { maskMobile, mobilePattern } from '../../../../server/contract/shared/phone.ts'
import type { IssueFix } from '../../../../server/contract/shared/schemas.ts'
import type { Issue, IssueWithRow } from '../../../../server/contract/sheets/sheet.ts'

/** What a card shows of its row beside the problem. */
export type RowDetails = NonNullable<IssueWithRow['row_summary']>

/** `value`: written into the problem's own cell at once. */
export type CardAction = { readonly fix: IssueFix; readonly text: string; readonly value?: string }

/** What can be done about a problem, what helps most first. Whom it could be stands above, each with a button of his own. */
export function getCardActions({ kind, fix, column, level, candidates, expected_fen }: Issue): readonly CardAction[] {
  const combine: CardAction = { fix: 'combine', text: '合成一张工资条' }
  // Where something speaks against it, it is the last thing that is offered.
  const isSuggested = kind === 'several_rows'
  const isFirst = isSuggested || (kind === 'duplicate_person' && fix[0] === 'combine')
  const actions: readonly (CardAction | null)[] = [
    isFirst ? combine : null,
    { fix: 'separate', text: isSuggested ? '分开处理' : '分开这几行' },
    { fix: 'swap', text: '换回来' },
    column !== null && expected_fen !== undefined
      ? { fix: 'edit', text: `改为 ${formatFen(expected_fen)}`, value: formatPlainFen(expected_fen) }
      : null,
    { fix: 'take', text: '花名册改用此卡号' },
    { fix: 'create', text: '创建员工' },
    column === null ? null : { fix: 'edit', text: '修改单元格' },
    { fix: 'match', text: candidates.length ? '找其他人' : '指定人员' },
    { fix: 'accept', text: kind === 'left_person' ? '照发' : level === 'error' ? '接受' : '没问题' },
    { fix: 'skip', text: '跳过此人' },
    isFirst ? null : combine,
  ]
  return actions.flatMap((action) => (action !== null && fix.includes(action.fix) ? [action] : []))
}

/**
 * How loud the buttons of a card are. Where all of a kind can be put right at once that stands above, and single cards are quiet; a problem of
 * which there is one shows what helps. A warning never outshouts the way on.
 */
export function getButtonType({ level }: Issue, isOnly: boolean): 'primary' | 'default' {
  return level === 'error' && isOnly ? 'primary' : 'default'
}

const quotedPattern = /「([^」]*)」/g
const amountPattern = /[\d,]+\.\d\d|\d+/
/** From here on a sentence says what to do, which the buttons and the heading say. */
const advicePattern = /[；，]请[^；]*$/

/** The form of a sentence without whom and how much it is about. */
const toMessageForm = (message: string) => message.replace(quotedPattern, '「」').replace(new RegExp(amountPattern, 'g'), '#')

/** The form that most sentences of a list have; of as many the one that comes first. */
function findCommonForm(messages: readonly string[]): string {
  const count = new Map<string, number>()
  for (const message of messages) count.set(toMessageForm(message), (count.get(toMessageForm(message)) ?? 0) + 1)
  return [...count].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0])[0]
}

/**
 * What the sentence of a problem adds to its card; null where name, cell and heading say it all. `messages`: the sentences of the whole list;
 * one that is of another form than most tells something by that.
 */
export function getExtraMessage(issue: Issue, label: string, messages: readonly string[]): string | null {
  const message = issue.message.replace(advicePattern, '')
  const visibleTexts = new Set([issue.name, label])
  const hasNewQuote = [...message.matchAll(quotedPattern)].some(([, text = '']) => !visibleTexts.has(text))
  const hasNewContent = hasNewQuote || amountPattern.test(message.replace(quotedPattern, ''))
  return hasNewContent || toMessageForm(issue.message) !== findCommonForm(messages) ? message : null
}

/** Whether what stands in the cell is one of the figures that the card shows anyway. */
export function isVisibleAmount(value: string, { gross_fen, net_fen }: Pick<RowDetails, 'gross_fen' | 'net_fen'>): boolean {
  const fen = parseFen(value.replaceAll(',', ''))
  return fen !== null && (fen === gross_fen || fen === net_fen)
}

/** Whether the roster may take the phone of the row for this person: his own name stands beside another phone than his. */
export const canUpdatePhone = (issue: Issue, { name, mobile_masked }: Issue['candidates'][number], mobile: string): boolean =>
  (issue.kind === 'unknown_person' || issue.kind === 'name_mismatch') &&
  name === issue.name &&
  new RegExp(mobilePattern).test(mobile) &&
  maskMobile(mobile) !== mobile_masked
