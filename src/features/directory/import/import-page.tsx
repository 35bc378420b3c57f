import { useIsMutating, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { getImport, type ImportInfo, uploadMembers } from '../../../../server/contract/directory/import.ts'
import type { ImportRowState } from '../../../../server/contract/shared/enums.ts'
import { callQuery } from '../../../api.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import type { PageParams } from '../../../components/search-params.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { ProgressBar } from '../../../components/state/progress.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { OnboardingHint } from '../../company/home/hint.tsx'
import { UploadArea } from '../../sheets/upload/upload-area.tsx'
import { ColumnRolesDialog } from './columns.tsx'
import styles from './import.module.css'
import { ImportPlan } from './plan.tsx'
import { BackToCheckButton, ImportResult } from './result.tsx'
import { useRosterUpload } from './use-import.ts'

const uploadTexts = {
  subject: '花名册',
  hint: '人事系统、钉钉、飞书、企业微信导出的文件可直接上传；导入前可预览变化',
  sample: 'member',
} as const

const isApplying = ({ stage, is_running }: ImportInfo) => is_running && stage === 'applying'

/** The roster import: upload, review, apply, undo. */
export function RosterImportPage({
  search,
}: {
  search: PageParams & { state?: ImportRowState | undefined; batch?: string | undefined }
}) {
  const navigate = useNavigate()
  const uploading = useRosterUpload()
  /** The finished import that the user dismissed. */
  const [dismissedId, setDismissedId] = useState<string | null | undefined>()
  /** The import whose members were invited from here. */
  const [invitedImportId, setInvitedImportId] = useState<string | null>(null)
  /** Progress is polled from the moment an upload starts on this page, not only after returning to it. */
  const isStarting = useIsMutating({ predicate: ({ options }) => options.scope?.id === uploadMembers.route }) > 0
  const importQuery = useQuery({
    ...callQuery(getImport, {}),
    staleTime: 0,
    refetchInterval: ({ state }) => (isStarting || (state.data?.import && isApplying(state.data.import)) ? 500 : false),
  })
  const current = importQuery.data?.import ?? null
  // An import that had finished before the page was opened does not stand in the way of a new one.
  if (dismissedId === undefined && importQuery.data) setDismissedId(current?.stage === 'done' ? current.import_id : null)
  const visibleImport =
    current && current.import_id !== dismissedId && !['undone', 'waiting', 'reading'].includes(current.stage) ? current : null
  const uploadFile = (file: File) => {
    setDismissedId(current?.import_id ?? null)
    void uploading.bring(file)
  }
  const onInvited = () => setInvitedImportId(current?.import_id ?? null)
  const dismiss = () => setDismissedId(current?.import_id ?? null)
  const isPlan =
    visibleImport !== null &&
    (visibleImport.stage === 'planned' || (visibleImport.stage === 'applying' && !visibleImport.is_running))
  return (
    <div className="ui-page">
      <PageHeader
        title="导入花名册"
        note={
          visibleImport && !uploading.channel ? (
            <span className={styles.file} title={visibleImport.file_name}>
              {visibleImport.file_name}
            </span>
          ) : undefined
        }
        help={(!visibleImport || isPlan) && <OnboardingHint of="import" />}
        action={
          <>
            {isPlan && !uploading.channel && (
              <>
                <ColumnRolesDialog key={visibleImport.import_id} info={visibleImport} />
                <Button onClick={dismiss}>更换文件</Button>
              </>
            )}
            {search.batch ? (
              <BackToCheckButton batch_id={search.batch} />
            ) : (
              <Button onClick={() => void navigate({ to: '/companyMember', search: {} })}>返回花名册</Button>
            )}
          </>
        }
      />
      {uploading.channel || (importQuery.data && !visibleImport) ? (
        <>
          <UploadArea uploading={uploading} texts={uploadTexts} primary onFile={uploadFile} />
          {current?.stage === 'done' && !uploading.channel && (
            <p className="ui-hint">
              上次导入「{current.file_name}」
              <Button type="link" size="small" onClick={() => setDismissedId(null)}>
                查看结果
              </Button>
            </p>
          )}
        </>
      ) : !importQuery.data ? (
        importQuery.error ? (
          <ErrorState error={importQuery.error} retry={() => void importQuery.refetch()} />
        ) : (
          <Skeleton />
        )
      ) : visibleImport && isPlan ? (
        <ImportPlan key={visibleImport.import_id} info={visibleImport} search={search} onInvited={onInvited} />
      ) : visibleImport && isApplying(visibleImport) ? (
        <section className={`ui-card ${styles.working}`} role="status">
          <ProgressBar label="正在导入" done={visibleImport.done} total={visibleImport.total} unit="人" />
          <p className="ui-hint">全部完成后生效；中途断开不会改变任何资料，可重新导入。</p>
        </section>
      ) : (
        visibleImport && (
          <ImportResult
            key={visibleImport.import_id}
            info={visibleImport}
            invited={invitedImportId === visibleImport.import_id}
            onInvited={onInvited}
            onAgain={dismiss}
            batch_id={search.batch}
          />
        )
      )}
    </div>
  )
}
