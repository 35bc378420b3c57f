/** What lies on the desk: notices, downloads, sample files. Writes notice, ticket and, through runtime/files, file and file_chunk. */
import type { Handler } from '../../runtime/handle.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { download, getDownloadTicket, type SeesFile } from './downloads.ts'
import { getNoticeList, read } from './notices.ts'
import { getImportSampleFile } from './samples.ts'
import { uploads } from './uploads.ts'

export { openDiagnosis } from './diagnosis.ts'
export { makeTicket } from './downloads.ts'
export { moveNotices, notify } from './notices.ts'
export { isWorkday } from './rules/holidays.ts'
export { openTeller, tell } from './tell.ts'
export { takePicture } from './uploads.ts'

/** A download opens a file before the session is known, hence the key to all vaults. */
export const deskHandlers = (secrets: Secrets, seesFile: SeesFile): Handler[] => [
  getNoticeList,
  read,
  getDownloadTicket(seesFile),
  download(secrets, seesFile),
  getImportSampleFile,
  ...uploads,
]
