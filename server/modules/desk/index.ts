/** What lies on the desk: notices, downloads, sample files. Writes notice, ticket and, through runtime/files, file and file_chunk. */

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
