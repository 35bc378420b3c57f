import { exportImportErrors } from '../../../../server/contract/directory/import.ts'
import { callApi } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { useSheetDownload } from '../../sheets/use-sheet-download.ts'

/** Downloads the same sheet with comments at the cells, to be corrected in Excel and uploaded again. */
export function DownloadErrorsButton({ import_id, rows }: { import_id: string; rows: number }) {
  const annotatedSheet = useSheetDownload(() => callApi(exportImportErrors, { import_id }))
  return (
    <ActionButton mark="download" {...annotatedSheet}>
      下载标注好的表（{rows.toLocaleString('zh-CN')} 行）
    </ActionButton>
  )
}
