import { useIsMutating, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { getImport, type ImportInfo, uploadMembers } from '../../../../server/contract/people/import.ts'
import type { ImportState } from '../../../../server/contract/words/vocabulary.ts'
import { query } from '../../../api.ts'
import { PageHead } from '../../../ui/page/page-head.tsx'
import type { PageSearch } from '../../../ui/search.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Progress } from '../../../ui/state/progress.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { Hint } from '../../home/hint.tsx'
import { UploadArea } from '../../sheet/upload/upload-area.tsx'
import { Columns } from './columns.tsx'
import styles from './import.module.css'
import { ImportPlan } from './plan.tsx'
import { ImportResult } from './result.tsx'
import { useImportFile } from './use-import.ts'

const words = {
  what: '花名册',
  hint: '人事系统、钉钉、飞书、企业微信导出的都行，不用改格式。导入之前先给您看会改什么',
  sample: 'member',
} as const

const isWorking = ({ stage, held }: ImportInfo) => held && stage === 'applying'

/** A roster: dropped, looked at, carried out, taken back. */
export function ImportPage({ search }: { search: PageSearch & { state?: ImportState | undefined } }) {
  const navigate = useNavigate()
  const uploading = useImportFile()
  /** The one that is over, and of which nothing more is to be seen. */
  const [past, setPast] = useState<string | null>(null)
  /** The one whose people were invited from here. */
  const [invited, setInvited] = useState<string | null>(null)
  /** From here: how far it is is asked from the press on, not only by whoever comes back to it. */
  const carrying = useIsMutating({ predicate: ({ options }) => options.scope?.id === uploadMembers.at }) > 0
  const asked = useQuery({
    ...query(getImport, {}),
    staleTime: 0,
    refetchInterval: ({ state }) => (carrying || (state.data?.import && isWorking(state.data.import)) ? 500 : false),
  })
  const now = asked.data?.import ?? null
  const shown = now && now.import_id !== past && !['undone', 'waiting', 'reading'].includes(now.stage) ? now : null
  const bring = (file: File) => {
    setPast(now?.import_id ?? null)
    void uploading.bring(file)
  }
  const onInvited = () => setInvited(now?.import_id ?? null)
  const again = () => setPast(now?.import_id ?? null)
  const isPlan = shown !== null && (shown.stage === 'planned' || (shown.stage === 'applying' && !shown.held))
  return (
    <div className="ui-page">
      <PageHead
        title="导入花名册"
        note={
          shown && !uploading.way ? (
            <span className={styles.file} title={shown.file_name}>
              {shown.file_name}
            </span>
          ) : undefined
        }
        action={
          <>
            {isPlan && !uploading.way && (
              <>
                <Columns key={shown.import_id} info={shown} />
                <Button onClick={again}>换一份文件</Button>
              </>
            )}
            <Button onClick={() => void navigate({ to: '/companyMember', search: {} })}>返回花名册</Button>
          </>
        }
      />
      {(!shown || isPlan) && <Hint of="import" />}
      {uploading.way || (asked.data && !shown) ? (
        <UploadArea uploading={uploading} words={words} primary onFile={bring} />
      ) : !asked.data ? (
        asked.error ? (
          <ErrorState error={asked.error} retry={() => void asked.refetch()} />
        ) : (
          <Skeleton />
        )
      ) : shown && isPlan ? (
        <ImportPlan key={shown.import_id} info={shown} search={search} onInvited={onInvited} />
      ) : shown && isWorking(shown) ? (
        <section className={`ui-card ${styles.working}`} role="status">
          <Progress label="正在导入" done={shown.done} total={shown.total} unit="人" />
          <p className="ui-hint">全部完成才会生效；中途断开什么也不会改变，可以重新导入。</p>
        </section>
      ) : (
        shown && (
          <ImportResult
            key={shown.import_id}
            info={shown}
            invited={invited === shown.import_id}
            onInvited={onInvited}
            onAgain={again}
          />
        )
      )}
    </div>
  )
}
