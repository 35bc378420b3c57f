/** Handlers of the desk calls: notifications, downloads, uploads and sample files. */
import * as contract from '../../contract/notifications/notifications.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import { getFile, testObserver } from './diagnosis.ts'
import { type CanSeeFile, download, getDownloadTicket } from './downloads.ts'
import { getNotificationList, markNotificationsRead } from '../notifications/notifications.ts'
import { getImportSampleFile } from './sample-files.ts'
import { uploadHandlers } from './uploads.ts'

export { registerDiagnosisJob } from './diagnosis.ts'

export const createDeskHandlers = (canSeeFile: CanSeeFile): Handler[] =>
  bindHandlers(contract, {
    getNotificationList,
    markNotificationsRead,
    getDownloadTicket: getDownloadTicket(canSeeFile),
    download: download(canSeeFile),
    getImportSampleFile,
    ...uploadHandlers,
    testObserver,
    getFile,
  })
