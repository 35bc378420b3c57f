/**
 * The mark of an exported file: the number of its export, as a document property that copies keep. The audit log names the
 * person and the time of that number. It is no name and no row of the table, so that the file tells a stranger nothing
 * and can be uploaded again.
 */
export const exportMarkName = 'xinhan-export'
