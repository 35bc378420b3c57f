/**
 * Numbers of a sheet that only one person has (bank cards, accounts at the chat platform), held against whose they are known to be. Who sorts or
 * deletes cells of names and takes figures and numbers along pays one into the account of another, and no amount tells it in a first month:
 *
 *     sheet   赵 | 5100 | 6222…02        known    赵  6222…01
 *             钱 | 8000 | 6222…01                 钱  6222…02   → each has the other's
 *
 * A number of somebody else stops the sheet, as his name would: at his row, or once where many moved. What nobody has is judged by its kind.
 */

import { type ChatPlatform, type ColumnRole, type ProblemKind, providers } from '../../../../contract/words/words.ts'
import type { RowCells } from '../../../../rules/amounts.ts'
import { looksLikeBankCard, normalBankCard } from '../../../../rules/bank-card.ts'
import { tidy } from '../../../../rules/text.ts'
import { type Found, rowText } from './beside-last.ts'
import { least_mass, mass_share } from './beside-roster.ts'
import type { ItemColumn } from './history.ts'
import type { Person } from './matching.ts'

/** Where so many of those that moved stand as many rows away from their owners, it is one mistake. */
const moved_together = 0.6

/** What nobody has, of somebody of whom one is known or none; how many of these rows do agree, and of how many people one is known. */
export type Stranger = { readonly isKnown: boolean; readonly agreeing: number; readonly known: number; readonly of: number }

/** A kind of such numbers. */
export type Owned = {
  readonly role: ColumnRole
  /** All that are his, as they are compared. */
  own(person: Person): readonly string[]
  /** What a cell under this label may mean, as it is compared; nothing where it is no such number. */
  read(value: string, label: string): readonly string[]
  readonly moved: ProblemKind
  /** How it is called: in full under this label, and in a sentence about it; when to accept all that moved. */
  word(label: string): string
  readonly short: string
  readonly unless: string
  stranger(one: Stranger): Pick<Found, 'kind' | 'message' | 'fix'> | null
}

export type OwnedRow = {
  readonly row: number
  readonly name: string
  readonly person: Person
  /** Whose it is known to be; null where nobody's. */
  readonly owner: Person | null
}

/** Whose the numbers of a kind are known to be: the same for every row of a sheet. */
export class Owners {
  readonly kind: Owned
  readonly column: ItemColumn | undefined
  readonly #owners = new Map<string, Person[]>()

  constructor(kind: Owned, columns: readonly ItemColumn[], people: readonly Person[]) {
    this.kind = kind
    const column = columns.find(({ role }) => role === kind.role)
    if (!column) return
    for (const person of people) {
      if (person.status === 'left') continue
      for (const number of kind.own(person)) {
        const owners = this.#owners.get(number)
        if (owners) owners.push(person)
        else this.#owners.set(number, [person])
      }
    }
    if (this.#owners.size > 0) this.column = column
  }

  /** A row and its person; null where it has no such number. */
  read(row: number, name: string, person: Person, cells: RowCells): OwnedRow | null {
    const cell = this.column && cells[this.column.key]
    // What lost its last digits is another number.
    if (!this.column || !cell || cell.flaw) return null
    const numbers = this.kind.read(cell.value, this.column.label)
    if (numbers.length === 0) return null
    const owners = numbers.flatMap((number) => this.#owners.get(number) ?? [])
    return { row, name, person, owner: owners.find(({ id }) => id === person.id) ?? owners[0] ?? null }
  }
}

export class BesideOwned {
  readonly #kind: Owned
  readonly #column: ItemColumn | undefined
  readonly #rows: OwnedRow[] = []

  constructor({ kind, column }: Owners) {
    this.#kind = kind
    this.#column = column
  }

  add(row: OwnedRow): void {
    this.#rows.push(row)
  }

  /** Rows with their person's own number, and those with somebody else's. */
  rows(): Record<'agreeing' | 'moved', ReadonlySet<number>> {
    const rowsWhere = (which: (one: OwnedRow) => boolean) => new Set(this.#rows.filter(which).map(({ row }) => row))
    return { agreeing: rowsWhere(isOwn), moved: rowsWhere(isAnothers) }
  }

  problems(): Found[] {
    const moved = this.#rows.filter(isAnothers)
    const offset = this.#offset(moved)
    const isMass = moved.length >= least_mass && (offset !== 0 || moved.length >= this.#rows.length * mass_share)
    return [...(isMass ? [this.#ofSheet(moved, offset)] : moved.map((one) => this.#ofRow(one))), ...this.#strangers()]
  }

  /** How many rows on the owners of most of these numbers stand; 0 where they stand anywhere. */
  #offset(moved: readonly OwnedRow[]): number {
    const places = new Map(this.#rows.map(({ person }, at) => [person.id, at]))
    const counts = new Map<number, number>()
    for (const [at, one] of this.#rows.entries()) {
      const place = isAnothers(one) ? places.get(one.owner?.id ?? '') : undefined
      if (place !== undefined) counts.set(place - at, (counts.get(place - at) ?? 0) + 1)
    }
    const [offset, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])
    return count >= least_mass && count >= moved.length * moved_together ? offset : 0
  }

  #ofSheet(moved: readonly OwnedRow[], offset: number): Found {
    const { short, unless } = this.#kind
    const [one] = moved
    const step = Math.abs(offset) === 1 ? '一行' : `方第 ${Math.abs(offset)} 行`
    const way = offset === 0 ? '' : `，多半是${offset > 0 ? '下' : '上'}${step}的人的，像是整体错位`
    const example = one ? `例如第 ${rowText(one.row)} 行「${nameOf(one)}」写的${whose(one)}。` : ''
    const message = `「${this.#word}」和姓名对不上：可以对照的 ${this.#rows.length} 人中有 ${moved.length} 人写着别人的${short}${way}。${example}请在表里对齐后重新上传；${unless}`
    return { row: 0, name: '', column: null, level: 'error', kind: this.#kind.moved, message, fix: ['accept'] }
  }

  #ofRow(one: OwnedRow): Found {
    const message = `第 ${rowText(one.row)} 行的${this.#word}${whose(one)}，表里写的是「${nameOf(one)}」，可能错行了；请核对这一行的姓名、金额和${this.#kind.short}`
    return { ...this.#placeOf(one), level: 'error', kind: this.#kind.moved, message, fix: ['edit', 'accept', 'skip'] }
  }

  /** Numbers that nobody has. */
  #strangers(): Found[] {
    const isKnown = ({ person }: OwnedRow) => this.#kind.own(person).length > 0
    const known = this.#rows.filter(isKnown).length
    const agreeing = this.#rows.filter(isOwn).length
    return this.#rows.flatMap((one): Found[] => {
      if (one.owner) return []
      const said = this.#kind.stranger({ isKnown: isKnown(one), agreeing, known, of: this.#rows.length })
      return said ? [{ ...this.#placeOf(one), level: 'warning', ...said }] : []
    })
  }

  get #word(): string {
    return this.#kind.word(this.#column?.label ?? '')
  }

  readonly #placeOf = ({ row, name }: OwnedRow) => ({ row, name, column: this.#column?.key ?? null })
}

const isOwn = ({ owner, person }: OwnedRow): boolean => owner?.id === person.id
const isAnothers = ({ owner, person }: OwnedRow): boolean => owner !== null && owner.id !== person.id
const nameOf = ({ name, person }: OwnedRow): string => name || person.name
/** Nobody out of reach is named. */
const whose = ({ owner }: OwnedRow): string => (owner?.in_scope ? `在花名册里是「${owner.name}」的` : '在花名册里是别人的')

// Bank cards -------------------------------------------------------------------------------------------------------------

/** From this share on the roster knows the cards of these people: then one without is worth a word. */
const usually_known = 0.5

/** As the roster knows them, by keyed hashes: no number is opened for it. */
export const cardsOwned = (indexOf: (card: string) => string): Owned => ({
  role: 'bank_account',
  own: ({ bank_account_index }) => (bank_account_index ? [bank_account_index] : []),
  read: (value) => (looksLikeBankCard(value) ? [indexOf(normalBankCard(value))] : []),
  moved: 'card_moved',
  word: () => '银行卡号',
  short: '卡号',
  unless: '确实都用别人的卡收款的才接受',
  // Of people who have another one; and of those of whom none is known, where it is of most.
  stranger({ isKnown, known, of }) {
    if (!isKnown && known <= of * usually_known) return null
    const message = isKnown
      ? '表里的银行卡号和花名册里登记的不同；换了卡的请让花名册改用此卡号，写错的请改正'
      : '花名册里还没有此人的银行卡号；确认是本人的，请记入花名册'
    return { kind: 'card_new', message, fix: ['take', 'edit', 'accept'] }
  },
})

// Accounts at the company's chat platform --------------------------------------------------------------------------------
// People have signed in by them: the link is theirs alone, and nobody writes it by hand. An account that is nobody's says nothing (Lark has three
// kinds of ids, and a link is by one of them), unless this very column agrees with others.

const named: Readonly<Record<ChatPlatform, RegExp>> = {
  wecom: /企业微信|企微|wecom|wework/i,
  lark: /飞书|lark|feishu/i,
  dingtalk: /钉钉|ding/i,
}
const account = /^[\p{L}\d_.@-]{2,64}$/u

/** As it is compared: without case, and without the zeros before it that a number in a cell has lost. */
const same = (id: string): string => id.toLowerCase().replace(/^0+(?=\d+$)/, '')

/** How somebody's account is compared; where nobody knows of which platform it is, of `any`. */
export const platformAccount = (provider: string, user_id: string): string => `${provider}:${same(user_id)}`

export const accountsOwned: Owned = {
  role: 'platform_account',
  own: ({ platform_accounts = [] }) => platform_accounts,
  read(value, label) {
    const text = tidy(value).replace(/\s/g, '')
    if (!account.test(text)) return []
    const meant = providers.filter((provider) => named[provider].test(label))
    return ['any', ...(meant.length > 0 ? meant : providers)].map((provider) => platformAccount(provider, text))
  },
  moved: 'account_moved',
  word: (label) => label.split(' / ').at(-1) || '办公平台账号',
  short: '账号',
  unless: '确认每个人都对才接受',
  stranger: ({ isKnown, agreeing }) =>
    isKnown && agreeing > 0
      ? {
          kind: 'account_other',
          message: '表里的账号和此人登录薪函用的不同；写错的请改正，换了账号的确认即可',
          fix: ['edit', 'accept'],
        }
      : null,
}
