import { useState } from 'react'
import { download } from '../../../../server/contract/desk.ts'
import { exportImportFaults } from '../../../../server/contract/people/import.ts'
import { ask, downloadFrom } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { toast } from '../../../ui/toast.ts'

/** The same sheet with remarks at the cells, to be corrected in Excel and brought again. */
export function DownloadFaults({ import_id, rows }: { import_id: string; rows: number }) {
  const [making, setMaking] = useState(false)
  const fetchFaults = async () => {
    setMaking(true)
    try {
      const { oss_path, file_name } = await ask(exportImportFaults, { import_id })
      downloadFrom(download, { oss_path, file_name })
    } catch (error) {
      toast.fail(error instanceof Error ? error.message : '没有生成表格，请重试', '失败')
    } finally {
      setMaking(false)
    }
  }
  return (
    <Act mark="download" loading={making} onClick={() => void fetchFaults()}>
      下载标注好的表（{rows.toLocaleString('zh-CN')} 行）
    </Act>
  )
}
