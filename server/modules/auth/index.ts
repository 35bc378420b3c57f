/** Accounts: signing in and out (also by chat platforms), passwords, codes, devices, data about user and installation. */

export { consumeCode } from './codes.ts'
export { assertPasswordCorrect, setInitialPassword } from './password/change.ts'
export { assertPasswordStrong, hashPassword, isPasswordCorrect } from './password/passwords.ts'
export { checkPassword, findAccountByPhone, hasPassword, resolvePhoneOwner, verifyAccountPassword } from './phone/phone-owner.ts'
export { deleteCompanyIdentities, deletePlatformIdentities, listPlatformLinks } from './platform/apps.ts'
export { createSignInPlatforms } from './platform/platforms.ts'
export { ensureBrowserHash, getBrowserHash } from './sign-in/browser.ts'
export {
  completeSignIn,
  listAvailableCompanies,
  listSelectableCompanies,
  switchSessionCompany,
} from './sign-in/complete-sign-in.ts'
export { createCompanyWithAdmin, parseFirstAdminName, parseNewCompanyName } from './sign-in/create-company.ts'
export { getAccountData } from './sign-in/devices.ts'
export { ensureUnprovenAccount, findUnprovenAccount, getSignInLink, issueSignInLink } from './sign-in/sign-in-link.ts'
