/** What a card of the list says beside its name and its cell, as values: nothing that stands there already, and what one does about it as acts. */

import type { PlacedProblem, Problem } from '../../../../server/contract/sheet/sheet.ts'
import { formatFen, parseFen, plainFen } from '../../../../server/contract/words/money.ts'
import { maskMobile, mobilePattern } from '../../../../server/contract/words/phone.ts'
import type { Fix } from '../../../../server/contract/words/words.ts'

/** What a card shows of its row beside the problem. */
export type RowFacts = NonNullable<PlacedProblem['of']>

/** `value`: written into the problem's own cell at once. */
export type CardAct = { readonly fix: Fix; readonly text: string; readonly value?: string }

/** What can be done about a problem, what helps most first. Whom it could be stands above, each with a button of his own. */
export function actsOf({ kind, fix, column, level, candidates, computed_fen }: Problem): readonly CardAct[] {
  const combine: CardAct = { fix: 'combine', text: '合成一张工资条' }
  // Where something speaks against it, it is the last thing that is offered.
  const isSuggested = kind === 'several_rows'
  const acts: readonly (CardAct | null)[] = [
    isSuggested ? combine : null,
    { fix: 'separate', text: isSuggested ? '分开处理' : '分开这几行' },
    { fix: 'swap', text: '换回来' },
    column !== null && computed_fen !== undefined
      ? { fix: 'edit', text: `改为 ${formatFen(computed_fen)}`, value: plainFen(computed_fen) }
      : null,
    { fix: 'take', text: '花名册改用此卡号' },
    { fix: 'create', text: '创建员工' },
    column === null ? null : { fix: 'edit', text: '修改单元格' },
    { fix: 'match', text: candidates.length ? '找其他人' : '指定人员' },
    { fix: 'accept', text: kind === 'left_person' ? '照发' : level === 'error' ? '接受' : '没问题' },
    { fix: 'skip', text: '跳过此人' },
    isSuggested ? null : combine,
  ]
  return acts.flatMap((act) => (act !== null && fix.includes(act.fix) ? [act] : []))
}

/**
 * How loud the buttons of a card are. Where all of a kind can be put right at once that stands above, and single cards are quiet; a problem of
 * which there is one shows what helps. A warning never outshouts the way on.
 */
export function loudness({ level }: Problem, isOnly: boolean): 'primary' | 'default' {
  return level === 'error' && isOnly ? 'primary' : 'default'
}

const quoted = /「([^」]*)」/g
const amount = /[\d,]+\.\d\d|\d+/
/** From here on a sentence says what to do, which the buttons and the heading say. */
const advice = /[；，]请[^；]*$/

/** The form of a sentence without whom and how much it is about. */
const formOf = (message: string) => message.replace(quoted, '「」').replace(new RegExp(amount, 'g'), '#')

/** The form that most sentences of a list have; of as many the one that comes first. */
function commonForm(messages: readonly string[]): string {
  const count = new Map<string, number>()
  for (const message of messages) count.set(formOf(message), (count.get(formOf(message)) ?? 0) + 1)
  return [...count].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])[0]
}

/**
 * What the sentence of a problem adds to its card; null where name, cell and heading say it all. `others`: the sentences of the whole list;
 * one that is of another form than most tells something by that.
 */
export function saysMore(problem: Problem, label: string, others: readonly string[]): string | null {
  const said = problem.message.replace(advice, '')
  const own = new Set([problem.name, label])
  const quotes = [...said.matchAll(quoted)].some(([, text = '']) => !own.has(text))
  const news = quotes || amount.test(said.replace(quoted, ''))
  return news || formOf(problem.message) !== commonForm(others) ? said : null
}

/** Whether what stands in the cell is one of the figures that the card shows anyway. */
export function isFigure(value: string, { gross_fen, net_fen }: Pick<RowFacts, 'gross_fen' | 'net_fen'>): boolean {
  const fen = parseFen(value.replaceAll(',', ''))
  return fen !== null && (fen === gross_fen || fen === net_fen)
}

/** Whether the roster may take the phone of the row for this person: his own name stands beside another phone than his. */
export const mayTakePhone = (problem: Problem, { name, mobile_masked }: Problem['candidates'][number], mobile: string): boolean =>
  (problem.kind === 'unknown_person' || problem.kind === 'name_mismatch') &&
  name === problem.name &&
  new RegExp(mobilePattern).test(mobile) &&
  maskMobile(mobile) !== mobile_masked
