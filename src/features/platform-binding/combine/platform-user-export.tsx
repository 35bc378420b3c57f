import { useQuery } from '@tanstack/react-query'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { download } from '../../../../server/contract/files/files.ts'
import { exportPlatformUsers, getPlatformUserExport } from '../../../../server/contract/platform-binding/platform-users.ts'
import { callQuery, downloadFile, useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import styles from './combine.module.css'

type ExportResult = CallOutput<typeof exportPlatformUsers>
const pollIntervalMs = 2_000

/**
 * Exports a list of all platform users with their linked members: produced at once by our server, or by the platform,
 * which writes the names into it and provides the file.
 */
export function usePlatformUserExport() {
  const exportUsers = useCallMutation(exportPlatformUsers, {
    handles: () => true,
    handlesNetworkError: true,
    onSuccess: ({ oss_path, file_name }) => {
      if (oss_path) downloadFile(download, { oss_path, file_name })
    },
  })
  return {
    make: () => exportUsers.mutate({}),
    busy: exportUsers.isPending,
    made: exportUsers.data,
    error: exportUsers.error,
    forget: exportUsers.reset,
  }
}
export type PlatformUserExport = ReturnType<typeof usePlatformUserExport>

/** The progress of the export; nothing before it was requested. */
export function ExportStatus({ file: { make: start, made: result, error, forget: reset } }: { file: PlatformUserExport }) {
  if (error) return <ExportError error={error} retry={start} reset={reset} />
  return result?.job_id ? <TranslatedFile made={result} job={result.job_id} retry={start} reset={reset} /> : null
}

type RetryProps = { retry: () => void; reset: () => void }
function TranslatedFile({ made: { file_name, rows }, job, retry, reset }: RetryProps & { made: ExportResult; job: string }) {
  const file = useQuery({
    ...callQuery(getPlatformUserExport, { job }),
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.url || state.error ? false : pollIntervalMs),
    meta: { quiet: true },
  })
  const url = file.data?.url
  if (file.error) return <ExportError error={file.error} retry={retry} reset={reset} />
  return (
    <div className={styles.line} role="status">
      {url ? (
        <p>
          <Icon name="check" /> {file_name} 已生成，
          <a className="ui-link" href={url} target="_blank" rel="noopener noreferrer">
            从企业微信下载
          </a>
          <span className="ui-hint">
            24 小时内有效。打开时要在登录过企业微信的浏览器（或企业微信）里，否则会显示「参数错误」。
          </span>
        </p>
      ) : (
        <p>{`企业微信正在把姓名写进 ${file_name}（${rows.toLocaleString('zh-CN')} 人），请稍等…`}</p>
      )}
      <CloseButton reset={reset} />
    </div>
  )
}

const ExportError = ({ error, retry, reset }: RetryProps & { error: Error }) => (
  <div className={styles.line} role="alert">
    <p className={styles.failed}>
      <Icon name="warn" /> 没有导出：{error.message}{' '}
      <button type="button" className="ui-link" onClick={retry}>
        重新导出
      </button>
    </p>
    <CloseButton reset={reset} />
  </div>
)

const CloseButton = ({ reset }: Pick<RetryProps, 'reset'>) => (
  <button type="button" className="ui-icon-button" aria-label="关闭：导出核对表" onClick={reset}>
    <Icon name="close" />
  </button>
)
