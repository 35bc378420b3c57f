/**
 * Notifications, downloads and sample files. Writes notification, download_ticket and, through server/files, file and
 * file_chunk.
 */

export { registerDirectMessages, sendDirectMessage } from './direct-message.ts'
export { assertExportLimit, createTicketPath, getExportWindowStart } from './downloads.ts'
export {
  countUnseenNotifications,
  listCompaniesWithPending,
  listPendingNotifications,
  markNotified,
  moveNotifications,
  notify,
} from './notifications.ts'
export { isWorkday } from './rules/holidays.ts'
export { consumePicture } from './uploads.ts'
