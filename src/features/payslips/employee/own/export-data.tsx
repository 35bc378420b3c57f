import { download } from '../../../../../server/contract/files/files.ts'
import { exportOwnData } from '../../../../../server/contract/payslips/employee-data.ts'
import { downloadFile, useCallMutation } from '../../../../api.ts'
import { BottomSheet } from '../bottom-sheet.tsx'
import styles from '../m.module.css'
import { isViewLockedError } from '../queries.ts'
import { UnlockForm } from '../unlock.tsx'

/** Exports all data stored about the employee: one press, after identity verification. */
export function ExportOwnDataSheet({ onClose }: { onClose: () => void }) {
  const exportData = useCallMutation(exportOwnData, {
    handles: isViewLockedError,
    onSuccess: ({ oss_path, file_name }) => downloadFile(download, { oss_path, file_name }),
  })
  return (
    <BottomSheet open title="下载我的全部资料" onClose={onClose}>
      <p>
        一个压缩包，里面是一份可以直接看的表格，和内容相同的数据文件（JSON）：您的资料和任职经历、可以查看的工资条、确认和反馈、收到的通知和邀请、登录的设备，以及谁看过您的工资条。
      </p>
      <p className="ui-label">里面有您的工资和身份信息，请只保存在自己的设备上。下载会留下记录。</p>
      {exportData.data && (
        <p role="status">
          已开始下载「{exportData.data.file_name}」，其中有 {exportData.data.slips} 张工资条。
        </p>
      )}
      {isViewLockedError(exportData.error) ? (
        <UnlockForm submitLabel="验证并下载" onDone={() => exportData.mutate({})} />
      ) : (
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
            关闭
          </button>
          <button
            type="button"
            className={`ui-button ${styles.button} ${styles.primary}`}
            disabled={exportData.isPending}
            onClick={() => exportData.mutate({})}
          >
            {exportData.isPending ? '正在准备…' : exportData.data ? '再下载一次' : '下载'}
          </button>
        </div>
      )}
    </BottomSheet>
  )
}
