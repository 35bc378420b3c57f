import { Button } from 'antd'
import { useState } from 'react'
import { enterCorp, splitSheet, uploadSplit } from '../../../server/contract/agency/agency.ts'
import type { CallRequest } from '../../../server/contract/call.ts'
import { useCallMutation } from '../../api.ts'
import { Dropdown } from '../../components/form/select.tsx'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { ProgressBar } from '../../components/state/progress.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { FileError, FilePicker, useFilePreview } from '../tax/import/file-picker.tsx'
import taxStyles from '../tax/tax.module.css'
import styles from './agency.module.css'
import {
  type CompanyAssignments,
  type CompanyUpload,
  canAssignCompany,
  groupByCompany,
  type SplitResult,
  type SplitSection,
  splitReasonLabels,
} from './split.ts'
import { switchSession } from './switch-session.ts'

type UploadResult = { readonly bundle: CompanyUpload; readonly batch_id: string | null; readonly error: string | null }

/** Splits one sheet of several companies' employees: first shows which belongs where, then uploads each part. */
export function SplitSheetDialog({ onClose }: { onClose: () => void }) {
  const [assignments, setAssignments] = useState<CompanyAssignments>({})
  const [uploaded, setUploaded] = useState<readonly UploadResult[] | null>(null)
  const [busy, setBusy] = useState(false)
  const previewSplit = useCallMutation(splitSheet, { handles: () => true })
  const upload = useCallMutation(uploadSplit, { handles: () => true })
  const {
    file,
    error,
    take: selectFile,
  } = useFilePreview((selectedFile) => {
    setAssignments({})
    // The file is sent in addition to the fields of the contract.
    const request: CallRequest<typeof splitSheet> = {}
    return previewSplit.mutateAsync(Object.assign(request, { file: selectedFile }))
  })
  const split = file && !previewSplit.isPending ? previewSplit.data : undefined
  const bundles = split ? groupByCompany(split, assignments) : []
  const uploadAll = async () => {
    setBusy(true)
    let results: readonly UploadResult[] = []
    setUploaded(results)
    // Uploads run one after the other: if one fails, the others still run.
    for (const bundle of bundles) {
      const input = { file, corp_id: bundle.corp_id, labels: bundle.labels.join('\n') }
      try {
        const { batch_id } = await upload.mutateAsync(input)
        results = [...results, { bundle, batch_id, error: null }]
      } catch (thrown) {
        results = [...results, { bundle, batch_id: null, error: thrown instanceof Error ? thrown.message : String(thrown) }]
      }
      setUploaded(results)
    }
    setBusy(false)
  }
  return (
    <Dialog
      open
      width={760}
      title="多企业工资表拆分"
      {...(split && !uploaded ? { action: `上传到 ${new Set(bundles.map(({ corp_id }) => corp_id)).size} 家企业` } : {})}
      allowed={bundles.length === 0 ? '没有能上传的部分' : true}
      {...(uploaded && !busy ? { result: { text: '完成', onPress: onClose } } : {})}
      busy={busy}
      onConfirm={() => void uploadAll()}
      onClose={onClose}
    >
      {uploaded ? (
        <UploadResults done={uploaded} total={bundles.length} left={countRemainingRows(split, bundles)} />
      ) : (
        <div className={taxStyles.form}>
          <p className="ui-label">
            表里有一列写着企业名称，或者每家企业一张工作表。先看清楚每一行是谁家的，再分别上传；只上传到授权给您的企业，别家的行不会带过去。
          </p>
          <div className="ui-row">
            <FilePicker
              file={file}
              buttonLabel="选择工资表"
              label="多家企业的工资表"
              busy={previewSplit.isPending}
              onFile={selectFile}
            />
          </div>
          <FileError error={error} />
          {previewSplit.isPending && <Skeleton rows={4} />}
          {split && <SplitSections separate={split} message={assignments} onMessage={setAssignments} />}
        </div>
      )}
    </Dialog>
  )
}

function SplitSections({
  separate: split,
  message: assignments,
  onMessage: onAssign,
}: {
  separate: SplitResult
  message: CompanyAssignments
  onMessage: (said: CompanyAssignments) => void
}) {
  const names = new Map(split.served_companies.map(({ corp_id, name }) => [corp_id, name]))
  return (
    <>
      <p className="ui-hint">{split.by === 'sheet' ? '按工作表的名称拆开' : `按「${split.column ?? ''}」列拆开`}</p>
      <ul className={styles.parts} aria-label="每家企业的行">
        {split.sections.map((section) => (
          <li key={section.label} data-open={section.reason === null || assignments[section.label] ? '' : undefined}>
            <strong>{section.label || '没有写企业的行'}</strong>
            <span className={styles.rows}>{section.rows} 行</span>
            {section.reason === null ? (
              <span className="ui-label">{formatTarget(section, names)}</span>
            ) : (
              <AssignCompany part={section} separate={split} message={assignments} onMessage={onAssign} />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function AssignCompany(props: {
  part: SplitSection
  separate: SplitResult
  message: CompanyAssignments
  onMessage: (said: CompanyAssignments) => void
}) {
  const { part: section, separate: split, message: assignments, onMessage: onAssign } = props
  const { label, reason } = section
  if (reason === null || !canAssignCompany(section))
    return <span className={styles.why}>{splitReasonLabels[reason ?? 'unknown']}</span>
  const options = split.served_companies
    .filter(({ name }) => reason !== 'several' || name.replace(/\s/g, '') === label.replace(/\s/g, ''))
    .map(({ corp_id, name }) => ({ value: corp_id, label: name }))
  const assign = (next: string | number) => onAssign({ ...assignments, [label]: typeof next === 'string' ? next : '' })
  return (
    <>
      <span className={styles.why}>{splitReasonLabels[reason]}</span>
      <Dropdown
        label={`「${label}」是哪家企业`}
        allLabel="不上传"
        width={220}
        options={options}
        value={assignments[label] || undefined}
        onChange={assign}
      />
    </>
  )
}

/** Formats the company of a section; adds its registered name if the file spells it differently. */
function formatTarget({ label, corp_id }: SplitSection, names: ReadonlyMap<string, string>): string {
  const name = names.get(corp_id ?? '') ?? ''
  return name === label ? '可以上传' : `上传到 ${name}`
}

const countRemainingRows = (split: SplitResult | undefined, bundles: readonly CompanyUpload[]): number =>
  (split?.sections ?? []).reduce((sum, { rows }) => sum + rows, 0) - bundles.reduce((sum, { rows }) => sum + rows, 0)

function UploadResults({
  done: results,
  total,
  left: remainingRows,
}: {
  done: readonly UploadResult[]
  total: number
  left: number
}) {
  return (
    <>
      {results.length < total && <ProgressBar label="正在上传" done={results.length} total={total} unit="份" />}
      <ul className={styles.parts} aria-label="上传结果" aria-live="polite">
        {results.map(({ bundle, batch_id, error }) => (
          <li key={bundle.key} data-open={batch_id ? '' : undefined}>
            <strong>{bundle.name}</strong>
            {batch_id ? (
              <>
                <span className="ui-label">已上传 {bundle.rows} 行</span>
                <OpenDraftButton bundle={bundle} batch_id={batch_id} isLast={results.length === total} />
              </>
            ) : (
              <span className={styles.why}>{error}</span>
            )}
          </li>
        ))}
      </ul>
      {remainingRows > 0 && <p className="ui-hint">另有 {remainingRows} 行没有上传，不属于这些企业。</p>}
    </>
  )
}

/** Opens the draft in that company. This switches the session, so it is enabled only after all uploads. */
function OpenDraftButton({ bundle, batch_id, isLast }: { bundle: CompanyUpload; batch_id: string; isLast: boolean }) {
  const enter = useCallMutation(enterCorp, { onSuccess: ({ token }) => switchSession(token, `/wageSend1?batch_id=${batch_id}`) })
  return (
    <Button
      disabled={!isLast}
      aria-label={`进入核对 ${bundle.name}`}
      loading={enter.isPending}
      onClick={() => enter.mutate({ corp_id: bundle.corp_id })}
    >
      进入核对
    </Button>
  )
}
