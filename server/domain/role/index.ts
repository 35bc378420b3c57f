/** Administrators, their powers and scopes. Agencies that serve. Writes admin, admin_department and agency_service. */
export { firstHead, putHintAway, putTrialAway } from './found.ts'
export { handSystemPowerOver, handWagePowerOver } from './hand-over.ts'
export { adminMembers, adminOf, adminsWith, headsOf, payers, personOf, powersHeld, powersOf, takeRightsAway } from './rights.ts'
export { isHead, joinedPeople, managedByNobody, whoManages } from './rows.ts'
export {
  addSeat,
  agencyOfSeat,
  approveService,
  askToServe,
  beginService,
  endService,
  holdSeat,
  openSeat,
  refuseService,
  seatOf,
  serviceBy,
  services,
} from './serving.ts'
