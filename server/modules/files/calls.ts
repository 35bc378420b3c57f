/** Binds the calls of files to their handlers. */
import * as contract from '../../contract/files/files.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import { getFile, testObserver } from './diagnosis.ts'
import { download, type FileAccessCheck, getDownloadTicket } from './downloads.ts'
import { getImportSampleFile } from './sample-files.ts'
import { uploadHandlers } from './uploads.ts'

export { registerDiagnosisJob } from './diagnosis.ts'

export const createFileHandlers = (canSeeFile: FileAccessCheck): Handler[] =>
  bindHandlers(contract, {
    getDownloadTicket: getDownloadTicket(canSeeFile),
    download: download(canSeeFile),
    getImportSampleFile,
    ...uploadHandlers,
    testObserver,
    getFile,
  })
