/**
 * Matches a row of an official list with a member: by identity card, otherwise by employee number or phone, otherwise
 * by a name that only one member has. Pure.
 */
export type NamedMember = { readonly id: string; readonly name: string; readonly employee_no: string; readonly mobile: string }
export type MemberLookup = {
  /** Members within scope; nothing is revealed about others. */
  readonly members: readonly NamedMember[]
  readonly findByIdCard: (id_card: string) => NamedMember | undefined
}
type IdentifiedRow = {
  readonly name: string
  readonly id_card: string | null
  readonly employee_no: string | null
  readonly mobile?: string | null
}
const normalizeName = (name: string) => name.normalize('NFKC').replace(/\s/g, '')

/** Otherwise returns the reason why it is not available as a sentence. */
export function matchRowToMember(row: IdentifiedRow, { members, findByIdCard }: MemberLookup): NamedMember | string {
  const sameName = members.filter(({ name }) => normalizeName(name) === normalizeName(row.name))
  const byCard = row.id_card === null ? undefined : findByIdCard(row.id_card)
  if (byCard) return sameName.includes(byCard) ? byCard : '姓名与花名册里这个证件号码的员工不一致，请核对'
  const byNumberOrPhone = sameName.filter(
    ({ employee_no, mobile }) =>
      (employee_no !== '' && employee_no === row.employee_no) || (mobile !== '' && mobile === row.mobile),
  )
  const candidates = byNumberOrPhone.length > 0 ? byNumberOrPhone : sameName
  if (candidates.length > 1) return '有几位同名的员工；请填写证件号码、工号或手机号'
  return candidates[0] ?? '花名册里没有这位员工，或不在您的管理范围内；请核对姓名和证件号码'
}

export type IdentifiedMember = NamedMember & { readonly has_id_card: boolean }
type StrictLookup = {
  readonly members: readonly IdentifiedMember[]
  readonly findByIdCard: (id_card: string) => IdentifiedMember | undefined
}

/**
 * Like `matchRowToMember`, but every number that the row states must be the member's own: a company's own list is
 * edited by hand, where a row that slipped would give somebody the amounts of another.
 */
export function matchRowStrictly(row: IdentifiedRow, lookup: StrictLookup): IdentifiedMember | string {
  const matched = matchRowToMember(row, lookup)
  if (typeof matched === 'string') return matched
  const member = lookup.members.find(({ id }) => id === matched.id)
  if (!member) return '花名册里没有这位员工，请核对'
  const { employee_no, mobile, id_card } = row
  if (id_card !== null && member.has_id_card && lookup.findByIdCard(id_card)?.id !== member.id)
    return '证件号与花名册里这位员工的不一致，请核对'
  if (employee_no !== null && employee_no !== member.employee_no) {
    const owner = lookup.members.find((one) => one.employee_no === employee_no)
    if (owner) return `工号 ${employee_no} 在花名册里是${owner.name}的，请核对`
    if (member.employee_no !== '') return `工号与花名册里的 ${member.employee_no} 不一致，请核对`
  }
  if (mobile && mobile !== member.mobile) {
    const owner = lookup.members.find((one) => one.mobile === mobile)
    if (owner) return `手机号在花名册里是${owner.name}的，请核对`
    if (member.mobile !== '') return '手机号与花名册里的不一致，请核对'
  }
  return member
}
