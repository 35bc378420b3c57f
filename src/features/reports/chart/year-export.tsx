import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { download } from '../../../../server/contract/files/files.ts'
import { exportMemberWageByYear, getYearWageFileStatus } from '../../../../server/contract/reports/charts.ts'
import { callQuery, downloadFile, useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { isIdentityRequired, withIdentityProof } from '../../auth/account/identity-proof.ts'

/** Exports the wage sheet of a year; the download starts when the file is ready. */
export function YearExportButton({ year }: { year: number }) {
  const [job_id, setJob] = useState<string | null>(null)
  const start = useCallMutation(exportMemberWageByYear, { handles: isIdentityRequired })
  const startExport = () =>
    void withIdentityProof(() => start.mutateAsync({ year })).then(
      (made) => setJob(made.job_id),
      () => undefined,
    )
  const { data, error } = useQuery({
    ...callQuery(getYearWageFileStatus, { job_id: job_id ?? '' }),
    enabled: job_id !== null,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.done || state.data?.failed || state.error ? false : 1000),
  })
  const failed = data?.failed ?? (error ? '导出失败，请重试' : null)
  const path = data?.oss_path ?? null
  const handledJob = useRef<string | null>(null)
  // Each result is handled once, even if it is polled again: afterwards the button is available for the next export.
  useEffect(() => {
    if (job_id === null || handledJob.current === job_id || (!failed && !path)) return
    handledJob.current = job_id
    if (failed) toast.error(failed)
    else if (path) downloadFile(download, { oss_path: path, file_name: data?.file_name ?? '' })
  }, [job_id, failed, path, data?.file_name])
  const busy = start.isPending || (job_id !== null && !failed && !path)
  return (
    <Button icon={<Icon name="download" />} loading={busy} onClick={startExport}>
      {busy ? '正在导出' : `导出 ${year} 年`}
    </Button>
  )
}
