import { useState } from 'react'
import { download } from '../../../server/contract/files/files.ts'
import { downloadFile } from '../../api.ts'
import { toast } from '../../components/overlay/toast.ts'

/** Creates a sheet on request and downloads it. Not a mutation, because nothing on the page changes. */
export function useSheetDownload(createSheet: () => Promise<{ oss_path: string; file_name: string }>) {
  const [isCreating, setCreating] = useState(false)
  const fetchSheet = async () => {
    setCreating(true)
    try {
      const { oss_path, file_name } = await createSheet()
      downloadFile(download, { oss_path, file_name })
    } catch (error) {
      toast.error(error instanceof Error ? error.message : '没有生成表格，请重试', '失败')
    } finally {
      setCreating(false)
    }
  }
  return { loading: isCreating, onClick: () => void fetchSheet() }
}
