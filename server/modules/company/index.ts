/**
 * The company: dashboard, wage settings, mailbox, creation and trial; its orders (order/) and prepaid messages. Writes
 * company, company_mail, platform_app, prepaid_movement, prepaid_entry, pay_order, payment, refund, order_lookup,
 * invoice, invoice_order, invoice_file, price and announcement.
 */
export { createCompany, getJoinCodeSource, listAllCompanyIds, renewJoinCode } from './create.ts'
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
export { listPublishedNews } from '../operator/news.ts'
export { listRecentOrders } from '../billing/recent-orders.ts'
export {
  deletePlatformApps,
  findPlatformApps,
  getPlatformAppView,
  isVerifiedBySignIn,
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
export { chargeSms, getDeliveryMeans, lockSmsBalance, recordPrepaidTransaction as movePool, refundSms } from '../billing/prepaid-sms.ts'
export { getDaysRemaining, getTrialStatus } from '../billing/rules/edition.ts'
export {
  getAnswerDays,
  getAutoConfirmation,
  getBoundProvider,
  loadWageSettings,
  saveWageSettings,
  setBoundProvider,
  type WageSettings,
  type WageSettingsChange,
} from './wage-settings.ts'
export { hasSubscriber, type PayslipRef, queueWebhookEvents } from '../webhooks/events.ts'
