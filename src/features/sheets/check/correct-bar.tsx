import type { ReactNode } from 'react'
import { exportIssues } from '../../../../server/contract/sheets/sheet.ts'
import { callApi } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { useSheetDownload } from '../use-sheet-download.ts'
import styles from './check.module.css'

/** Offers the other way to fix issues: download the wage sheet with issues in its cells, correct and upload it again. */
export function CorrectInExcelBar(props: {
  batch_id: string
  problems: number
  /** The number of cells corrected here, which the downloaded wage sheet includes. */
  edited: number
  children?: ReactNode
}) {
  const { batch_id, problems: issueCount, edited: editedCount } = props
  const annotatedSheet = useSheetDownload(() => callApi(exportIssues, { batch_id }))
  return (
    <section className={`ui-card ${styles.correct}`} aria-label="在 Excel 里改">
      <h2>在 Excel 里改</h2>
      <p>
        {issueCount > 0 && '下载的表里，每个问题写在那一格的批注里。'}
        {editedCount > 0 && `在这里改过的 ${formatCount(editedCount)} 格也在表里，标成绿色。`}
        修改后重新上传，替换前可预览变化。
      </p>
      <div className="ui-row">
        <ActionButton
          mark="download"
          {...annotatedSheet}
          allowed={issueCount + editedCount > 0 ? true : '没有待处理的问题，也没有在这里改过，不用下载'}
        >
          {issueCount > 0 ? '下载问题清单' : '下载改好的表'}
        </ActionButton>
        {props.children}
      </div>
    </section>
  )
}
