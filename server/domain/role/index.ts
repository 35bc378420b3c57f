/** Administrators, their powers and scopes. Writes admin and admin_department. */
export { firstHead, putTrialAway } from './found.ts'
export { handSystemPowerOver, handWagePowerOver } from './hand-over.ts'
export { adminMembers, adminOf, headsOf, takeRightsAway } from './rights.ts'
export { isHead, joinedPeople, whoManages } from './rows.ts'
