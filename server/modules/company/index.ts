/**
 * The company: its monthly overview, profile, wage settings, mailbox, platform apps, registration and trial.
 * Writes company, company_mail and platform_app.
 */
export { createCompany, getJoinCodeSource, renewJoinCode } from './create.ts'
export { getMonthlySummary, listTodos } from './dashboard.ts'
export { getLogoUrl } from './logo.ts'
export {
  getBounceInbox,
  isMailboxTested,
  loadMailbox,
  type MailConnections,
  openMailSender,
  removeMailbox,
  saveInboxProgress,
  saveMailboxSettings,
  setLastMailedAt,
  setMailboxTested,
} from './mailbox.ts'
export { getCompanyName, parseCompanyName } from './name.ts'
export {
  deletePlatformApps,
  findPlatformApps,
  getPlatformAppView,
  listBoundCompanies,
  loadCallbackKeys,
  loadPlatformApp,
  openChatSender,
  openPlatformApp,
  renewPlatformApp,
  type StoredPlatformApp,
  savePlatformApp,
  setAppVerified,
  verifyAppBySignIn,
} from './platform-apps.ts'
