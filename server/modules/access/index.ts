/** Administrators, their powers and scopes; agencies that serve. Writes admin, admin_department and agency_service. */

export {
  findAdmin,
  getAccountPowers,
  getAdminMemberId,
  getAdminPowers,
  listAdminIdsWithPowers,
  listAdminMemberIds,
  listPayrollAdmins,
  listSystemAdminIds,
  revokeAllPowers,
} from './admin-queries.ts'
export { filterUnmanagedDepartments, isSystemAdmin, listDepartmentAdminNames, lockJoinedMembers } from './admin-rows.ts'
export {
  activateSeat,
  approveAgencyService,
  createSeat,
  endAgencyService,
  findAgencyService,
  findSeat,
  getSeatAgencyId,
  listAgencyServices,
  lockSeat,
  rejectAgencyService,
  requestAgencyService,
  startAgencyService,
} from './agency-service.ts'
export { createFirstAdmin, dismissTrialNotice, markHintDismissed } from './first-admin.ts'
export { transferPayrollPower, transferSystemPower } from './transfer-power.ts'
