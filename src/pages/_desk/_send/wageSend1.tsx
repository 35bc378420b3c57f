import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate, useRouter } from '@tanstack/react-router'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import { can } from '../../../../server/contract/shared/statuses.ts'
import { isName } from '../../../../server/contract/sheets/column-roles.ts'
import { fetchCache, getLastBatchTitleInfo, type WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery, queryClient } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { type RowAction, RowMenu } from '../../../components/table/row-menu.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { formatShortDateTime } from '../../../components/value/dates.ts'
import { ApplyTemplateDialog } from '../../../features/sheets/arrange/template/apply-template.tsx'
import { SaveTemplateDialog } from '../../../features/sheets/arrange/template/save-template.tsx'
import { CellIssueNote, useCellIssues } from '../../../features/sheets/cell-issue-note.tsx'
import { CorrectSheetButton } from '../../../features/sheets/correct.tsx'
import { parseColumnKey } from '../../../features/sheets/grid/geometry.ts'
import type { FormulaMarks } from '../../../features/sheets/grid/grid-head.tsx'
import { SheetGrid } from '../../../features/sheets/grid/sheet-grid.tsx'
import type { GridTarget } from '../../../features/sheets/grid/use-grid.ts'
import {
  checkCanContinue,
  getMissingRoleLabels,
  getMonthHint,
  guessTitle,
  type TitleGuess,
} from '../../../features/sheets/labels.ts'
import { FormulaPanel } from '../../../features/sheets/questions/formula.tsx'
import { type CellPosition, SheetQuestions } from '../../../features/sheets/questions/questions.tsx'
import { RememberedMapping } from '../../../features/sheets/questions/remembered.tsx'
import { useSheetAnswers } from '../../../features/sheets/questions/use-sheet-answers.ts'
import { useTitleForm } from '../../../features/sheets/questions/use-title-form.ts'
import {
  MissingColumns,
  NotWageSheetNote,
  RecognitionSummary,
  SheetWarnings,
  UnmatchedMembers,
} from '../../../features/sheets/recognition-summary.tsx'
import { parseCellSearch } from '../../../features/sheets/search.ts'
import styles from '../../../features/sheets/send.module.css'
import { TitleForm } from '../../../features/sheets/title-form.tsx'
import { SheetPicker } from '../../../features/sheets/upload/sheet-picker.tsx'
import { UploadFailedNote } from '../../../features/sheets/upload/upload-failed.tsx'
import { UploadAnotherSheet } from '../../../features/sheets/upload/upload-more.tsx'
import { UploadProgress } from '../../../features/sheets/upload/upload-progress.tsx'
import { UploadSheet } from '../../../features/sheets/upload/upload-sheet.tsx'
import { useRunningUpload } from '../../../features/sheets/upload/use-running-upload.ts'
import { AlreadySentNote, saveWizardStep, sheetQuery, useSheetQuery, WizardPage } from '../../../features/sheets/wizard.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const unfinishedQuery = { ...callQuery(fetchCache, {}), staleTime: 0 }

export const Route = createFileRoute('/_desk/_send/wageSend1')({
  staticData: { title: '发工资条', section: 'wage', who: requirePower('2') },
  validateSearch: parseCellSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { batch_id } = parseCellSearch(location.search)
      return batch_id
        ? [prefetchQuery(sheetQuery(batch_id)), prefetchQuery(callQuery(getLastBatchTitleInfo, {}))]
        : prefetchQuery(unfinishedQuery)
    }),
  component: WageSend1,
})

const title = '上传工资表'

/** Step 1: turns an uploaded file into a wage sheet with recognized columns. */
function WageSend1() {
  const { batch_id } = Route.useSearch()
  // Another batch is another page: text typed for one batch must not reach the other.
  return batch_id ? <UploadedBatch key={batch_id} batch_id={batch_id} /> : <UploadStart />
}

function UploadStart() {
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const unfinished = useQuery(unfinishedQuery)
  const wizard = unfinished.data?.wizard
  const runningUpload = useRunningUpload({
    enabled: !busy,
    onDone: (batch_id) => void navigate({ to: '/wageSend1', search: { batch_id }, replace: true }),
  })
  const startOver = () => {
    queryClient.setQueryData(callQuery(fetchCache, {}).queryKey, { wizard: null })
    saveWizardStep(null)
  }
  if (runningUpload.channel)
    return (
      <WizardPage step={0} batch_id={undefined} title={title}>
        <UploadProgress channel={runningUpload.channel} onGiveUp={runningUpload.dismiss} />
      </WizardPage>
    )
  return (
    <WizardPage step={0} batch_id={undefined} title={title}>
      {!busy && <UploadFailedNote started={runningUpload} />}
      {wizard && !busy && (
        <section className={`ui-card ui-row ui-words ${styles.unfinished}`} aria-label="上次没有做完">
          <p className="ui-grow">
            <strong>继续上次：{wizard.title || '未命名的工资表'}</strong>
            <span className="ui-hint"> {formatShortDateTime(wizard.saved_at)} 保存</span>
          </p>
          <Button type="primary" onClick={() => void navigate({ to: `/${wizard.step}`, search: { batch_id: wizard.batch_id } })}>
            继续
          </Button>
          <Button onClick={startOver}>重新开始</Button>
        </section>
      )}
      {/*
       * Unfinished batches are listed above: rendering the upload earlier would let its button move down under the
       * pointer.
       */}
      {unfinished.isFetched ? <UploadSheet primary={!wizard} onBusy={setBusy} /> : <Skeleton rows={6} />}
    </WizardPage>
  )
}

function UploadedBatch({ batch_id }: { batch_id: string }) {
  const runningUpload = useRunningUpload({ batch_id, enabled: true, onDone: () => undefined })
  const sheet = useSheetQuery(batch_id)
  const last = useQuery(callQuery(getLastBatchTitleInfo, {}))
  const [today] = useState(() => new Date())
  const allowed = sheet.data ? can.arrange(sheet.data.status) : true
  if (runningUpload.channel)
    return (
      <WizardPage step={0} batch_id={batch_id} title={title}>
        {runningUpload.by && <p>{runningUpload.by}正在换这一批的工资表，换好后会自动显示。</p>}
        <UploadProgress channel={runningUpload.channel} {...(runningUpload.by ? {} : { onGiveUp: runningUpload.dismiss })} />
      </WizardPage>
    )
  if (sheet.data && last.data && allowed === true)
    return <SheetReview info={sheet.data} guess={guessTitle(sheet.data, last.data.last, today)} today={today} />
  const error = sheet.error ?? last.error
  return (
    <WizardPage step={0} batch_id={batch_id} title={title}>
      {allowed !== true ? (
        <AlreadySentNote batch_id={batch_id} why={allowed} />
      ) : error ? (
        <ErrorState error={error} retry={() => void Promise.all([sheet.refetch(), last.refetch()])} />
      ) : (
        <Skeleton rows={10} />
      )}
    </WizardPage>
  )
}

/** Returns the cell to show: the one selected on this page, otherwise the one in the address. */
function useGridTarget(info: WageSheetInfo) {
  const search = Route.useSearch()
  const [selected, setSelected] = useState<GridTarget | null>(null)
  const getColumnIndex = (key: string | null) =>
    parseColumnKey(key ?? '') ?? parseColumnKey(info.columns.find(({ role }) => isName(role))?.key ?? 'c0') ?? 0
  const { row, col } = search
  const linked = useMemo(
    () => (row === undefined && col === undefined ? null : { row: row ?? null, col: parseColumnKey(col ?? '') ?? 0 }),
    [row, col],
  )
  const issues = useCellIssues(search)
  return {
    search,
    target: selected ?? linked,
    sent: linked !== null || search.from === 'check',
    problems: issues,
    note: selected ? undefined : issues.map(({ message }) => message).join('；'),
    view: ({ row: at, key }: CellPosition) => setSelected({ row: at, col: getColumnIndex(key) }),
  }
}

type UploadMode = 'again' | 'append' | null
type TemplateDialogKind = 'use' | 'save' | null
const getMoreActions = (
  info: WageSheetInfo,
  openUpload: (what: UploadMode) => void,
  openTemplate: (what: TemplateDialogKind) => void,
): RowAction[] => [
  { key: 'again', label: '换一份表，重新开始', onClick: () => openUpload('again') },
  {
    key: 'append',
    label: '给这个工资条再加一张表',
    allowed: info.title ? true : '先核对这一张',
    onClick: () => openUpload('append'),
  },
  { key: 'use', label: '用已存的模板', onClick: () => openTemplate('use') },
  { key: 'save', label: '把这些设置存为模板', onClick: () => openTemplate('save') },
]

/**
 * Continues to the check of this batch. `continueIfStillHere` continues after the last question was answered, unless
 * the user has left the page or switched to another batch meanwhile.
 */
function useContinue(batch_id: string) {
  const navigate = useNavigate()
  const router = useRouter()
  const continueToCheck = () => navigate({ to: '/check', search: { batch_id } })
  const continueIfMounted = (isReady: () => Promise<boolean>) => {
    const { href } = router.latestLocation
    return async (): Promise<void> => {
      if ((await isReady()) && router.latestLocation.href === href) await continueToCheck()
    }
  }
  return { goOn: continueToCheck, fromCurrent: continueIfMounted }
}

function SheetReview({ info, guess, today }: { info: WageSheetInfo; guess: TitleGuess; today: Date }) {
  const { batch_id } = info
  const { goOn: continueToCheck, fromCurrent: continueIfMounted } = useContinue(batch_id)
  const titleForm = useTitleForm(batch_id, guess)
  const answers = useSheetAnswers(info)
  const [uploadMode, setUploadMode] = useState<UploadMode>(null)
  const [templateDialog, setTemplateDialog] = useState<TemplateDialogKind>(null)
  const [marks, setMarks] = useState<FormulaMarks | null>(null)
  const gridTarget = useGridTarget(info)
  const busy = answers.isSaving || answers.isChoosing
  const missingLabels = getMissingRoleLabels(info)
  const visibleMissing = missingLabels.length ? missingLabels : answers.messages
  const saveAndContinue = () => titleForm.save(continueIfMounted(answers.check))
  const allowed = checkCanContinue(info, titleForm.name.month)
  return (
    <WizardPage
      step={0}
      batch_id={batch_id}
      title={title}
      note={<span className={styles.file}>{info.file_name}</span>}
      action={
        <>
          <SheetPicker info={info} busy={answers.isChoosing} onSheets={answers.onSheets} />
          <CorrectSheetButton batch_id={batch_id} onDone={() => setUploadMode(null)} />
          <RowMenu label="这份工资表" acts={getMoreActions(info, setUploadMode, setTemplateDialog)} />
        </>
      }
      foot={
        <>
          <RecognitionSummary info={info} result={allowed} />
          <ActionButton
            type="primary"
            size="large"
            allowed={allowed}
            loading={titleForm.isSaving || answers.isSaving}
            onClick={() => void saveAndContinue()}
          >
            核对 {formatCount(info.rows)} 人
          </ActionButton>
        </>
      }
    >
      {uploadMode && <UploadAnotherSheet info={info} adding={uploadMode} onClose={() => setUploadMode(null)} />}
      <section className="ui-card" aria-label="标题和月份">
        <TitleForm
          value={titleForm.name}
          errors={titleForm.errors}
          hint={getMonthHint(info, today)}
          onChange={titleForm.setName}
          onSubmit={() => allowed === true && void saveAndContinue()}
        />
      </section>
      {gridTarget.sent && <CellIssueNote search={gridTarget.search} problems={gridTarget.problems} info={info} />}
      {/* One box for everything that is asked about the sheet. */}
      <div className={styles.questions}>
        <RememberedMapping info={info} onView={(key) => gridTarget.view({ row: null, key })} />
        <SheetWarnings info={info} />
        <NotWageSheetNote info={info} onAgain={() => setUploadMode('again')} />
        <SheetQuestions info={info} busy={busy} onAnswer={answers.answer} onView={gridTarget.view} />
        {answers.strangers > 0 && (
          <UnmatchedMembers
            key={answers.strangers}
            count={answers.strangers}
            onGoOn={visibleMissing.length ? null : () => void continueToCheck()}
          />
        )}
        <MissingColumns info={info} labels={visibleMissing} busy={busy} onRole={answers.onRole} />
        <FormulaPanel info={info} busy={busy} onSave={(formula) => answers.set({ formula })} onPoint={setMarks} />
      </div>
      <SheetGrid
        info={info}
        busy={busy}
        target={gridTarget.target}
        note={gridTarget.note}
        onRole={answers.onRole}
        {...(marks ? { marks } : {})}
      />
      <ApplyTemplateDialog open={templateDialog === 'use'} batch_id={batch_id} onClose={() => setTemplateDialog(null)} />
      <SaveTemplateDialog open={templateDialog === 'save'} sheet={info} onClose={() => setTemplateDialog(null)} />
    </WizardPage>
  )
}
