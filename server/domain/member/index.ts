/** People and departments. Writes department, department_gone, member, member_department, member_event, member_import and roster_recipe. */
export { addMember, addMembers, type NewMember } from './add.ts'
export { cardsOf, employedOf, keptAmong, personCalled } from './file/employed.ts'
export { record as recordInFile } from './file/events.ts'
export { heldInRoster } from './file/held.ts'
export { holdNamed } from './file/hold.ts'
export { peopleSeen, rowsOfPerson } from './file/info.ts'
export { departmentsPlaced, everybodyPlaced, type RosterDepartment } from './file/placed.ts'
export { openSpelling, soundsLike } from './file/spelled.ts'
export { importedPeople } from './import/kept.ts'
export { type TakenCard, takeBankCards } from './import/people.ts'
export {
  joinLeavers,
  joinMember,
  joinMembers,
  type LeftRow,
  leftBehind,
  notAddedSince,
  partFromPhone,
  rowsOfPhone,
} from './join.ts'
export { departmentsAt, listed as peopleShown } from './list.ts'
export { confirmPhone, type Unconfirmed, unconfirmed, unconfirmedOfMine } from './own/confirm.ts'
export {
  addressesOf,
  adminCalled,
  asOwner,
  firstMember,
  followPhone,
  nameOf,
  namesOf,
  outsider,
  payersCalled,
  payHide,
} from './own/own.ts'
export { roster, rosterDigest, tellPlatformLinks } from './roster.ts'
export {
  countPeople,
  departmentCondition,
  keepsAll,
  keepsDepartments,
  keptPerson,
  payable,
  personWithin,
  stillHere,
} from './scope.ts'
export {
  countOnPlatform,
  countUnreached,
  everybodyTellable,
  followDepartments,
  followLeaders,
  followPlaces,
  followPlatform,
  heldDepartments,
  leavePlatform,
  membersOfAccounts,
  tellablePeople,
} from './tree/followed.ts'
