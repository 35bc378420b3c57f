import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { download } from '../../../../server/contract/files/files.ts'
import { getExportStatus } from '../../../../server/contract/payslips/send.ts'
import { ApiError, callApi, callQuery, downloadFile } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { ProgressBar } from '../../../components/state/progress.tsx'
import styles from './batch.module.css'
import { type ExportJob, exportKindLabels, markDownloaded, removeExport, useExportJobs } from './export-jobs.ts'

/** Running and finished exports, above their list. */
export function ExportBar() {
  const jobs = useExportJobs()
  if (jobs.length === 0) return null
  return (
    <section className={`${styles.exports} no-print`} aria-label="导出">
      {jobs.map((job) => (
        <ExportJobRow key={job.job_id} job={job} />
      ))}
    </section>
  )
}

/** A ticket is valid for one download within a minute, so each download requests a new one. */
async function downloadExport(job_id: string) {
  try {
    const { oss_path, file_name } = await callApi(getExportStatus, { job_id })
    if (oss_path) downloadFile(download, { oss_path, file_name })
    markDownloaded(job_id)
  } catch (error) {
    toast.error(error instanceof Error ? error.message : '下载失败，请重试')
  }
}

function ExportJobRow({ job }: { job: ExportJob }) {
  const { job_id, title, what: kind, fetched: isFetched = false } = job
  const status = useQuery({
    ...callQuery(getExportStatus, { job_id }),
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.done || state.data?.failed || state.error ? false : 1000),
  })
  const { data, error } = status
  const ready = data?.done === true && !data.failed
  // The download starts by itself the first time the file is ready.
  useEffect(() => {
    if (ready && !isFetched) void downloadExport(job_id)
  }, [ready, isFetched, job_id])
  const isExpired = error instanceof ApiError
  const name = `${title} · ${exportKindLabels[kind]}`
  const failed = data?.failed ?? (isExpired ? '文件已过期，请重新导出' : null)
  return (
    <div className={styles.exportLine}>
      {failed ? (
        <p className={styles.exportFailed}>
          <Icon name="warn" /> {name}：{failed}
        </p>
      ) : ready ? (
        <p>
          <Icon name="check" /> {data.file_name} 已生成{data.note && `（${data.note}）`}
          <button type="button" className="ui-link" onClick={() => void downloadExport(job_id)}>
            {isFetched ? '再次下载' : '下载'}
          </button>
        </p>
      ) : (
        <ProgressBar label={`正在导出 ${name}`} done={data?.progress ?? 0} total={100} unit="%" />
      )}
      {(failed || ready) && (
        <button type="button" className="ui-icon-button" aria-label={`关闭：${name}`} onClick={() => removeExport(job_id)}>
          <Icon name="close" />
        </button>
      )}
    </div>
  )
}
