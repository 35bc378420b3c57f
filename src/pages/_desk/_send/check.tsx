import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { issueKinds } from '../../../../server/contract/shared/schemas.ts'
import { checkIsWageSheet } from '../../../../server/contract/shared/statuses.ts'
import { checkWageData, type getTitleInfo, type WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { isFocusLost } from '../../../components/form/focus.ts'
import { Icon } from '../../../components/icon.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { parseEnum, parseText } from '../../../components/search-params.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { CombinedRows } from '../../../features/sheets/check/combined.tsx'
import { CorrectInExcelBar } from '../../../features/sheets/check/correct-bar.tsx'
import { issueLabels } from '../../../features/sheets/check/issue-labels.ts'
import type { SolvedIssue } from '../../../features/sheets/check/issue-list.tsx'
import { type IssueSearch, IssuesPanel } from '../../../features/sheets/check/issues.tsx'
import { LastEditBar } from '../../../features/sheets/check/last-edit.tsx'
import { getOpenQuestions, OpenQuestions } from '../../../features/sheets/check/open-questions.tsx'
import { SkippedRows } from '../../../features/sheets/check/skipped.tsx'
import { CheckTotals, LargestChanges, MemberChanges } from '../../../features/sheets/check/totals.tsx'
import { CorrectSheetButton } from '../../../features/sheets/correct.tsx'
import { hasExistingLayout } from '../../../features/sheets/labels.ts'
import { type BatchSearch, parseBatchSearch } from '../../../features/sheets/search.ts'
import styles from '../../../features/sheets/send.module.css'
import { RequireBatch, sheetQuery, useSheetQuery, WizardPage } from '../../../features/sheets/wizard.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

type CheckResult = CallOutput<typeof checkWageData>
type BatchSheet = CallOutput<typeof getTitleInfo>
const issueLevels = ['error', 'warning'] as const
type CheckSearch = BatchSearch & IssueSearch

export const Route = createFileRoute('/_desk/_send/check')({
  staticData: { title: '核对工资表', section: 'wage', who: requirePower('2') },
  validateSearch: (raw): CheckSearch => ({
    ...parseBatchSearch(raw),
    kind: parseEnum(raw.kind, issueKinds),
    level: parseEnum(raw.level, issueLevels),
    find: parseText(raw.find),
  }),
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { batch_id } = parseBatchSearch(location.search)
      return batch_id && [prefetchQuery(sheetQuery(batch_id)), prefetchQuery(callQuery(checkWageData, { batch_id }))]
    }),
  component: Check,
})

const title = '核对'

/** Step 2: totals compared with last month, and all errors and warnings. */
function Check() {
  const { batch_id } = Route.useSearch()
  return (
    <RequireBatch step={1} title={title} batch_id={batch_id}>
      {(id) => <CheckLoader key={id} batch_id={id} />}
    </RequireBatch>
  )
}

function CheckLoader({ batch_id }: { batch_id: string }) {
  const checkResult = useQuery(callQuery(checkWageData, { batch_id }))
  const sheet = useSheetQuery(batch_id).data
  if (checkResult.data)
    return <CheckContent batch_id={batch_id} checked={checkResult.data} sheet={sheet} busy={checkResult.isFetching} />
  return (
    <WizardPage step={1} batch_id={batch_id} title={title}>
      {checkResult.error ? (
        <ErrorState error={checkResult.error} retry={() => void checkResult.refetch()} />
      ) : (
        <>
          <p role="status">正在逐行核对，人多时需要十几秒…</p>
          <Skeleton rows={8} />
        </>
      )}
    </WizardPage>
  )
}

function CheckContent(props: { batch_id: string; checked: CheckResult; sheet: BatchSheet | undefined; busy: boolean }) {
  const { batch_id, checked: checkResult, sheet, busy } = props
  const { counts } = checkResult
  const { kind, level, find } = Route.useSearch()
  const navigate = useNavigate()
  const [solvedIssue, setSolvedIssue] = useState<SolvedIssue | null>(null)
  const [isConfirmOpen, setConfirmOpen] = useState(false)
  const nextStep = getNextStep(sheet)
  const goToNextStep = () => void navigate({ to: nextStep.to, search: { batch_id } })
  // Of a batch of which a part was sent, the rest is checked.
  const isRest = sheet?.status === 'sent'
  const peopleCount = isRest ? sheet.unsent_count : counts.totals.people
  const onSearch = useCallback(
    (search: IssueSearch) => void navigate({ to: '/check', search: { batch_id, ...search }, replace: true }),
    [navigate, batch_id],
  )
  const allowed = checkCanContinue(counts, sheet)
  const paidCount = counts.kinds.find(({ kind }) => kind === 'same_month')?.count ?? 0
  return (
    <WizardPage
      step={1}
      batch_id={batch_id}
      title={title}
      note={<span className={styles.file}>{sheet?.title?.title ?? sheet?.file_name}</span>}
      foot={
        <>
          <OpenIssueCount counts={counts} />
          {nextStep.passes && !isRest && <ExistingLayoutNote batch_id={batch_id} />}
          <ActionButton
            type="primary"
            size="large"
            allowed={allowed}
            onClick={() => (counts.warnings > 0 ? setConfirmOpen(true) : goToNextStep())}
          >
            {nextStep.labelTexts(peopleCount)}
          </ActionButton>
        </>
      }
    >
      <CheckTotals counts={counts} />
      <OpenQuestions batch_id={batch_id} sheet={sheet} />
      {counts.kinds.length === 0 ? (
        <>
          <NoIssuesNote people={peopleCount} after={solvedIssue !== null} />
          <LargestChanges batch_id={batch_id} changes={checkResult.largest_changes} last={counts.previous} />
          <LastEditBar batch_id={batch_id} edit={checkResult.last_edit} busy={busy} />
          {!isRest && checkResult.edited_cell_count > 0 && (
            <CorrectInExcelBar batch_id={batch_id} problems={0} edited={checkResult.edited_cell_count} />
          )}
        </>
      ) : (
        <IssuesPanel
          batch_id={batch_id}
          checked={checkResult}
          fetching={busy}
          search={{ kind, level, find }}
          solved={solvedIssue}
          onSolve={setSolvedIssue}
          onSearch={onSearch}
        >
          {!isRest && (
            <CorrectInExcelBar
              batch_id={batch_id}
              problems={counts.errors + counts.warnings}
              edited={checkResult.edited_cell_count}
            >
              <CorrectSheetButton batch_id={batch_id} onDone={() => onSearch({})} />
            </CorrectInExcelBar>
          )}
        </IssuesPanel>
      )}
      <CombinedRows batch_id={batch_id} people={checkResult.combined} busy={busy} />
      <SkippedRows batch_id={batch_id} count={counts.skipped} rows={checkResult.skipped} busy={busy} />
      <MemberChanges new_members={checkResult.new_members} missing_members={checkResult.missing_members} last={counts.previous} />
      <ConfirmDialog
        open={isConfirmOpen}
        title={paidCount > 0 ? `${formatCount(paidCount)} 人本月已发过工资条，确定再次发送？` : '还有提醒没有确认，仍然继续？'}
        action={paidCount > 0 ? nextStep.again(peopleCount) : nextStep.still(peopleCount)}
        onConfirm={goToNextStep}
        onClose={() => setConfirmOpen(false)}
      >
        <p>有 {formatCount(counts.warnings)} 个提醒没有处理：</p>
        <ul className={styles.list}>
          {counts.kinds.map((group) => (
            <li key={`${group.kind}:${group.level}`}>
              {issueLabels[group.kind].name} {formatCount(group.count)} 个
            </li>
          ))}
        </ul>
        <p>金额会照表里的数字发给员工。</p>
      </ConfirmDialog>
    </WizardPage>
  )
}

/** Returns true if step 3 can follow, or the reason why it cannot. */
function checkCanContinue({ errors, totals }: CheckResult['counts'], sheet: WageSheetInfo | undefined): true | string {
  const isWageSheet = sheet ? checkIsWageSheet(sheet) : true
  if (isWageSheet !== true) return isWageSheet
  const open = getOpenQuestions(sheet).length
  if (open > 0) return `还有 ${formatCount(open)} 个问题没有回答，请回到第 1 步`
  if (errors > 0) return `还有 ${formatCount(errors)} 个必须处理的问题，处理完才能继续`
  return totals.people > 0 || '没有可以发送的人'
}

/** Returns the step that follows. If the layout is the same as last time, the layout step is skipped. */
function getNextStep(sheet: WageSheetInfo | undefined) {
  const skipsLayout = sheet !== undefined && (sheet.status === 'sent' || hasExistingLayout(sheet))
  return skipsLayout
    ? {
        passes: skipsLayout,
        to: '/wageSend3' as const,
        labelTexts: (people: number) => `发送 ${formatCount(people)} 人…`,
        still: (people: number) => `仍然发送 ${formatCount(people)} 人…`,
        again: (people: number) => `再次发送 ${formatCount(people)} 人…`,
      }
    : {
        passes: skipsLayout,
        to: '/wageSend2' as const,
        labelTexts: (people: number) => `排版 ${formatCount(people)} 人的工资条`,
        still: (people: number) => `仍然排版 ${formatCount(people)} 人`,
        again: (people: number) => `再次发送 ${formatCount(people)} 人，先排版`,
      }
}

const ExistingLayoutNote = ({ batch_id }: { batch_id: string }) => (
  <Link to="/wageSend2" search={{ batch_id }} className="ui-button">
    排版和上次一样，看一看
  </Link>
)

const OpenIssueCount = ({ counts }: Pick<CheckResult, 'counts'>) => (
  <span className="ui-grow ui-hint" role="status">
    {counts.errors > 0 && `还有 ${formatCount(counts.errors)} 个问题必须处理`}
    {counts.errors > 0 && counts.warnings > 0 && '，'}
    {counts.warnings > 0 && `${formatCount(counts.warnings)} 个提醒请看一下`}
  </span>
)

/** States that no issues are left. It receives the focus after the last issue was solved. */
function NoIssuesNote({ people: count, after: isAfterFix }: { people: number; after: boolean }) {
  const section = useRef<HTMLElement>(null)
  // The list that had the focus is gone.
  useEffect(() => {
    if (isAfterFix && isFocusLost()) section.current?.focus()
  }, [isAfterFix])
  return (
    <section ref={section} className={`ui-card ${styles.clear}`} tabIndex={-1}>
      <Icon name="check" size={24} />
      <p>
        <strong>{formatCount(count)} 人核对完成，没有待处理的问题</strong>
        {!isAfterFix && (
          <>
            <br />
            全员已匹配花名册，金额没有需要确认的地方。
          </>
        )}
      </p>
    </section>
  )
}
