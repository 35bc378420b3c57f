/** Accounts: signing in and out, also through chat platforms, passwords, codes, devices, facts about oneself and the installation. */
export { browserOf } from './browser.ts'
export { spendCode } from './codes.ts'
export { heldByAccount } from './devices.ts'
export { choosable, companiesOf, enter, openSessionIn } from './enter.ts'
export { provePassword, setFirst } from './password/change.ts'
export { hashPassword, isPassword, mustBeGood } from './password/passwords.ts'
export { accountOfPhone, holderFor, showsPassword } from './phone/holder.ts'
export { outsidePlatforms } from './platform/outside.ts'
