import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { download } from '../../../../server/contract/corp/desk.ts'
import { exportMemberWageByYear, getYearWageFileStatus } from '../../../../server/contract/wage/chart.ts'
import { downloadFrom, query, useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { toast } from '../../../ui/over/toast.ts'

/** Asks for the sheet of a year; it comes by itself when it is made. */
export function YearExport({ year }: { year: number }) {
  const [job_id, setJob] = useState<string | null>(null)
  const start = useCall(exportMemberWageByYear, { onSuccess: (made) => setJob(made.job_id) })
  const { data, error } = useQuery({
    ...query(getYearWageFileStatus, { job_id: job_id ?? '' }),
    enabled: job_id !== null,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.done || state.data?.failed || state.error ? false : 1000),
  })
  const failed = data?.failed ?? (error ? '导出失败，请重试' : null)
  const path = data?.oss_path ?? null
  const told = useRef<string | null>(null)
  // Told once, fetched once, also where it is asked about again: then the button is there for the next.
  useEffect(() => {
    if (job_id === null || told.current === job_id || (!failed && !path)) return
    told.current = job_id
    if (failed) toast.fail(failed)
    else if (path) downloadFrom(download, { oss_path: path, file_name: data?.file_name ?? '' })
  }, [job_id, failed, path, data?.file_name])
  const busy = start.isPending || (job_id !== null && !failed && !path)
  return (
    <Button icon={<Icon name="download" />} loading={busy} onClick={() => start.mutate({ year })}>
      {busy ? '正在导出' : `导出 ${year} 年`}
    </Button>
  )
}
