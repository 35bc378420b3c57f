/** Notifications to administrators: the list in the product, and messages to the channels that each of them chose. Writes notification. */
export { registerDirectMessages, sendDirectMessage } from './direct-message.ts'
export {
  countUnseenNotifications,
  listCompaniesWithPending,
  listPendingNotifications,
  markNotified,
  moveNotifications,
  notify,
} from './notifications.ts'
export { isWorkday } from './rules/holidays.ts'
