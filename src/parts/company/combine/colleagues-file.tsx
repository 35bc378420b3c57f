import { useQuery } from '@tanstack/react-query'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { download } from '../../../../server/contract/corp/desk.ts'
import { exportColleagues, getColleaguesFile } from '../../../../server/contract/people/colleagues.ts'
import { downloadFrom, query, useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import styles from './combine.module.css'

type Made = OutputOf<typeof exportColleagues>
const asked_again_ms = 2_000

/** The sheet of everybody with who he is here: ours at once, or asked for at the platform, which writes its names into it and hands it out. */
export function useColleaguesFile() {
  const make = useCall(exportColleagues, {
    handles: () => true,
    saysLost: true,
    onSuccess: ({ oss_path, file_name }) => {
      if (oss_path) downloadFrom(download, { oss_path, file_name })
    },
  })
  return { make: () => make.mutate({}), busy: make.isPending, made: make.data, error: make.error, forget: make.reset }
}
export type ColleaguesFile = ReturnType<typeof useColleaguesFile>

/** How far it is; nothing before it was asked for. */
export function FileLine({ file: { make, made, error, forget } }: { file: ColleaguesFile }) {
  if (error) return <Failed error={error} again={make} forget={forget} />
  return made?.job ? <Translated made={made} job={made.job} again={make} forget={forget} /> : null
}

type Again = { again: () => void; forget: () => void }
function Translated({ made: { file_name, rows }, job, again, forget }: Again & { made: Made; job: string }) {
  const asked = useQuery({
    ...query(getColleaguesFile, { job }),
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.url || state.error ? false : asked_again_ms),
    meta: { quiet: true },
  })
  const url = asked.data?.url
  if (asked.error) return <Failed error={asked.error} again={again} forget={forget} />
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
      <Close forget={forget} />
    </div>
  )
}

const Failed = ({ error, again, forget }: Again & { error: Error }) => (
  <div className={styles.line} role="alert">
    <p className={styles.failed}>
      <Icon name="warn" /> 没有导出：{error.message}{' '}
      <button type="button" className="ui-link" onClick={again}>
        重新导出
      </button>
    </p>
    <Close forget={forget} />
  </div>
)

const Close = ({ forget }: Pick<Again, 'forget'>) => (
  <button type="button" className="ui-icon-button" aria-label="关闭：导出核对表" onClick={forget}>
    <Icon name="close" />
  </button>
)
