/** Access in companies of either type; apart from `access.ts`, which the sign-in page loads. */
import type { CallAccess, Power } from '../access.ts'

/** Administrators of any company, a normal one or an agency, with one of these powers. */
export const requirePowerAnywhere = (...powers: Power[]): CallAccess => ({ powers, companyType: 'any' })
