/** Powers, company roles, editions, and who may make a call. The server enforces it, the client hides accordingly. */

/** 1 enterprise administrator · 2 payroll administrator · 3 members · 4 everything. */
export type Power = '1' | '2' | '3' | '4'
export const powers: readonly Power[] = ['1', '2', '3', '4']
export const powerLabels: Readonly<Record<Power, string>> = {
  '1': '企业管理员',
  '2': '薪酬管理员',
  '3': '员工管理员',
  '4': '系统管理员',
}

/** 10 is a normal company, 20 an agency. */
export type CorpRole = 10 | 20
/** 50: free · 60 and 53: plus. */
export type Edition = 50 | 53 | 60

/**
 * Who may make a call:
 * - `public`: anyone
 * - `admin`: any administrator
 * - `employee`: an employee, for the employee's own data
 * - `signed_in`: an administrator or an employee
 * - `half_signed_in`: also a user who has not chosen a company yet
 * - `operator`: an operator of the server, who belongs to no company
 * - `{ powers, companyType }`: administrators of a company of that type who hold one of the powers (4 includes all of
 * them)
 */
export type CallAccess =
  | 'public'
  | 'half_signed_in'
  | 'signed_in'
  | 'admin'
  | 'employee'
  | 'operator'
  | {
      readonly powers: readonly Power[]
      readonly companyType: 'normal' | 'agency' | 'any'
      /** Only programs with an API key: no session, whatever its powers. */
      readonly signIn?: 'api_key'
    }

/** Administrators of normal companies with one of these powers. */
export const requirePower = (...powers: Power[]): CallAccess => ({ powers, companyType: 'normal' })

/** Programs of normal companies whose API key has a scope that gives one of these powers. */
export const requireKey = (...powers: Power[]): CallAccess => ({ powers, companyType: 'normal', signIn: 'api_key' })

export type AccessSubject = {
  readonly corp_role: CorpRole | null
  readonly power: readonly Power[]
  readonly is_employee: boolean
}

/** Whether the user may make calls of this kind. `null` is a user who is not signed in. */
export function canAccess(person: AccessSubject | null, who: CallAccess): boolean {
  if (who === 'public') return true
  // No company user is an operator, whatever their powers.
  if (!person || who === 'operator') return false
  if (who === 'half_signed_in') return true
  if (person.corp_role === null) return false
  if (who === 'signed_in') return person.is_employee || person.power.length > 0
  if (who === 'employee') return person.is_employee
  if (who === 'admin') return person.power.length > 0
  const rightCompany = who.companyType === 'any' || (who.companyType === 'agency') === (person.corp_role === 20)
  return rightCompany && hasPower(person.power, who.powers)
}

/** Whether these powers include one of the requested ones; 4 includes every power. */
export const hasPower = (has: readonly Power[], requested: readonly Power[]): boolean =>
  has.includes('4') || requested.some((power) => has.includes(power))

/** Who may register a company here: anybody, nobody, or anybody until there is one. */
export type RegistrationPolicy = 'open' | 'closed' | 'until_first_company'
