/**
 * Notifications, downloads and sample files. Writes notification, download_ticket and, through server/files, file and
 * file_chunk.
 */

export { registerDirectMessages, sendDirectMessage } from '../notifications/direct-message.ts'
export { assertExportLimit, createTicketPath, getExportWindowStart } from './downloads.ts'
export {
  countUnseenNotifications,
  listCompaniesWithPending,
  listPendingNotifications,
  markNotified,
  moveNotifications,
  notify,
} from '../notifications/notifications.ts'
export { isWorkday } from '../notifications/rules/holidays.ts'
export { consumePicture } from './uploads.ts'
