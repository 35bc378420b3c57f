/**
 * Members and departments. Writes department, removed_department, member, member_department, member_event,
 * member_import and roster_mapping.
 */
export { addMember, addMembers, type NewMember } from './add.ts'
export { deleteTerminatedMemberData, eraseTerminatedMember } from './file/delete-terminated.ts'
export { filterManageableMembers, getEmployments, getIdCards, matchesMemberName } from './file/employment.ts'
export { recordMemberEvents as recordInFile } from './file/events.ts'
export { getMemberRowIds, loadVisibleContacts } from './file/info.ts'
export { lockMembersForReference } from './file/locks.ts'
export { listRosterDepartments, loadMembersWithDepartments, type RosterDepartment } from './file/member-departments.ts'
export { createSpellingJob, matchesSpelling } from './file/name-spelling.ts'
export { loadOwnRosterData } from './file/own-data.ts'
export { listImportedMembers } from './import/import-record.ts'
export { type MemberBankCard, saveMemberBankCards } from './import/update-members.ts'
export {
  type FormerMember,
  findUnclaimedFormerMembers,
  isPhoneUnusedSince,
  linkFormerMembers,
  linkMember,
  linkMembers,
  listMembersByPhone,
  unlinkPhone,
} from './link-account.ts'
export { listMembersAfter, memberDepartmentsJson, selectListedMembers as peopleVisible } from './list.ts'
export { confirmPhone, lockUnconfirmedPhone, requireUnconfirmedPhone, type UnconfirmedPhone } from './own/confirm.ts'
export {
  createAgencyMember,
  createFirstMember,
  getAdminMemberName,
  getMemberAddresses,
  getMemberName,
  getMemberNames,
  listNamedPayrollAdmins,
  setPayHidden,
  updateAccountPhone,
} from './own/profile.ts'
export { computeRosterDigest, listActiveMobiles, loadRoster, setPlatformLinkProvider } from './roster.ts'
export {
  canManageAllMembers,
  canManageDepartments,
  countVisibleMembers,
  departmentCondition,
  isEmployedOrTerminationStored,
  isManageableMemberId,
  isMemberInDepartment,
  isPayablePayslip,
} from './scope.ts'
export {
  countPlatformUsers,
  countWithoutPlatformUser,
  getMembersByAccount,
  loadMatchCandidates,
  lockDepartments,
  streamMatchCandidates,
  syncDepartments,
  syncLeaders,
  syncMemberships,
  syncPlatformUsers,
  unlinkAllPlatformUsers,
} from './tree/platform-sync.ts'
