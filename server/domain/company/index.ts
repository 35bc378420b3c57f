/**
 * The company: its glance at the month, its wage settings, its mailbox, its founding and trial; what it buys (order/) and its prepaid messages.
 * Writes company, company_mail, platform_app, pool_move, pool_entry, pay_order, payment, refund, order_door, invoice, invoice_order, invoice_file, price and news.
 */
export { allCompanies, foundCompany, joiningOf, renewJoinCode } from './found.ts'
export { glanceOf, todosOf } from './home.ts'
export { logoOf } from './logo.ts'
export {
  forgetMail,
  inboxOf,
  type MailDesk,
  mailboxTested,
  mailLine,
  mailOf,
  markInboxRead,
  markMailed,
  markMailTested,
  saveMail,
} from './mail.ts'
export { nameHere, nameOf } from './name.ts'
export { newsTold } from './ops/told.ts'
export { newestOrders } from './order/called.ts'
export {
  appIn,
  boundCorps,
  callbackKeys,
  chatLine,
  forgetApps,
  isProvedBySignIn,
  type KnownApp,
  keepApp,
  knownApps,
  opened,
  proveApp,
  provedApp,
  renewApp,
  shownApp,
} from './platform-apps.ts'
export { daysLeft, trialStatus } from './rules/edition.ts'
export {
  answerDays,
  autoConfirmation,
  nameProvider,
  providerOf,
  type Setting,
  type SettingChange,
  saveSetting,
  settingOf,
} from './setting.ts'
export { giveBackSms, lockedSmsLeft, meansOf, move as movePool, takeSms } from './sms-account.ts'
export { isHeard, type ToldSlip, tellWebhooks } from './webhook/told.ts'
