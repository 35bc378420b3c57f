import { useState } from 'react'
import { download } from '../../../server/contract/corp/desk.ts'
import { downloadFrom } from '../../api.ts'
import { toast } from '../../ui/over/toast.ts'

/** A sheet that is made when it is asked for, and downloaded then. A question, not an act: nothing on the page changes by it. */
export function useMadeSheet(make: () => Promise<{ oss_path: string; file_name: string }>) {
  const [making, setMaking] = useState(false)
  const fetchSheet = async () => {
    setMaking(true)
    try {
      const { oss_path, file_name } = await make()
      downloadFrom(download, { oss_path, file_name })
    } catch (error) {
      toast.fail(error instanceof Error ? error.message : '没有生成表格，请重试', '失败')
    } finally {
      setMaking(false)
    }
  }
  return { loading: making, onClick: () => void fetchSheet() }
}
