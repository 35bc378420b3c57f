/** Values for an issue card: the details that are not yet visible in its name and cell, and the fixes as actions. */

import { formatFen, formatPlainFen, parseFen } from '../../../../../server/contract/shared/money.ts'
import { maskMobile, mobilePattern } from '../../../../../server/contract/shared/phone.ts'
import type { IssueFix } from '../../../../../server/contract/shared/schemas.ts'
import type { Issue, IssueWithRow } from '../../../../../server/contract/sheets/sheet.ts'

export type RowDetails = NonNullable<IssueWithRow['row_summary']>

/** `value` is written into the issue's own cell immediately. */
export type CardAction = { readonly fix: IssueFix; readonly text: string; readonly value?: string }

/** Returns the actions for an issue, most helpful first. Candidates are listed above, each with its own button. */
export function getCardActions({ kind, fix, column, candidates, expected_fen }: Issue): readonly CardAction[] {
  const combine: CardAction = { fix: 'combine', text: '合成一张工资条' }
  // If there is a reason against combining, it is offered last.
  const isSuggested = kind === 'several_rows'
  const isFirst = isSuggested || (kind === 'duplicate_person' && fix[0] === 'combine')
  const actions: readonly (CardAction | null)[] = [
    isFirst ? combine : null,
    { fix: 'separate', text: isSuggested ? '分开处理' : '分开这几行' },
    { fix: 'swap', text: '换回' },
    column !== null && expected_fen !== undefined
      ? { fix: 'edit', text: `改为 ${formatFen(expected_fen)}`, value: formatPlainFen(expected_fen) }
      : null,
    { fix: 'take', text: '花名册改用此卡号' },
    { fix: 'create', text: '创建员工' },
    column === null ? null : { fix: 'edit', text: '修改单元格' },
    { fix: 'match', text: candidates.length ? '选择其他人' : '指定人员' },
    { fix: 'accept', text: kind === 'left_person' ? '照发' : '接受' },
    { fix: 'skip', text: '跳过此人' },
    isFirst ? null : combine,
  ]
  return actions.flatMap((action) => (action !== null && fix.includes(action.fix) ? [action] : []))
}

/**
 * Returns the button type of an issue card. If all issues of a kind can be fixed at once, that action is above and the
 * cards stay quiet; a single error shows a primary button. A warning never competes with the button that continues.
 */
export function getButtonType({ level }: Issue, isOnly: boolean): 'primary' | 'default' {
  return level === 'error' && isOnly ? 'primary' : 'default'
}

const quotedPattern = /「([^」]*)」/g
const amountPattern = /[\d,]+\.\d\d|\d+/
/** The part of a message that says what to do; buttons and heading already say it. */
const advicePattern = /[；，]请[^；]*$/

/** Reduces a message to its form, without names and amounts. */
const toMessageForm = (message: string) => message.replace(quotedPattern, '「」').replace(new RegExp(amountPattern, 'g'), '#')

/** Returns the most common message form of a list; on a tie the first one. */
function findCommonForm(messages: readonly string[]): string {
  const count = new Map<string, number>()
  for (const message of messages) count.set(toMessageForm(message), (count.get(toMessageForm(message)) ?? 0) + 1)
  return [...count].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0])[0]
}

/**
 * Returns what the message adds to the card; null if name, cell and heading already say it. `messages`: all messages of
 * the list; a message whose form differs from the most common one carries extra information.
 */
export function getExtraMessage(issue: Issue, label: string, messages: readonly string[]): string | null {
  const message = issue.message.replace(advicePattern, '')
  const visibleTexts = new Set([issue.name, label])
  const hasNewQuote = [...message.matchAll(quotedPattern)].some(([, text = '']) => !visibleTexts.has(text))
  const hasNewContent = hasNewQuote || amountPattern.test(message.replace(quotedPattern, ''))
  return hasNewContent || toMessageForm(issue.message) !== findCommonForm(messages) ? message : null
}

/** Returns whether the cell value is one of the amounts that the card shows anyway. */
export function isVisibleAmount(value: string, { gross_fen, net_fen }: Pick<RowDetails, 'gross_fen' | 'net_fen'>): boolean {
  const fen = parseFen(value.replaceAll(',', ''))
  return fen !== null && (fen === gross_fen || fen === net_fen)
}

/**
 * Returns whether the roster may take over the row's phone for this member: same name, only the phone differs, and nobody
 * else has it.
 */
export const canUpdatePhone = (
  issue: Issue,
  { name, mobile_masked }: Issue['candidates'][number],
  { mobile, is_mobile_used }: Pick<RowDetails, 'mobile' | 'is_mobile_used'>,
): boolean =>
  (issue.kind === 'unknown_person' || issue.kind === 'name_mismatch') &&
  name === issue.name &&
  !is_mobile_used &&
  new RegExp(mobilePattern).test(mobile) &&
  maskMobile(mobile) !== mobile_masked
