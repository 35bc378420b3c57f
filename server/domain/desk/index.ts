/** What lies on the desk: notices, downloads, sample files. Writes notice, ticket and, through runtime/files, file and file_chunk. */
export { exportsSince, makeTicket, mustBeFew } from './downloads.ts'
export { companiesUntold, markTold, moveNotices, notify, unseenNotices, untoldNotices } from './notices.ts'
export { isWorkday } from './rules/holidays.ts'
export { openTeller, tell } from './tell.ts'
export { takePicture } from './uploads.ts'
