/**
 * The bank cards of a sheet, held against those that the roster knows (by keyed hashes: no number is opened for it). Who sorts or deletes cells of
 * names and takes figures and cards along pays one into the account of another, and no amount tells it in a first month:
 *
 *     sheet   赵 | 5100 | 6222…02        roster   赵  6222…01
 *             钱 | 8000 | 6222…01                 钱  6222…02   → each has the other's
 *
 * A card of somebody else stops the sheet, as his name would: at his row, or once where many moved. A card that nobody has is a new one.
 */

import type { RowCells } from '../../../../rules/amounts.ts'
import { looksLikeBankCard, normalBankCard } from '../../../../rules/bank-card.ts'
import { type Found, rowText } from './beside-last.ts'
import { least_mass, mass_share } from './beside-roster.ts'
import type { ItemColumn } from './history.ts'
import type { Person } from './matching.ts'

/** Where so many of those that moved stand as many rows away from their owners, it is one mistake. */
const moved_together = 0.6
/** From this share on the roster knows the cards of these people: then one without is worth a word. */
const usually_known = 0.5

type Row = {
  readonly row: number
  readonly name: string
  readonly person: Person
  /** Whose card it is by the roster; null where nobody's. */
  readonly owner: Person | null
}

export class BesideCards {
  readonly #key: string | null
  readonly #owners = new Map<string, Person[]>()
  readonly #indexOf: (card: string) => string
  readonly #rows: Row[] = []

  constructor(columns: readonly ItemColumn[], people: readonly Person[], indexOf: ((card: string) => string) | undefined) {
    for (const person of people) {
      const index = person.bank_account_index
      if (!index || person.status === 'left') continue
      const owners = this.#owners.get(index)
      if (owners) owners.push(person)
      else this.#owners.set(index, [person])
    }
    const isAsked = indexOf !== undefined && this.#owners.size > 0
    this.#key = (isAsked && columns.find(({ role }) => role === 'bank_account')?.key) || null
    this.#indexOf = indexOf ?? String
  }

  add(row: number, name: string, person: Person, cells: RowCells): void {
    const cell = this.#key === null ? undefined : cells[this.#key]
    // What lost its last digits is another number.
    if (!cell || cell.flaw || !looksLikeBankCard(cell.value)) return
    const owners = this.#owners.get(this.#indexOf(normalBankCard(cell.value))) ?? []
    this.#rows.push({ row, name, person, owner: owners.find(({ id }) => id === person.id) ?? owners[0] ?? null })
  }

  /** Rows with their person's own card, and those with somebody else's. */
  rows(): Record<'agreeing' | 'moved', ReadonlySet<number>> {
    const rowsWhere = (which: (one: Row) => boolean) => new Set(this.#rows.filter(which).map(({ row }) => row))
    return { agreeing: rowsWhere(isOwn), moved: rowsWhere(isAnothers) }
  }

  problems(): Found[] {
    const moved = this.#rows.filter(isAnothers)
    const offset = this.#offset(moved)
    const isMass = moved.length >= least_mass && (offset !== 0 || moved.length >= this.#rows.length * mass_share)
    return [...(isMass ? [this.#ofSheet(moved, offset)] : moved.map((one) => this.#ofRow(one))), ...this.#fresh()]
  }

  /** How many rows on the owners of most of these cards stand; 0 where they stand anywhere. */
  #offset(moved: readonly Row[]): number {
    const places = new Map(this.#rows.map(({ person }, at) => [person.id, at]))
    const counts = new Map<number, number>()
    for (const [at, one] of this.#rows.entries()) {
      const place = isAnothers(one) ? places.get(one.owner?.id ?? '') : undefined
      if (place !== undefined) counts.set(place - at, (counts.get(place - at) ?? 0) + 1)
    }
    const [offset, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])
    return count >= least_mass && count >= moved.length * moved_together ? offset : 0
  }

  #ofSheet(moved: readonly Row[], offset: number): Found {
    const [one] = moved
    const step = Math.abs(offset) === 1 ? '一行' : `方第 ${Math.abs(offset)} 行`
    const way = offset === 0 ? '' : `，多半是${offset > 0 ? '下' : '上'}${step}的人的，像是整体错位`
    const example = one ? `例如第 ${rowText(one.row)} 行「${nameOf(one)}」写的${whose(one)}。` : ''
    const message = `「银行卡号」和姓名对不上：可以对照的 ${this.#rows.length} 人中有 ${moved.length} 人写着别人的卡号${way}。${example}请在表里对齐后重新上传；确实都用别人的卡收款的才接受`
    return { row: 0, name: '', column: null, level: 'error', kind: 'card_moved', message, fix: ['accept'] }
  }

  #ofRow(one: Row): Found {
    const message = `第 ${rowText(one.row)} 行的银行卡号${whose(one)}，表里写的是「${nameOf(one)}」，可能错行了；请核对这一行的姓名、金额和卡号`
    return { ...placeOf(one, this.#key), level: 'error', kind: 'card_moved', message, fix: ['edit', 'accept', 'skip'] }
  }

  /** Cards that nobody has, of people who have another one; and of those of whom none is known, where it is of most. */
  #fresh(): Found[] {
    const known = this.#rows.filter(({ person }) => person.bank_account_index).length
    const isUsual = known > this.#rows.length * usually_known
    return this.#rows.flatMap((one): Found[] => {
      if (one.owner || !(one.person.bank_account_index || isUsual)) return []
      const message = one.person.bank_account_index
        ? '表里的银行卡号和花名册里登记的不同；换了卡的请让花名册改用此卡号，写错的请改正'
        : '花名册里还没有此人的银行卡号；确认是本人的，请记入花名册'
      return [{ ...placeOf(one, this.#key), level: 'warning', kind: 'card_new', message, fix: ['take', 'edit', 'accept'] }]
    })
  }
}

const isOwn = ({ owner, person }: Row): boolean => owner?.id === person.id
const isAnothers = ({ owner, person }: Row): boolean => owner !== null && owner.id !== person.id
const nameOf = ({ name, person }: Row): string => name || person.name
/** Nobody out of reach is named. */
const whose = ({ owner }: Row): string => (owner?.in_scope ? `在花名册里是「${owner.name}」的` : '在花名册里是别人的')
const placeOf = ({ row, name }: Row, column: string | null) => ({ row, name, column })
