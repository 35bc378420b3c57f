/** What lies on the desk: notices, downloads, sample files. Writes notice, ticket and, through runtime/files, file and file_chunk. */
import * as contract from '../../contract/desk.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import { getFile, testObserver } from './diagnosis.ts'
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

export const deskHandlers = (seesFile: SeesFile): Handler[] =>
  implement(contract, {
    getNoticeList,
    read,
    getDownloadTicket: getDownloadTicket(seesFile),
    download: download(seesFile),
    getImportSampleFile,
    ...uploads,
    testObserver,
    getFile,
  })
