/**
 * Compares unique numbers in a wage sheet (bank cards, chat platform accounts) with their known owners. If name cells
 * are sorted or deleted while amounts and numbers move along, one employee is paid into another's account, and in a
 * first month no amount reveals it:
 *
 *     sheet   赵 | 5100 | 6222…02        known    赵  6222…01
 *             钱 | 8000 | 6222…01                 钱  6222…02   → each has the other's
 *
 * A number owned by another member blocks the wage sheet, as that member's name would: at the row, or once where many
 * moved. Numbers without a known owner are handled by their kind.
 */

import { chatProviderRules, providers } from '../../../../contract/shared/providers.ts'
import type { ColumnRole, IssueKind } from '../../../../contract/shared/schemas.ts'
import type { RowCells } from '../../../../rules/amounts.ts'
import { isLikelyBankCard, normalizeBankCard } from '../../../../rules/bank-card.ts'
import { normalizeText } from '../../../../rules/text.ts'
import type { PayItemColumn } from './member-amounts.ts'
import type { PayrollMember } from './member-match.ts'
import { type DetectedIssue, formatRowNumber } from './month-comparison.ts'
import { minRowsForSheetIssue, minShareForSheetIssue } from './roster-comparison.ts'

/** If at least this share of the moved numbers is the same number of rows away from the owners, it is a single mistake. */
const minSameOffsetShare = 0.6

/**
 * A number without a known owner: whether its member has a registered one, how many of these rows agree, and for how
 * many members one is known.
 */
export type UnknownNumber = {
  readonly hasRegisteredNumber: boolean
  readonly agreeing: number
  readonly comparedCount: number
  readonly total: number
}

export type OwnedNumberKind = {
  readonly role: ColumnRole
  getNumbers(person: PayrollMember): readonly string[]
  /** Parses a cell under this label into comparable values; empty where it is no such number. */
  parse(value: string, label: string): readonly string[]
  readonly movedIssueKind: IssueKind
  /** Names of the kind, in full for this label and short for sentences; and when all moved numbers may be accepted. */
  getLabel(label: string): string
  readonly shortLabel: string
  readonly acceptHint: string
  getUnknownIssue(one: UnknownNumber): Pick<DetectedIssue, 'kind' | 'message' | 'fix'> | null
}

export type OwnedNumberRow = {
  readonly row: number
  readonly name: string
  readonly member: PayrollMember
  /** The known owner, or null. */
  readonly owner: PayrollMember | null
}

/** The known owners of one kind of number; shared by all rows of a wage sheet. */
export class NumberOwners {
  readonly kind: OwnedNumberKind
  readonly column: PayItemColumn | undefined
  readonly #owners = new Map<string, PayrollMember[]>()

  constructor(kind: OwnedNumberKind, columns: readonly PayItemColumn[], people: readonly PayrollMember[]) {
    this.kind = kind
    const column = columns.find(({ role }) => role === kind.role)
    if (!column) return
    for (const person of people) {
      if (person.status === 'left') continue
      for (const number of kind.getNumbers(person)) {
        const owners = this.#owners.get(number)
        if (owners) owners.push(person)
        else this.#owners.set(number, [person])
      }
    }
    if (this.#owners.size > 0) this.column = column
  }

  /** Reads the number of a row and its member; null where there is none. */
  read(row: number, name: string, person: PayrollMember, cells: RowCells): OwnedNumberRow | null {
    const cell = this.column && cells[this.column.key]
    // A number that has lost its last digits is a different number.
    if (!this.column || !cell || cell.flaw) return null
    const numbers = this.kind.parse(cell.value, this.column.label)
    if (numbers.length === 0) return null
    const owners = numbers.flatMap((number) => this.#owners.get(number) ?? [])
    return { row, name, member: person, owner: owners.find(({ id }) => id === person.id) ?? owners[0] ?? null }
  }
}

export class OwnerComparison {
  readonly #kind: OwnedNumberKind
  readonly #column: PayItemColumn | undefined
  readonly #rows: OwnedNumberRow[] = []

  constructor({ kind, column }: NumberOwners) {
    this.#kind = kind
    this.#column = column
  }

  add(row: OwnedNumberRow): void {
    this.#rows.push(row)
  }

  /** Returns the rows whose number belongs to their member, and those whose number belongs to somebody else. */
  getRowsByResult(): Record<'agreeing' | 'moved', ReadonlySet<number>> {
    const rowsWhere = (which: (one: OwnedNumberRow) => boolean) => new Set(this.#rows.filter(which).map(({ row }) => row))
    return { agreeing: rowsWhere(isOwnNumber), moved: rowsWhere(isNumberOfOther) }
  }

  listIssues(): DetectedIssue[] {
    const moved = this.#rows.filter(isNumberOfOther)
    const offset = this.#findOffset(moved)
    const isMass =
      moved.length >= minRowsForSheetIssue && (offset !== 0 || moved.length >= this.#rows.length * minShareForSheetIssue)
    return [
      ...(isMass ? [this.#createSheetIssue(moved, offset)] : moved.map((one) => this.#createRowIssue(one))),
      ...this.#createUnknownIssues(),
    ]
  }

  /** Returns the row offset at which the owners of most of these numbers are; 0 where there is no common offset. */
  #findOffset(moved: readonly OwnedNumberRow[]): number {
    const places = new Map(this.#rows.map(({ member }, at) => [member.id, at]))
    const counts = new Map<number, number>()
    for (const [at, one] of this.#rows.entries()) {
      const position = isNumberOfOther(one) ? places.get(one.owner?.id ?? '') : undefined
      if (position !== undefined) counts.set(position - at, (counts.get(position - at) ?? 0) + 1)
    }
    const [offset, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])
    return count >= minRowsForSheetIssue && count >= moved.length * minSameOffsetShare ? offset : 0
  }

  #createSheetIssue(moved: readonly OwnedNumberRow[], offset: number): DetectedIssue {
    const { shortLabel, acceptHint } = this.#kind
    const [one] = moved
    const step = Math.abs(offset) === 1 ? '一行' : `方第 ${Math.abs(offset)} 行`
    const channel = offset === 0 ? '' : `，多半是${offset > 0 ? '下' : '上'}${step}的人的，像是整体错位`
    const example = one ? `例如第 ${formatRowNumber(one.row)} 行「${getRowName(one)}」写的${describeOwner(one)}。` : ''
    const message = `「${this.#label}」和姓名对不上：可以对照的 ${this.#rows.length} 人中有 ${moved.length} 人写着别人的${shortLabel}${channel}。${example}请在表里对齐后重新上传；${acceptHint}`
    return { row: 0, name: '', column: null, level: 'error', kind: this.#kind.movedIssueKind, message, fix: ['accept'] }
  }

  #createRowIssue(one: OwnedNumberRow): DetectedIssue {
    const message = `第 ${formatRowNumber(one.row)} 行的${this.#label}${describeOwner(one)}，表里写的是「${getRowName(one)}」，可能错行了；请核对这一行的姓名、金额和${this.#kind.shortLabel}`
    return {
      ...this.#getPosition(one),
      level: 'error',
      kind: this.#kind.movedIssueKind,
      message,
      fix: ['edit', 'accept', 'skip'],
    }
  }

  /** Creates issues for numbers without a known owner. */
  #createUnknownIssues(): DetectedIssue[] {
    const isExisting = ({ member }: OwnedNumberRow) => this.#kind.getNumbers(member).length > 0
    const existing = this.#rows.filter(isExisting).length
    const agreeing = this.#rows.filter(isOwnNumber).length
    return this.#rows.flatMap((one): DetectedIssue[] => {
      if (one.owner) return []
      const message = this.#kind.getUnknownIssue({
        hasRegisteredNumber: isExisting(one),
        agreeing,
        comparedCount: existing,
        total: this.#rows.length,
      })
      return message ? [{ ...this.#getPosition(one), level: 'warning', ...message }] : []
    })
  }

  get #label(): string {
    return this.#kind.getLabel(this.#column?.label ?? '')
  }

  readonly #getPosition = ({ row, name }: OwnedNumberRow) => ({ row, name, column: this.#column?.key ?? null })
}

const isOwnNumber = ({ owner, member }: OwnedNumberRow): boolean => owner?.id === member.id
const isNumberOfOther = ({ owner, member }: OwnedNumberRow): boolean => owner !== null && owner.id !== member.id
const getRowName = ({ name, member }: OwnedNumberRow): string => name || member.name
/** Does not name members out of scope. */
const describeOwner = ({ owner }: OwnedNumberRow): string =>
  owner?.in_scope ? `在花名册里是「${owner.name}」的` : '在花名册里是别人的'

// Bank cards

/** Above this share of registered cards, a member without one is reported. */
const minRegisteredCardShare = 0.5

/** Compares bank cards by keyed hash, so that no card number is decrypted. */
export const createBankCardKind = (getCardIndex: (card: string) => string): OwnedNumberKind => ({
  role: 'bank_account',
  getNumbers: ({ bank_account_index }) => (bank_account_index ? [bank_account_index] : []),
  parse: (value) => (isLikelyBankCard(value) ? [getCardIndex(normalizeBankCard(value))] : []),
  movedIssueKind: 'card_moved',
  getLabel: () => '银行卡号',
  shortLabel: '卡号',
  acceptHint: '确实都用别人的卡收款的才接受',
  // Reported for members with a different registered number; and for members without one if most have one.
  getUnknownIssue({ hasRegisteredNumber, comparedCount, total }) {
    if (!hasRegisteredNumber && comparedCount <= total * minRegisteredCardShare) return null
    const message = hasRegisteredNumber
      ? '表里的银行卡号和花名册里登记的不同；换了卡的请让花名册改用此卡号，写错的请改正'
      : '花名册里还没有此人的银行卡号；确认是本人的，请记入花名册'
    return { kind: 'card_new', message, fix: ['take', 'edit', 'accept'] }
  },
})

// Accounts at the company's chat platform. Employees have signed in with them, so the link is reliable, and nobody
// enters it manually. An account without an owner proves nothing (Lark has three kinds of ids, and a link uses one of
// them) unless other accounts in this column agree.

const accountPattern = /^[\p{L}\d_.@-]{2,64}$/u

/** Normalizes an account for comparison: lower case, without leading zeros, which numeric cells lose. */
const normalizeAccount = (id: string): string => id.toLowerCase().replace(/^0+(?=\d+$)/, '')

/** Returns the comparison key of an account; `any` stands for an unknown platform. */
export const toPlatformAccountKey = (provider: string, user_id: string): string => `${provider}:${normalizeAccount(user_id)}`

export const platformAccountKind: OwnedNumberKind = {
  role: 'platform_account',
  getNumbers: ({ platform_accounts = [] }) => platform_accounts,
  parse(value, label) {
    const text = normalizeText(value).replace(/\s/g, '')
    if (!accountPattern.test(text)) return []
    const meant = providers.filter((provider) => chatProviderRules[provider].columnName.test(label))
    return ['any', ...(meant.length > 0 ? meant : providers)].map((provider) => toPlatformAccountKey(provider, text))
  },
  movedIssueKind: 'account_moved',
  getLabel: (label) => label.split(' / ').at(-1) || '办公平台账号',
  shortLabel: '账号',
  acceptHint: '确认每个人都对才接受',
  getUnknownIssue: ({ hasRegisteredNumber, agreeing }) =>
    hasRegisteredNumber && agreeing > 0
      ? {
          kind: 'account_other',
          message: '表里的账号和此人登录薪函用的不同；写错的请改正，换了账号的确认即可',
          fix: ['edit', 'accept'],
        }
      : null,
}
