/** Determines the role of each column by its label and its values. Uncertain roles are marked. */

import type { CellKind, ColumnRole } from '../../../contract/shared/schemas.ts'
import { getColumnNames } from '../../../contract/sheets/column-names.ts'
import {
  isBankAccount,
  isDeduction,
  isDepartment,
  isEmployeeNo,
  isFirstName,
  isGross,
  isLastName,
  isLeadingName,
  isMobile,
  isName,
  isNet,
  memberRoles,
} from '../../../contract/sheets/column-roles.ts'
import { type Grid, getCellId, type Merge, toColumnLetters } from '../../grid.ts'
import { type ColumnProfile, profileColumn } from '../../recognise/column-profile.ts'
import { otherPersonPattern } from '../../recognise/identity-label.ts'
import { type LabelMeaning, shortAmountPattern } from '../../recognise/label-meaning.ts'
import { mentionsPay } from '../../recognise/sheet-title.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import type { Header } from '../../recognise/types.ts'
import { excludeOtherCurrencies } from './currency.ts'
import {
  excludeLegends,
  flagDoubtfulDepartments,
  resolveCountColumns,
  resolvePhoneBillColumns,
  resolveUnlabeledColumns,
} from './misplaced-columns.ts'
import { excludeNetComponents, excludePaymentMethods, excludeSubItems, resolveServiceFees } from './sub-items.ts'
import type { ColumnDraft } from './types.ts'

export function recognizeColumns(grid: Grid, header: Header, people: readonly number[]): ColumnDraft[] {
  const drafts: ColumnDraft[] = []
  let widest = header.right
  for (const row of people.slice(0, 300)) widest = Math.max(widest, (grid.rows[row]?.length ?? 0) - 1)
  for (let index = 0; index <= Math.min(widest, 299); index++) {
    const path = header.paths[index - header.left] ?? []
    const profile = profileColumn(grid, people, index)
    const isPicture = profile.filled === 0 && profile.pictures > 0
    if (path.length === 0 && profile.filled === 0 && !isPicture) continue
    const meaning: LabelMeaning = isPicture
      ? { role: 'ignore', nature: 'info', confidence: 1, reason: '这一列是图片' }
      : (header.meanings[index - header.left] ?? { role: 'ignore', nature: 'unknown', confidence: 0.3, reason: '没有表头' })
    drafts.push(createDraft(grid, index, path, meaning, profile))
  }
  markInvisible(grid, people, drafts)
  resolvePhoneBills(drafts)
  resolveByValues(drafts)
  resolvePhoneBillColumns(drafts)
  resolveUnknownAmounts(drafts, mentionsPay(grid, header))
  resolveCountColumns(drafts)
  keepOnePerRole(drafts)
  resolveEmployeeNumber(drafts)
  resolveSplitNames(drafts)
  flagDoubtfulDepartments(drafts)
  resolveNetAndGross(drafts, grid.merges)
  excludeSubItems(drafts)
  excludePaymentMethods(drafts)
  excludeNetComponents(grid, people, drafts)
  resolveServiceFees(drafts)
  excludeOtherCurrencies(drafts)
  resolveUnlabeledColumns(grid, people, drafts)
  excludeLegends(grid, people, drafts)
  resolveUnsureLabels(drafts)
  for (const draft of drafts) draft.kind = getColumnKind(draft)
  setColumnQuotes(drafts)
  return drafts
}

/** Uses the current names and letters; must be called again when letters change. */
export function setColumnQuotes(drafts: readonly ColumnDraft[]) {
  const names = getColumnNames(drafts)
  const times = Map.groupBy(drafts, ({ key }) => names.get(key) ?? '')
  for (const draft of drafts) {
    const name = names.get(draft.key) ?? ''
    draft.quote = (times.get(name)?.length ?? 0) > 1 ? `「${name}」（${draft.col} 列）` : `「${name}」`
  }
}

function createDraft(grid: Grid, index: number, path: string[], meaning: LabelMeaning, profile: ColumnProfile): ColumnDraft {
  const draft: ColumnDraft = {
    key: `c${index}`,
    col: toColumnLetters(index),
    path,
    label: path.join(' / '),
    role: meaning.role,
    kind: 'text',
    samples: profile.samples,
    confidence: meaning.confidence,
    reason: meaning.reason,
    hidden: grid.hidden_columns.has(index),
    index,
    meaning,
    profile,
    isAmount: meaning.nature === 'money',
    quote: '',
    isInvisible: false,
    isAside: false,
  }
  const { filled, texts, amounts, dates, percents } = profile
  const set = (role: ColumnRole, confidence: number, reason: string, isAmount = false) =>
    Object.assign(draft, { role, confidence, reason, isAmount })
  if (draft.isAmount && filled > 0) {
    if (dates * 2 > filled && amounts * 2 < filled) set('info', 0.8, `${draft.reason}，但内容是日期`)
    else if (percents * 2 > filled) set('info', 0.8, `${draft.reason}，但内容是百分比`)
    else if (isIdentityNumber(profile) && meaning.confidence < 1) set('info', 0.8, `${draft.reason}，但内容是号码`)
    else if (isPeriod(profile, draft.label)) set('info', 0.8, `${draft.reason}，但内容是年份或月份`)
    else if (texts > 0 && amounts === 0 && meaning.confidence < (texts < 10 && /\d/.test(profile.samples.join('')) ? 0.8 : 0.9))
      set('info', 0.6, `${draft.reason}，但内容是文字`)
    else if (texts * 2 > filled) draft.confidence = Math.min(draft.confidence, 0.5)
  }
  return draft
}

/** Amounts hidden by their number format (`;;;`) are treated like a hidden column: they were not meant to be read. */
function markInvisible({ marks, rows }: Grid, people: readonly number[], drafts: readonly ColumnDraft[]) {
  const body = new Set(people)
  const columns = new Map(drafts.map((draft) => [draft.index, draft]))
  const stride = getCellId(1, 0)
  for (const [id, { invisible }] of marks) {
    const row = Math.floor(id / stride)
    if (invisible !== true || !body.has(row) || !rows[row]?.[id % stride]) continue
    const draft = columns.get(id % stride)
    if (draft) Object.assign(draft, { hidden: true, isInvisible: true })
  }
}

/** Returns whether the values are accounts, ID cards or phones: these are implausible as amounts, and all different. */
const isIdentityNumber = ({ filled, bank_cards, id_cards, mobiles, distinct, fractions }: ColumnProfile) =>
  (bank_cards + id_cards + mobiles) * 2 > filled && fractions === 0 && distinct * 10 >= filled * 8

/** Returns whether the column holds a period: 202610 in every row, or 2026 under a label about years. */
function isPeriod({ filled, amounts, distinct, smallest, largest, fractions }: ColumnProfile, label: string): boolean {
  if (amounts < filled || fractions > 0 || distinct > 12) return false
  const isMonths = smallest >= 200_001 && largest <= 209_912 && smallest % 100 <= 12 && largest % 100 <= 12
  const isYears = smallest >= 1990 && largest <= 2099 && /年|期|year/i.test(label)
  return isYears || (isMonths && (distinct === 1 ? filled > 1 || /月|期|month/i.test(label) : /月|期|month/i.test(label)))
}

/** TELEPHONE with 21, 35, 12 is a phone bill, because no phone number has so few digits. */
function resolvePhoneBills(drafts: ColumnDraft[]) {
  for (const draft of drafts) {
    const { filled, amounts, mobiles, largest } = draft.profile
    if (!isMobile(draft.role) || filled < 2 || amounts < filled || mobiles > 0 || largest >= minPhoneNumber) continue
    if (/号|手机|mobile|number|no\.?$/i.test(draft.label)) continue
    const reason = `「${draft.label}」下面不是电话号码`
    Object.assign(draft, { role: 'info', isAmount: false, reason, confidence: 0.5 })
    draft.meaning = { role: 'info', nature: 'unknown', confidence: 0.3, reason }
  }
}
const minPhoneNumber = 100_000

/** 劳保 is an insurance if 健保 is next to it, otherwise perhaps protective equipment, which is paid for. */
function resolveUnsureLabels(drafts: ColumnDraft[]) {
  const labels = drafts.map(({ label }) => normalizeHeader(label))
  if (labels.some((label) => /健保|劳退|团保/.test(label))) return
  drafts.forEach((draft, at) => {
    if (!isDeduction(draft.role) || !/劳保(?:费|金|用品费?)?$/.test(labels[at] ?? '')) return
    Object.assign(draft, { confidence: Math.min(draft.confidence, 0.55), reason: `${draft.reason}，可能是扣款，也可能是补贴` })
  })
}

/** Resolves columns whose label is unknown or contradicts the values. */
function resolveByValues(drafts: ColumnDraft[]) {
  const has = (role: ColumnRole) => drafts.some((draft) => draft.role === role)
  for (const draft of drafts) {
    const { filled, mobiles, id_cards, emails, bank_cards, cards } = draft.profile
    if (filled === 0 || otherPersonPattern.test(normalizeHeader(draft.label))) continue
    const most = (count: number) => count > 0 && count * 10 >= filled * 8
    const identity: [ColumnRole, string] | undefined = most(emails)
      ? ['email', '邮箱']
      : most(id_cards)
        ? ['id_card', '身份证号']
        : most(mobiles)
          ? ['mobile', '手机号']
          : (most(cards) || (most(bank_cards) && /[卡账帐]|account|bank/i.test(draft.label))) && draft.meaning.nature !== 'money'
            ? ['bank_account', '银行卡号']
            : undefined
    if (identity && draft.role !== identity[0] && !(draft.isAmount && draft.meaning.confidence > 0.8) && !has(identity[0]))
      Object.assign(draft, {
        role: identity[0],
        confidence: draft.label ? 0.8 : 0.75,
        reason: `内容像${identity[1]}`,
        isAmount: false,
      })
    // A bank account consists of digits; SALARY_AC_0001 is an internal number.
    if (isBankAccount(draft.role) && draft.profile.amounts * 2 < filled && !most(bank_cards))
      Object.assign(draft, { role: 'info', confidence: 0.6, reason: `${draft.reason}，但内容不是银行卡号` })
    if (isBankAccount(draft.role) && draft.meaning.confidence < 0.9 && !most(bank_cards) && draft.profile.filled > 0)
      Object.assign(draft, { role: 'info', confidence: 0.6, reason: `${draft.reason}，但内容不是银行卡号` })
  }
}

/** Numbers under an unknown label are amounts if they are among amounts. */
function resolveUnknownAmounts(drafts: ColumnDraft[], isPay: boolean) {
  const matchedAmounts = drafts.filter((draft) => draft.isAmount && draft.meaning.confidence >= 0.6)
  const first = matchedAmounts[0]?.index ?? -1
  const net = matchedAmounts.findLast((draft) => isNet(draft.role))
  const gross = matchedAmounts.find((draft) => isGross(draft.role))
  const last =
    matchedAmounts.filter(({ index }) => index > (net?.index ?? Number.POSITIVE_INFINITY)).length * 2 > matchedAmounts.length
      ? matchedAmounts.at(-1)
      : net
  const end = (last ?? matchedAmounts.at(-1))?.index ?? -1
  const days = drafts.some((draft) => draft.meaning.nature === 'info' && /出勤|天数|考勤|日数/.test(draft.label))
  drafts.forEach((draft, at) => {
    const { amounts, filled, texts, dates, percents } = draft.profile
    const among = first >= 0 && draft.index > first && draft.index < end
    const numeric = filled === 0 || (amounts * 2 > filled && texts * 4 <= filled && dates === 0 && percents === 0)
    // 请假 next to 考勤天数 counts days; alone among amounts it is a deduction.
    if (draft.meaning.isAbsence && days && draft.profile.largest <= 31)
      return Object.assign(draft, { role: 'info', confidence: 0.6, isAmount: false, reason: `${draft.reason}，旁边是考勤天数` })
    // 岗位 between 加班 and 补助 is short for 岗位工资.
    const short = draft.meaning.nature === 'info' && shortAmountPattern.test(normalizeHeader(draft.label))
    const between = short && drafts[at - 1]?.isAmount === true && drafts[at + 1]?.isAmount === true
    if (!(draft.meaning.nature === 'unknown' && draft.label !== '') && !between) return undefined
    if (memberRoles.has(draft.role) || !numeric) return undefined
    if (among)
      return Object.assign(draft, {
        role: gross && draft.index > gross.index ? 'deduction' : 'earning',
        isAmount: true,
        confidence: 0.5,
        reason: '没见过这个表头，它在金额列之间',
      })
    // No amount is known on the entire sheet although it is about pay, so the user is asked.
    const isLikelyPay = filled > 0 && (draft.profile.fractions > 0 || draft.profile.largest >= 100) && !draft.profile.counting
    if (isLikelyPay && isPay && matchedAmounts.length === 0 && draft.profile.distinct > 0 && draft.profile.largest < 10_000_000)
      return Object.assign(draft, {
        role: 'earning',
        isAmount: true,
        confidence: 0.35,
        reason: '没见过这个表头，内容是数字',
      })
    return undefined
  })
}

/**
 * Keeps at most one column per role: the most certain, then the fullest, then the first. The others become
 * informational.
 */
function keepOnePerRole(drafts: ColumnDraft[]) {
  for (const role of memberRoles) {
    const same = drafts.filter((draft) => draft.role === role)
    if (same.length < 2) continue
    const [best] = same.toSorted(
      (a, b) => b.confidence - a.confidence || b.profile.filled - a.profile.filled || a.index - b.index,
    )
    for (const draft of same)
      if (draft !== best)
        Object.assign(draft, { role: 'info', confidence: 0.6, reason: `${draft.reason}，已用「${best?.label}」列` })
  }
}

/** A column that only resembles it leads to a question. */
const guessConfidence = 0.55

/** 编号, id or an unreadable label next to the name may be the employee number if no column clearly says so. */
function resolveEmployeeNumber(drafts: ColumnDraft[]) {
  if (drafts.some((draft) => isEmployeeNo(draft.role))) return
  const name = drafts.find((draft) => isLeadingName(draft.role))
  if (!name) return
  const candidates = drafts.filter(isEmployeeNumberCandidate(name))
  const [best] = candidates.toSorted(
    (a, b) =>
      Number(b.profile.distinct === b.profile.filled) - Number(a.profile.distinct === a.profile.filled) || a.index - b.index,
  )
  if (best) Object.assign(best, { role: 'employee_no', confidence: guessConfidence, reason: `「${best.label}」每人不同，像工号` })
}

/** Returns whether a column next to the name may be the employee number although its label does not state that. */
export const isEmployeeNumberCandidate =
  (name: ColumnDraft) =>
  (draft: ColumnDraft): boolean => {
    if (memberRoles.has(draft.role) || draft.isAmount || draft.profile.dates > 0) return false
    const text = normalizeHeader(draft.label)
    const { rows, filled, distinct, padded, largest, amounts } = draft.profile
    // 001 002 003 is padded in order to be an identifier.
    const counting = draft.profile.counting && padded === 0
    const unique = filled === rows && distinct === filled && filled > 1
    if (/^(?:账号|帐号|用户名|编号|id|code|uid|用户id)$/.test(text))
      return filled === 0 ? text !== '编号' : !(counting && text === '编号')
    // Row numbers have such labels as well.
    if (/^(?:no\.?|number)$/.test(text)) return unique && isCodeLike(draft.samples) && amounts === 0
    const near = Math.abs(draft.index - name.index) <= 2
    const coded = amounts === 0 || (!counting && largest >= 100)
    // 80000 and 100000 are quantities.
    const isRound = draft.samples.every((sample) => /^\d+0$/.test(sample)) || /[额量数率金费薪价]$|目标|标准/.test(text)
    return (
      near && draft.meaning.nature === 'unknown' && draft.label !== '' && unique && coded && !isRound && isCodeLike(draft.samples)
    )
  }

const isCodeLike = (samples: readonly string[]) =>
  samples.length > 0 && samples.every((text) => /^(?=.*\d)[A-Za-z\d_-]{3,20}$/.test(text))

/** 单位 is the workplace if no other column is. A surname alone is not a split name, and a full name needs no parts. */
function resolveSplitNames(drafts: ColumnDraft[]) {
  if (!drafts.some((draft) => isDepartment(draft.role))) {
    const unit = drafts.find(
      (draft) => !draft.isAmount && /^(?:单位|工作单位|所在单位|组别|小组|组|区域|片区)$/.test(normalizeHeader(draft.label)),
    )
    if (unit) Object.assign(unit, { role: 'department', confidence: guessConfidence, reason: `「${unit.label}」作为部门` })
  }
  const name = drafts.find((draft) => isName(draft.role))
  const nameSegments = drafts.filter((draft) => isLastName(draft.role) || isFirstName(draft.role))
  if (nameSegments.length > 0 && name) for (const part of nameSegments) Object.assign(part, { role: 'info', confidence: 0.6 })
  else if (nameSegments.length === 1 && nameSegments[0]) Object.assign(nameSegments[0], { role: 'name', confidence: 0.6 })
}

/**
 * Selects exactly one net and one gross column: 实发 before 税后, then the last of them; weak labels (总工资) only if there is
 * no other.
 */
function resolveNetAndGross(drafts: ColumnDraft[], merges: readonly Merge[]) {
  const plainness = (draft: ColumnDraft) => {
    const text = normalizeHeader(draft.path.at(-1) ?? '')
    return (
      (/实发|实付|实领|到手|net|실수령|thực|差引|手取|к выплате|на руки/.test(text) ? 2 : 0) +
      (draft.meaning.confidence > 0.95 ? 1 : 0) +
      (draft.profile.amounts > 0 ? 1 : 0)
    )
  }
  const isUnderOne = (a: ColumnDraft, b: ColumnDraft) =>
    a.label === b.label &&
    merges.some(({ left, right }) => left <= Math.min(a.index, b.index) && right >= Math.max(a.index, b.index))
  const nets = drafts
    .filter((draft) => isNet(draft.role))
    // A label merged over two columns belongs to the first; the second holds a rate or another currency.
    .toSorted((a, b) => plainness(b) - plainness(a) || (isUnderOne(a, b) ? a.index - b.index : b.index - a.index))
  for (const draft of nets.slice(1))
    Object.assign(draft, {
      role: 'info',
      isAmount: true,
      isAlternative: true,
      confidence: 0.6,
      reason: `${draft.reason}，实发已用「${nets[0]?.label}」列`,
    })
  const grosses = drafts
    .filter((draft) => isGross(draft.role))
    .toSorted((a, b) => b.confidence - a.confidence || a.index - b.index)
  for (const draft of grosses.slice(1))
    Object.assign(draft, {
      role: 'info',
      isAmount: true,
      confidence: 0.6,
      reason: `${draft.reason}，应发已用「${grosses[0]?.label}」列`,
    })
  if (nets.length > 0 || grosses.length > 0) return
  const money = drafts.filter((draft) => draft.isAmount)
  const weak = drafts
    .filter((draft) => draft.meaning.possibleNet && draft.profile.texts * 2 <= draft.profile.filled)
    // 金额 alone is the net pay; among other amounts it may be any of them.
    .filter((draft) => money.length === 1 || !/^(?:金额|amount)$/.test(normalizeHeader(draft.label)))
    .at(-1)
  if (weak)
    Object.assign(weak, { role: 'net', isAmount: true, confidence: 0.55, reason: `「${weak.label}」是唯一的总额，当作实发` })
}

function getColumnKind({ isAmount, profile, label, meaning }: ColumnDraft): CellKind {
  if (isAmount) return 'money'
  const { filled, amounts, dates, percents, numbers } = profile
  if (filled === 0) return meaning.nature === 'info' && /日期|date|ngày|дата|입사일/.test(label) ? 'date' : 'text'
  if (dates * 2 > filled) return 'date'
  if ((numbers + percents) * 2 > filled || (meaning.nature === 'info' && amounts * 10 > filled * 9)) return 'number'
  return 'text'
}
