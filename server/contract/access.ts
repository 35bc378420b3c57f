/** Powers, corporate roles, editions; who may make a call. The server enforces it, the client hides by it. */

/** 1 enterprise administrator · 2 payroll administrator · 3 members · 4 everything. */
export type Power = '1' | '2' | '3' | '4'
export const powers: readonly Power[] = ['1', '2', '3', '4']
export const powerLabels: Readonly<Record<Power, string>> = {
  '1': '企业管理员',
  '2': '薪酬管理员',
  '3': '员工管理员',
  '4': '系统管理员',
}

/** 10 a normal company · 20 an entrusted (agency) company. */
export type CorpRole = 10 | 20
/** 50 free · 60 and 53 plus. */
export type Edition = 50 | 53 | 60

/**
 * Who may make a call:
 * `public` anybody · `admin` any administrator · `employee` an employee about himself · `signed_in` either of them ·
 * `half_signed_in` also somebody who has not chosen a company yet ·
 * `operator` whoever runs the server, who is in no company ·
 * `{ powers, corp }` administrators of a company of that role who hold one of the powers (4 holds all of them).
 */
export type CallAccess =
  | 'public'
  | 'half_signed_in'
  | 'signed_in'
  | 'admin'
  | 'employee'
  | 'operator'
  | { readonly powers: readonly Power[]; readonly companyType: 'normal' | 'agency' | 'any' }

/** Administrators of normal companies with one of these powers. */
export const requirePower = (...powers: Power[]): CallAccess => ({ powers, companyType: 'normal' })

export type AccessSubject = {
  readonly corp_role: CorpRole | null
  readonly power: readonly Power[]
  readonly is_employee: boolean
}

/** Whether this person may make calls of this kind. `null` is somebody who is signed out. */
export function canAccess(person: AccessSubject | null, who: CallAccess): boolean {
  if (who === 'public') return true
  // Nobody of a company is one, whatever he may there.
  if (!person || who === 'operator') return false
  if (who === 'half_signed_in') return true
  if (person.corp_role === null) return false
  if (who === 'signed_in') return person.is_employee || person.power.length > 0
  if (who === 'employee') return person.is_employee
  if (who === 'admin') return person.power.length > 0
  const rightCompany = who.companyType === 'any' || (who.companyType === 'agency') === (person.corp_role === 20)
  return rightCompany && hasPower(person.power, who.powers)
}

/** Whether these powers contain one of the wanted ones; 4 contains every one. */
export const hasPower = (has: readonly Power[], requested: readonly Power[]): boolean =>
  has.includes('4') || requested.some((power) => has.includes(power))
