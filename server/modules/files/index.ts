/** Stored files: upload, download by ticket, sample files, limits of exports. Writes download_ticket and, through server/files, file and file_chunk. */
export { assertExportLimit, createTicketPath, getExportWindowStart } from './downloads.ts'
export { consumePicture, selectFileSubject } from './uploads.ts'
