/** Whose a row of an official list is: by the identity card, else the number or the phone, else a name that only one has. Pure. */
export type CalledPerson = { readonly id: string; readonly name: string; readonly employee_no: string; readonly mobile: string }
export type KnownPeople = {
  /** Of my scope: of anybody else nothing is told. */
  readonly people: readonly CalledPerson[]
  readonly cardOf: (id_card: string) => CalledPerson | undefined
}
type NamedRow = {
  readonly name: string
  readonly id_card: string | null
  readonly employee_no: string | null
  readonly mobile?: string | null
}
const tidyName = (name: string) => name.normalize('NFKC').replace(/\s/g, '')

/** Else why it is nobody's, as a sentence. */
export function whoseRow(row: NamedRow, { people, cardOf }: KnownPeople): CalledPerson | string {
  const named = people.filter(({ name }) => tidyName(name) === tidyName(row.name))
  const byCard = row.id_card === null ? undefined : cardOf(row.id_card)
  if (byCard) return named.includes(byCard) ? byCard : '姓名与花名册里这个证件号码的员工不一致，请核对'
  const by = named.filter(
    ({ employee_no, mobile }) =>
      (employee_no !== '' && employee_no === row.employee_no) || (mobile !== '' && mobile === row.mobile),
  )
  const found = by.length > 0 ? by : named
  if (found.length > 1) return '有几位同名的员工；请填写证件号码、工号或手机号'
  return found[0] ?? '花名册里没有这位员工，或不在您的管理范围内；请核对姓名和证件号码'
}
