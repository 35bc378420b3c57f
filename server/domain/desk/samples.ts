/** The sample sheets and the help file that people start from. Public: they hold nobody's data. */
import * as contract from '../../contract/desk.ts'
import { handleOutside, refuse } from '../../runtime/handle.ts'

export const getImportSampleFile = handleOutside(contract.getImportSampleFile, async () => {
  throw refuse('not_found')
})
