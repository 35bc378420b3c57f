/** Accounts: signing in and out, also through chat platforms, passwords, codes, devices, facts about oneself and the installation. */

export { spendCode } from './codes.ts'
export { provePassword, setFirst } from './password/change.ts'
export { hashPassword, isPassword, mustBeGood } from './password/passwords.ts'
export { accountOfPhone, hasPassword, holderFor, showsPassword, tryPassword } from './phone/holder.ts'
export { forgetCorp, forgetIdentities, platformLinks } from './platform/apps.ts'
export { outsidePlatforms } from './platform/outside.ts'
export { browserOf } from './sign-in/browser.ts'
export { heldByAccount } from './sign-in/devices.ts'
export { choosable, companiesOf, enter, openSessionIn } from './sign-in/enter.ts'
