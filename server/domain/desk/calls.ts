/** What answers the calls of the desk. */
import * as contract from '../../contract/corp/desk.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import { getFile, testObserver } from './diagnosis.ts'
import { download, getDownloadTicket, type SeesFile } from './downloads.ts'
import { getNoticeList, read } from './notices.ts'
import { getImportSampleFile } from './samples.ts'
import { uploads } from './uploads.ts'

export { openDiagnosis } from './diagnosis.ts'

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
