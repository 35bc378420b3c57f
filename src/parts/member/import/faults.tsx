import { exportImportFaults } from '../../../../server/contract/people/import.ts'
import { ask } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { useMadeSheet } from '../../sheet/use-made-sheet.ts'

/** The same sheet with remarks at the cells, to be corrected in Excel and brought again. */
export function DownloadFaults({ import_id, rows }: { import_id: string; rows: number }) {
  const faults = useMadeSheet(() => ask(exportImportFaults, { import_id }))
  return (
    <Act mark="download" {...faults}>
      下载标注好的表（{rows.toLocaleString('zh-CN')} 行）
    </Act>
  )
}
