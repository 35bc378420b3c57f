/**
 * Matches rows of a wage sheet to members. A row is matched by a unique key (mobile, ID card, employee number) AND the
 * name; by the name alone only if exactly one member in scope has it. Keys that contradict each other or the name never
 * match: a sorted, shifted or damaged column must not send a payslip to the wrong employee.
 */
import type { IssueFix, IssueKind, MemberStatus } from '../../../../contract/shared/schemas.ts'
import { isIdCard } from '../../../../rules/id-card.ts'
import { getNameKeys, isSameName, splitRemark, toNameKey } from '../../../../rules/person-name.ts'
import { parseMobile } from '../../../../rules/phone.ts'
import type { Termination } from '../../../../rules/termination.ts'
import { normalizeText } from '../../../../rules/text.ts'

/** A member of the roster. */
export type PayrollMember = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  /** Keyed hash of the ID card in hexadecimal; null where unknown. */
  readonly id_card_index: string | null
  /** Keyed hash of the bank card. */
  readonly bank_account_index?: string | null
  /** Accounts for signing in at the chat platform, as keys (`toPlatformAccountKey`). */
  readonly platform_accounts?: readonly string[]
  readonly status: MemberStatus
  /** For a terminated member, whether they can still open a payslip. */
  readonly termination?: Termination | null
  readonly departments: string
  /** Parent departments of these departments, joined by 、. */
  readonly departments_above?: string
  readonly position?: string
  /** For example `2021-03-05`. */
  readonly entry_on?: string | null
  /** Whether the current administrator may pay this member. */
  readonly in_scope: boolean
}

/** The identity data of a row, as text. */
export type RowIdentity = {
  /** Possible spellings of the name (surname and given name may be in two columns). */
  readonly names: readonly string[]
  readonly mobile: string
  readonly id_card: string
  readonly employee_no: string
  readonly department: string
  /** The wage sheet has no name column. */
  readonly hasNoNameColumn?: true
}

export type IdentityIssue = {
  readonly kind: IssueKind
  readonly level: 'error' | 'warning'
  readonly field: 'name' | 'mobile' | 'id_card' | 'employee_no'
  readonly message: string
  readonly candidates: readonly PayrollMember[]
  /** Offered fixes, where they differ within a kind. */
  readonly fix?: readonly IssueFix[]
}
/** `by` is the key that matched the member. A name alone proves nothing: others may be missing in the roster. */
export type MemberMatch = {
  readonly member: PayrollMember | null
  readonly issues: readonly IdentityIssue[]
  readonly matchedBy?: 'name'
}

export const normalizeName = toNameKey
export const normalizeNumber = (text: string): string => normalizeText(text).replace(/\s/g, '').toUpperCase()
const stripLeadingZeros = (text: string): string => (/^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text)

const addToIndex = (map: Map<string, PayrollMember[]>, key: string, member: PayrollMember): void => {
  const existing = map.get(key)
  if (existing) existing.push(member)
  else map.set(key, [member])
}
const noMembers: readonly PayrollMember[] = []

/** Lookup structures of the roster. */
export class Roster {
  readonly #byId = new Map<string, PayrollMember>()
  readonly #byName = new Map<string, PayrollMember[]>()
  readonly #byMobile = new Map<string, PayrollMember[]>()
  readonly #byIdCard = new Map<string, PayrollMember[]>()
  readonly #byNumber = new Map<string, PayrollMember[]>()
  readonly #byLooseNumber = new Map<string, PayrollMember[]>()

  readonly members: readonly PayrollMember[]

  constructor(people: readonly PayrollMember[]) {
    this.members = people
    for (const person of people) {
      this.#byId.set(person.id, person)
      for (const key of getNameKeys(person.name)) addToIndex(this.#byName, key, person)
      if (person.mobile) addToIndex(this.#byMobile, person.mobile, person)
      if (person.id_card_index) addToIndex(this.#byIdCard, person.id_card_index, person)
      if (person.employee_no) {
        addToIndex(this.#byNumber, normalizeNumber(person.employee_no), person)
        addToIndex(this.#byLooseNumber, stripLeadingZeros(normalizeNumber(person.employee_no)), person)
      }
    }
  }
  getById = (id: string): PayrollMember | null => this.#byId.get(id) ?? null
  /** Finds members with one of these names; where there are none, those whose names differ only by a remark. */
  findByNames(names: readonly string[]): readonly PayrollMember[] {
    const by = (keys: readonly string[]) => [...new Set(keys.flatMap((key) => this.#byName.get(key) ?? noMembers))]
    const keys = names.map(toNameKey)
    const exact = by(keys).filter((person) => keys.includes(toNameKey(person.name)))
    if (exact.length > 0) return exact
    return by(names.flatMap(getNameKeys)).filter((person) => names.some((name) => isSameName(name, person.name)))
  }
  findByMobile = (mobile: string): readonly PayrollMember[] => this.#byMobile.get(mobile) ?? noMembers
  findByIdCard = (index: string): readonly PayrollMember[] => this.#byIdCard.get(index) ?? noMembers
  /** Excel drops leading zeros of numbers: a number without them counts only if the number as written matches nobody. */
  findByNumber(number: string): readonly PayrollMember[] {
    const exact = this.#byNumber.get(number)
    if (exact) return exact
    const loose = this.#byLooseNumber.get(stripLeadingZeros(number)) ?? noMembers
    return loose.length === 1 ? loose : noMembers
  }
}

type IdentityKey = {
  readonly field: 'mobile' | 'id_card' | 'employee_no'
  readonly label: string
  /** Whether the key can identify a member. */
  readonly isUsable: boolean
  readonly matches: readonly PayrollMember[]
  /** Whether this member has a different value; false where the roster has none. */
  readonly contradicts: (person: PayrollMember) => boolean
}

function getIdentityKeys(
  identity: RowIdentity,
  roster: Roster,
  idCardIndex: (id_card: string) => string,
  hasSameName: (person: PayrollMember) => boolean,
): IdentityKey[] {
  const keys: IdentityKey[] = []
  // The phone number of a terminated member may belong to somebody else now, so a terminated member is matched only
  // together with the name.
  const excludeTerminated = (people: readonly PayrollMember[]) =>
    people.filter((member) => member.status !== 'left' || hasSameName(member))
  if (identity.mobile) {
    const mobile = parseMobile(identity.mobile)
    const denies = (member: PayrollMember) => mobile !== null && member.mobile !== mobile
    keys.push({
      field: 'mobile',
      label: '手机号',
      isUsable: mobile !== null,
      matches: mobile ? excludeTerminated(roster.findByMobile(mobile)) : noMembers,
      contradicts: denies,
    })
  }
  if (identity.id_card) {
    const index = idCardIndex(normalizeNumber(identity.id_card))
    const denies = (member: PayrollMember) => member.id_card_index !== null && member.id_card_index !== index
    keys.push({
      field: 'id_card',
      label: '身份证号',
      isUsable: true,
      matches: excludeTerminated(roster.findByIdCard(index)),
      contradicts: denies,
    })
  }
  if (identity.employee_no) {
    const number = normalizeNumber(identity.employee_no)
    const hits = excludeTerminated(roster.findByNumber(number))
    const denies = (member: PayrollMember) =>
      member.employee_no !== '' && normalizeNumber(member.employee_no) !== number && !hits.some((hit) => hit.id === member.id)
    keys.push({ field: 'employee_no', label: '工号', isUsable: true, matches: hits, contradicts: denies })
  }
  return keys
}

const truncate = (text: string): string => (text.length > 20 ? `${text.slice(0, 19)}…` : text)
const createIdentityError = (
  kind: IssueKind,
  about: IdentityIssue['field'],
  message: string,
  candidates: readonly PayrollMember[] = noMembers,
): IdentityIssue => ({
  kind,
  level: 'error',
  field: about,
  message,
  // Members out of scope are neither offered nor named: the administrator must not learn that they exist.
  candidates: [...new Set(candidates)].filter((member) => member.in_scope && member.status !== 'left').slice(0, 5),
})
const createFailedMatch = (...issues: IdentityIssue[]): MemberMatch => ({ member: null, issues })

/** Checks that a matched member is in scope and able to open the payslip. `by`: only the name identifies the member. */
function checkReachable(member: PayrollMember, name: string, by?: 'name'): MemberMatch {
  if (!member.in_scope)
    return createFailedMatch(
      createIdentityError(
        'out_of_scope',
        'name',
        `${truncate(name || member.name)}不在您的管理范围内；请联系企业管理员调整范围，或跳过这一行`,
      ),
    )
  return member.status === 'left' ? checkTerminatedAccess(member, truncate(name || member.name), by) : { member, issues: [] }
}

/**
 * Wages are paid after the last working day: a terminated member who can still read payslips receives the last ones,
 * once an administrator has confirmed it.
 */
function checkTerminatedAccess(member: PayrollMember, name: string, by: 'name' | undefined): MemberMatch {
  const { on = '', until = null, access = 'closed' } = member.termination ?? {}
  const instead = '请跳过，用别的方式给工资条（例如打印）'
  if (access === 'closed')
    return createFailedMatch(
      createIdentityError('left_person', 'name', `${name}已离职，公司没有开放「离职后查看」，发了也打不开；${instead}`),
    )
  if (access === 'over')
    return createFailedMatch(
      createIdentityError(
        'left_person',
        'name',
        `${name}已于 ${on} 离职，${until} 以后不能再查看工资条，发了也打不开；${instead}`,
      ),
    )
  if (access === 'unproven')
    return createFailedMatch(
      createIdentityError(
        'left_person',
        'name',
        `${name}已于 ${on} 离职，在职时没有登录过，不能确认手机号还是本人的，发了也打不开；${instead}`,
      ),
    )
  const left = { ...createIdentityError('left_person', 'name', ''), fix: ['accept', 'skip'] as const }
  if (by === 'name') {
    const message = `表里只有姓名，花名册里的${name}已于 ${on} 离职；请确认就是此人、不是同名的新员工，才照发，否则跳过`
    return { member, matchedBy: by, issues: [{ ...left, message }] }
  }
  const message = `${name}已于 ${on} 离职，${until} 以前还能凭手机验证码查看工资条；请选择照发，或跳过这一行`
  return { member, issues: [{ ...left, level: 'warning', message }] }
}

/**
 * Returns the member of a row, or the reason why there is none. `assignedMemberId` is the member whom an administrator
 * has chosen for this row, which takes precedence. `idCardIndex` is the keyed hash under which the roster stores an ID
 * card.
 */
export function matchMember(
  identity: RowIdentity,
  roster: Roster,
  assignedMemberId: string | null,
  idCardIndex: (id_card: string) => string,
): MemberMatch {
  const displayName = identity.names[0] ?? ''
  const idCardIssues: IdentityIssue[] =
    identity.id_card && !isIdCard(normalizeNumber(identity.id_card))
      ? [{ ...createIdentityError('bad_id_card', 'id_card', '身份证号的位数或校验位不对，请核对'), level: 'warning' }]
      : []
  const picked = assignedMemberId === null ? null : roster.getById(assignedMemberId)
  const match = picked ? checkReachable(picked, displayName) : findMember(identity, roster, idCardIndex)
  return idCardIssues.length ? { ...match, issues: [...match.issues, ...idCardIssues] } : match
}

function findMember(identity: RowIdentity, roster: Roster, idCardIndex: (id_card: string) => string): MemberMatch {
  const displayName = identity.names[0] ?? ''
  const names = identity.names.filter((name) => normalizeName(name) !== '')
  const hasSameName = (member: PayrollMember) => names.some((name) => isSameName(name, member.name))
  const keys = getIdentityKeys(identity, roster, idCardIndex, hasSameName)
  // A key excludes everybody except the members it points at, and everybody known to have a different value.
  const isConsistent = (member: PayrollMember) =>
    keys.every((key) => !key.contradicts(member) && (key.matches.length === 0 || key.matches.includes(member)))
  const keyMatches = [...new Set(keys.flatMap((key) => key.matches))]
  const badMobile = keys.some((key) => key.field === 'mobile' && !key.isUsable)

  if (names.length === 0) {
    const active = preferActive(keyMatches.filter(isConsistent))
    const [member] = active
    // Without a name column, the number identifies the member by itself.
    if (identity.hasNoNameColumn && member && active.length === 1) return checkReachable(member, member.name)
    return createFailedMatch(
      createIdentityError('no_name', 'name', '这一行没有姓名，无法核对是谁；请补上姓名、指定人员，或跳过', active),
    )
  }

  const confirmed = preferActive(keyMatches.filter((member) => hasSameName(member) && isConsistent(member)))
  if (confirmed.length > 1) return createFailedMatch(createAmbiguousError(displayName, confirmed))
  const [member] = confirmed
  if (member) {
    const match = checkReachable(member, displayName)
    if (!match.member) return match
    const departmentIssue = findDepartmentConflict(member, identity, roster.findByNames(names))
    if (departmentIssue) return createFailedMatch(departmentIssue)
    if (!badMobile) return match
    return {
      ...match,
      issues: [
        ...match.issues,
        { ...createIdentityError('bad_mobile', 'mobile', '手机号格式有误；已按其他信息找到本人，请核对'), level: 'warning' },
      ],
    }
  }
  if (keyMatches.length > 0)
    return createFailedMatch(createMismatchError(displayName, keys, hasSameName, keyMatches, roster.findByNames(names)))
  return matchByName(identity, keys, names, roster, isConsistent, badMobile)
}

/** Returns the active members, or the terminated ones where nobody else matches. */
const preferActive = (people: readonly PayrollMember[]): readonly PayrollMember[] => {
  const working = people.filter((member) => member.status !== 'left')
  return working.length ? working : people
}

const createAmbiguousError = (name: string, people: readonly PayrollMember[]): IdentityIssue =>
  createIdentityError(
    'several_persons',
    'name',
    `有多位「${truncate(name)}」，无法确定是哪一位；请指定人员，或在表里补上手机号、工号`,
    people,
  )

const createRemarkError = (name: string, member: PayrollMember): IdentityIssue => {
  const remark = splitRemark(name)?.remark ?? splitRemark(member.name)?.remark ?? ''
  const text = `「${truncate(name)}」和花名册里的「${truncate(member.name)}」只差备注「${truncate(remark)}」；是同一个人请指定人员，或在表里补上手机号、工号`
  return createIdentityError('several_persons', 'name', text, [member])
}

/** Detects swapped phone numbers of namesakes by their department. */
function findDepartmentConflict(
  member: PayrollMember,
  identity: RowIdentity,
  namesakes: readonly PayrollMember[],
): IdentityIssue | null {
  const department = normalizeName(identity.department)
  if (!department || namesakes.length < 2) return null
  const worksIn = (one: PayrollMember) => one.departments.split(/[、,，/]/).some((name) => normalizeName(name) === department)
  if (worksIn(member) || !namesakes.some((one) => one.id !== member.id && one.status !== 'left' && worksIn(one))) return null
  return createAmbiguousError(identity.names[0] ?? '', namesakes)
}

function createMismatchError(
  name: string,
  keys: readonly IdentityKey[],
  hasSameName: (person: PayrollMember) => boolean,
  keyMatches: readonly PayrollMember[],
  namesakes: readonly PayrollMember[],
): IdentityIssue {
  const candidates = [...namesakes, ...keyMatches]
  const hit = keys.find((key) => key.matches.length > 0)
  const about = hit?.field ?? 'name'
  const label = hit?.label ?? '手机号'
  if (keyMatches.some(hasSameName)) {
    const denying = keys.find((key) => keyMatches.some((member) => hasSameName(member) && key.contradicts(member))) ?? hit
    const text = `「${truncate(name)}」的${denying?.label ?? label}与花名册不一致，可能错行了；请核对表格，或指定人员`
    return createIdentityError('name_mismatch', denying?.field ?? about, text, candidates)
  }
  const owner = keyMatches.find((member) => member.in_scope)
  const ownerText = owner ? `在花名册里是「${truncate(owner.name)}」` : '在花名册里属于别人'
  return createIdentityError(
    'name_mismatch',
    about,
    `${label}${ownerText}，表里写的是「${truncate(name)}」，可能错行了；请核对表格，或指定人员`,
    candidates,
  )
}

/** Matches by name where no key of the row is known and nothing in the row contradicts that member. */
function matchByName(
  identity: RowIdentity,
  keys: readonly IdentityKey[],
  names: readonly string[],
  roster: Roster,
  isConsistent: (person: PayrollMember) => boolean,
  badMobile: boolean,
): MemberMatch {
  const displayName = identity.names[0] ?? ''
  const bearers = [...new Set(roster.findByNames(names))]
  const selectable = bearers.filter((member) => member.status !== 'left' && member.in_scope)
  if (badMobile)
    return createFailedMatch(
      createIdentityError('bad_mobile', 'mobile', '手机号格式有误，应为 11 位数字；请改正、指定人员，或跳过', selectable),
    )
  const [only] = selectable
  if (selectable.length === 1 && only && isConsistent(only)) {
    // 张伟（大） may be a different 张伟 from the one in the roster: without a key, a name with a remark is asked about.
    const isRemarked = !names.some((name) => normalizeName(name) === normalizeName(only.name))
    return isRemarked
      ? createFailedMatch(createRemarkError(displayName, only))
      : { ...checkReachable(only, displayName), matchedBy: 'name' }
  }
  if (selectable.length > 1 && selectable.some(isConsistent))
    return createFailedMatch(createAmbiguousError(displayName, selectable))
  if (selectable.length === 0 && keys.length === 0) {
    const other = bearers.find((member) => member.status !== 'left') ?? bearers[0]
    if (other) return checkReachable(other, displayName, 'name')
  }
  if (identity.mobile) {
    const text = selectable.length
      ? `花名册里的「${truncate(displayName)}」与这一行的手机号、工号或身份证号不一致；请核对，指定人员或新建`
      : `花名册里没有「${truncate(displayName)}」；请新建、指定人员，或跳过`
    return createFailedMatch(createIdentityError('unknown_person', 'name', text, selectable))
  }
  const text = selectable.length
    ? `花名册里的「${truncate(displayName)}」与这一行的工号或身份证号不一致；请核对后指定人员，或跳过`
    : `花名册里没有「${truncate(displayName)}」，这一行也没有手机号，不能新建；名字写错了请改正，或指定人员、跳过`
  return createFailedMatch(createIdentityError('no_contact', 'name', text, selectable))
}
