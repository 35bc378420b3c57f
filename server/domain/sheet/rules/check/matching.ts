/**
 * Who a row of a wage sheet is for. A row finds its person by a unique key (mobile, ID card, employee number) AND the name; a name
 * alone only where one person in reach bears it. Keys that disagree with each other or with the name never find anybody: a sorted,
 * shifted or damaged column must not send a slip to somebody else.
 */
import type { Fix, MemberStatus, ProblemKind } from '../../../../contract/words/words.ts'
import { isIdCard } from '../../../../rules/id-card.ts'
import type { Leaver } from '../../../../rules/leaver.ts'
import { isSameName, nameKey, nameKeys, splitRemark } from '../../../../rules/person-name.ts'
import { readMobile } from '../../../../rules/phone.ts'
import { tidy } from '../../../../rules/text.ts'

/** Somebody of the roster. */
export type Person = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  /** Keyed hash of the ID card in hexadecimal; null where none is known. */
  readonly id_card_index: string | null
  /** The same of the bank card. */
  readonly bank_account_index?: string | null
  /** By which he signs in at the chat platform: `platformAccount`. */
  readonly platform_accounts?: readonly string[]
  readonly status: MemberStatus
  /** Of somebody who has left: whether they can still open a payslip. */
  readonly leaver?: Leaver | null
  readonly departments: string
  /** What these departments belong to, joined by 、. */
  readonly departments_above?: string
  readonly position?: string
  /** `2021-03-05` */
  readonly entry_on?: string | null
  /** Whether the administrator at work may pay this person. */
  readonly in_scope: boolean
}

/** What a row says about its person, as text. */
export type Said = {
  /** The name in its possible spellings (surname and given name may stand in two columns). */
  readonly names: readonly string[]
  readonly mobile: string
  readonly id_card: string
  readonly employee_no: string
  readonly department: string
  /** The sheet has no column for names. */
  readonly nameless?: true
}

export type Finding = {
  readonly kind: ProblemKind
  readonly level: 'error' | 'warning'
  readonly about: 'name' | 'mobile' | 'id_card' | 'employee_no'
  readonly message: string
  readonly candidates: readonly Person[]
  /** What is offered, where that is not the same for all of its kind. */
  readonly fix?: readonly Fix[]
}
/** `by`: what found the person. A name alone is no proof: it is unique today, and nobody knows who is not on the roster. */
export type Match = { readonly person: Person | null; readonly findings: readonly Finding[]; readonly by?: 'name' }

export const sameName = nameKey
export const sameNumber = (text: string): string => tidy(text).replace(/\s/g, '').toUpperCase()
const withoutZeros = (text: string): string => (/^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text)

const add = (map: Map<string, Person[]>, key: string, person: Person): void => {
  const found = map.get(key)
  if (found) found.push(person)
  else map.set(key, [person])
}
const none: readonly Person[] = []

/** The roster, ready to be asked. */
export class Roster {
  readonly #byId = new Map<string, Person>()
  readonly #byName = new Map<string, Person[]>()
  readonly #byMobile = new Map<string, Person[]>()
  readonly #byIdCard = new Map<string, Person[]>()
  readonly #byNumber = new Map<string, Person[]>()
  readonly #byLooseNumber = new Map<string, Person[]>()

  readonly people: readonly Person[]

  constructor(people: readonly Person[]) {
    this.people = people
    for (const person of people) {
      this.#byId.set(person.id, person)
      for (const key of nameKeys(person.name)) add(this.#byName, key, person)
      if (person.mobile) add(this.#byMobile, person.mobile, person)
      if (person.id_card_index) add(this.#byIdCard, person.id_card_index, person)
      if (person.employee_no) {
        add(this.#byNumber, sameNumber(person.employee_no), person)
        add(this.#byLooseNumber, withoutZeros(sameNumber(person.employee_no)), person)
      }
    }
  }
  byId = (id: string): Person | null => this.#byId.get(id) ?? null
  /** The bearers of one of these names; where there are none, those whose names differ by a remark only. */
  byNames(names: readonly string[]): readonly Person[] {
    const by = (keys: readonly string[]) => [...new Set(keys.flatMap((key) => this.#byName.get(key) ?? none))]
    const keys = names.map(nameKey)
    const exact = by(keys).filter((person) => keys.includes(nameKey(person.name)))
    if (exact.length > 0) return exact
    return by(names.flatMap(nameKeys)).filter((person) => names.some((name) => isSameName(name, person.name)))
  }
  byMobile = (mobile: string): readonly Person[] => this.#byMobile.get(mobile) ?? none
  byIdCard = (index: string): readonly Person[] => this.#byIdCard.get(index) ?? none
  /** Excel drops the zeros that a number begins with: they count only where the number as written is nobody's. */
  byNumber(number: string): readonly Person[] {
    const exact = this.#byNumber.get(number)
    if (exact) return exact
    const loose = this.#byLooseNumber.get(withoutZeros(number)) ?? none
    return loose.length === 1 ? loose : none
  }
}

type Key = {
  readonly about: 'mobile' | 'id_card' | 'employee_no'
  readonly word: string
  /** Whether it can point at somebody. */
  readonly usable: boolean
  readonly hits: readonly Person[]
  /** Whether this person has another one; unknown where the roster knows none. */
  readonly denies: (person: Person) => boolean
}

function keysOf(said: Said, roster: Roster, idCardIndex: (id_card: string) => string, named: (person: Person) => boolean): Key[] {
  const keys: Key[] = []
  // A phone or a number is given to somebody new when its bearer has left: only his own name brings him back.
  const living = (people: readonly Person[]) => people.filter((person) => person.status !== 'left' || named(person))
  if (said.mobile) {
    const mobile = readMobile(said.mobile)
    const denies = (person: Person) => mobile !== null && person.mobile !== mobile
    keys.push({
      about: 'mobile',
      word: '手机号',
      usable: mobile !== null,
      hits: mobile ? living(roster.byMobile(mobile)) : none,
      denies,
    })
  }
  if (said.id_card) {
    const index = idCardIndex(sameNumber(said.id_card))
    const denies = (person: Person) => person.id_card_index !== null && person.id_card_index !== index
    keys.push({ about: 'id_card', word: '身份证号', usable: true, hits: living(roster.byIdCard(index)), denies })
  }
  if (said.employee_no) {
    const number = sameNumber(said.employee_no)
    const hits = living(roster.byNumber(number))
    const denies = (person: Person) =>
      person.employee_no !== '' && sameNumber(person.employee_no) !== number && !hits.some((hit) => hit.id === person.id)
    keys.push({ about: 'employee_no', word: '工号', usable: true, hits, denies })
  }
  return keys
}

const short = (text: string): string => (text.length > 20 ? `${text.slice(0, 19)}…` : text)
const error = (kind: ProblemKind, about: Finding['about'], message: string, candidates: readonly Person[] = none): Finding => ({
  kind,
  level: 'error',
  about,
  message,
  // Nobody out of reach is offered or named: that he exists is not this administrator's business.
  candidates: [...new Set(candidates)].filter((person) => person.in_scope && person.status !== 'left').slice(0, 5),
})
const failed = (...findings: Finding[]): Match => ({ person: null, findings })

/** Found is not enough: the person must be in the administrator's reach, and able to open what is sent. `by`: only the name says who it is. */
function reach(person: Person, name: string, by?: 'name'): Match {
  if (!person.in_scope)
    return failed(
      error('out_of_scope', 'name', `${short(name || person.name)}不在您的管理范围内；请联系企业管理员调整范围，或跳过这一行`),
    )
  return person.status === 'left' ? reachLeaver(person, short(name || person.name), by) : { person, findings: [] }
}

/** Wages are paid after the last day of work: who can still read them gets the last ones, once somebody has said so. */
function reachLeaver(person: Person, name: string, by: 'name' | undefined): Match {
  const { on = '', until = null, access = 'closed' } = person.leaver ?? {}
  const instead = '请跳过，用别的方式给工资条（例如打印）'
  if (access === 'closed')
    return failed(error('left_person', 'name', `${name}已离职，公司没有开放「离职后查看」，发了也打不开；${instead}`))
  if (access === 'over')
    return failed(error('left_person', 'name', `${name}已于 ${on} 离职，${until} 以后不能再查看工资条，发了也打不开；${instead}`))
  if (access === 'unproven')
    return failed(
      error(
        'left_person',
        'name',
        `${name}已于 ${on} 离职，在职时没有登录过，不能确认手机号还是本人的，发了也打不开；${instead}`,
      ),
    )
  const left = { ...error('left_person', 'name', ''), fix: ['accept', 'skip'] as const }
  if (by === 'name') {
    const message = `表里只有姓名，花名册里的${name}已于 ${on} 离职；请确认就是此人、不是同名的新员工，才照发，否则跳过`
    return { person, by, findings: [{ ...left, message }] }
  }
  const message = `${name}已于 ${on} 离职，${until} 以前还能凭手机验证码查看工资条；请选择照发，或跳过这一行`
  return { person, findings: [{ ...left, level: 'warning', message }] }
}

/**
 * The person of a row, or why there is none. `chosen`: the person an administrator has picked for this row; he answers for it.
 * `idCardIndex`: the keyed hash under which the roster knows an ID card.
 */
export function matchRow(said: Said, roster: Roster, chosen: string | null, idCardIndex: (id_card: string) => string): Match {
  const shown = said.names[0] ?? ''
  const cardFlaw: Finding[] =
    said.id_card && !isIdCard(sameNumber(said.id_card))
      ? [{ ...error('bad_id_card', 'id_card', '身份证号的位数或校验位不对，请核对'), level: 'warning' }]
      : []
  const picked = chosen === null ? null : roster.byId(chosen)
  const match = picked ? reach(picked, shown) : find(said, roster, idCardIndex)
  return cardFlaw.length ? { ...match, findings: [...match.findings, ...cardFlaw] } : match
}

function find(said: Said, roster: Roster, idCardIndex: (id_card: string) => string): Match {
  const shown = said.names[0] ?? ''
  const names = said.names.filter((name) => sameName(name) !== '')
  const named = (person: Person) => names.some((name) => isSameName(name, person.name))
  const keys = keysOf(said, roster, idCardIndex, named)
  // A key speaks against everybody but those it points at, and against whoever is known to have another one.
  const allowed = (person: Person) =>
    keys.every((key) => !key.denies(person) && (key.hits.length === 0 || key.hits.includes(person)))
  const pointed = [...new Set(keys.flatMap((key) => key.hits))]
  const badMobile = keys.some((key) => key.about === 'mobile' && !key.usable)

  if (names.length === 0) {
    const one = atWork(pointed.filter(allowed))
    const [person] = one
    // The sheet has no column for names: then the number is what it says, and the roster knows whose it is.
    if (said.nameless && person && one.length === 1) return reach(person, person.name)
    return failed(error('no_name', 'name', '这一行没有姓名，无法核对是谁；请补上姓名、指定人员，或跳过', one))
  }

  const agreed = atWork(pointed.filter((person) => named(person) && allowed(person)))
  if (agreed.length > 1) return failed(several(shown, agreed))
  const [person] = agreed
  if (person) {
    const match = reach(person, shown)
    if (!match.person) return match
    const doubt = otherDepartment(person, said, roster.byNames(names))
    if (doubt) return failed(doubt)
    if (!badMobile) return match
    return {
      ...match,
      findings: [
        ...match.findings,
        { ...error('bad_mobile', 'mobile', '手机号格式有误；已按其他信息找到本人，请核对'), level: 'warning' },
      ],
    }
  }
  if (pointed.length > 0) return failed(mismatch(shown, keys, named, pointed, roster.byNames(names)))
  return byNameOnly(said, keys, names, roster, allowed, badMobile)
}

/** Those still employed, or those who left where nobody else is meant. */
const atWork = (people: readonly Person[]): readonly Person[] => {
  const working = people.filter((person) => person.status !== 'left')
  return working.length ? working : people
}

const several = (name: string, people: readonly Person[]): Finding =>
  error('several_persons', 'name', `有多位「${short(name)}」，无法确定是哪一位；请指定人员，或在表里补上手机号、工号`, people)

const remarked = (name: string, person: Person): Finding => {
  const remark = splitRemark(name)?.remark ?? splitRemark(person.name)?.remark ?? ''
  const text = `「${short(name)}」和花名册里的「${short(person.name)}」只差备注「${short(remark)}」；是同一个人请指定人员，或在表里补上手机号、工号`
  return error('several_persons', 'name', text, [person])
}

/** Namesakes whose phones were swapped: the department tells. */
function otherDepartment(person: Person, said: Said, namesakes: readonly Person[]): Finding | null {
  const department = sameName(said.department)
  if (!department || namesakes.length < 2) return null
  const works = (one: Person) => one.departments.split(/[、,，/]/).some((name) => sameName(name) === department)
  if (works(person) || !namesakes.some((one) => one.id !== person.id && one.status !== 'left' && works(one))) return null
  return several(said.names[0] ?? '', namesakes)
}

function mismatch(
  name: string,
  keys: readonly Key[],
  named: (person: Person) => boolean,
  pointed: readonly Person[],
  namesakes: readonly Person[],
): Finding {
  const candidates = [...namesakes, ...pointed]
  const hit = keys.find((key) => key.hits.length > 0)
  const about = hit?.about ?? 'name'
  const word = hit?.word ?? '手机号'
  if (pointed.some(named)) {
    const denying = keys.find((key) => pointed.some((person) => named(person) && key.denies(person))) ?? hit
    const text = `「${short(name)}」的${denying?.word ?? word}与花名册不一致，可能错行了；请核对表格，或指定人员`
    return error('name_mismatch', denying?.about ?? about, text, candidates)
  }
  const owner = pointed.find((person) => person.in_scope)
  const whose = owner ? `在花名册里是「${short(owner.name)}」` : '在花名册里属于别人'
  return error(
    'name_mismatch',
    about,
    `${word}${whose}，表里写的是「${short(name)}」，可能错行了；请核对表格，或指定人员`,
    candidates,
  )
}

/** No key of the row is known. The name decides only where the row says nothing that speaks against its bearer. */
function byNameOnly(
  said: Said,
  keys: readonly Key[],
  names: readonly string[],
  roster: Roster,
  allowed: (person: Person) => boolean,
  badMobile: boolean,
): Match {
  const shown = said.names[0] ?? ''
  const bearers = [...new Set(roster.byNames(names))]
  const near = bearers.filter((person) => person.status !== 'left' && person.in_scope)
  if (badMobile) return failed(error('bad_mobile', 'mobile', '手机号格式有误，应为 11 位数字；请改正、指定人员，或跳过', near))
  const [only] = near
  if (near.length === 1 && only && allowed(only)) {
    // 张伟（大） may be another 张伟 than the one of the roster: without a key a remark is asked about.
    const isRemarked = !names.some((name) => sameName(name) === sameName(only.name))
    return isRemarked ? failed(remarked(shown, only)) : { ...reach(only, shown), by: 'name' }
  }
  if (near.length > 1 && near.some(allowed)) return failed(several(shown, near))
  if (near.length === 0 && keys.length === 0) {
    const other = bearers.find((person) => person.status !== 'left') ?? bearers[0]
    if (other) return reach(other, shown, 'name')
  }
  if (said.mobile) {
    const text = near.length
      ? `花名册里的「${short(shown)}」与这一行的手机号、工号或身份证号不一致；请核对，指定人员或新建`
      : `花名册里没有「${short(shown)}」；请新建、指定人员，或跳过`
    return failed(error('unknown_person', 'name', text, near))
  }
  const text = near.length
    ? `花名册里的「${short(shown)}」与这一行的工号或身份证号不一致；请核对后指定人员，或跳过`
    : `花名册里没有「${short(shown)}」，这一行也没有手机号，不能新建；名字写错了请改正，或指定人员、跳过`
  return failed(error('no_contact', 'name', text, near))
}
