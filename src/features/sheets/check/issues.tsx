import { Button } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { editMemberInfo } from '../../../../server/contract/directory/members.ts'
import type { IssueKind } from '../../../../server/contract/shared/schemas.ts'
import type { checkWageData, Issue } from '../../../../server/contract/sheets/sheet.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { useCanAccess } from '../../../session.ts'
import { getColumnName } from '../labels.ts'
import { useSheetQuery } from '../wizard.tsx'
import { type PhoneUpdate, UpdatePhoneDialog } from './card/update-phone.tsx'
import styles from './check.module.css'
import { type BulkFix, getBulkFixes, getBulkFixLabels, toFixAction } from './issue-fixes.ts'
import { getIssueGroupId, IssueGroups } from './issue-groups.tsx'
import { formatRowLabel, issueLabels } from './issue-labels.ts'
import { IssueList, type SolvedIssue } from './issue-list.tsx'
import { IssueKindHeader } from './kind-head.tsx'
import { LastEditBar } from './last-edit.tsx'
import { MissingPhoneActions } from './missing-phones.tsx'
import { useIssueFixes } from './use-issue-fixes.ts'
import { useIssueList } from './use-issue-list.ts'

export type IssueSearch = { kind?: IssueKind | undefined; level?: Issue['level'] | undefined; find?: string | undefined }

/** All errors and warnings by kind; fixed one by one or in bulk, with undo where the server supports it. */
export function IssuesPanel(props: {
  batch_id: string
  checked: CallOutput<typeof checkWageData>
  fetching: boolean
  search: IssueSearch
  solved: SolvedIssue | null
  onSolve: (solved: SolvedIssue) => void
  onSearch: (search: IssueSearch) => void
  /** Content next to the list of kinds. */
  children: ReactNode
}) {
  const { batch_id, checked: checkResult, search, onSearch } = props
  const { kinds: groups } = checkResult.counts
  const selected =
    groups.find((group) => group.kind === search.kind && (!search.level || group.level === search.level)) ?? groups[0]
  const { listed, matches, total, more, busy: isLoadingMore } = useIssueList(batch_id, checkResult, selected, search.find)
  const sheet = useSheetQuery(batch_id).data
  const columns = sheet?.columns ?? []
  const columnLabels = useMemo(() => new Map(sheet?.columns.map((group) => [group.key, getColumnName(group)])), [sheet?.columns])
  const canAccess = useCanAccess()
  const [phoneUpdate, setPhoneUpdate] = useState<PhoneUpdate | null>(null)
  const [pendingFix, setPendingFix] = useState<BulkFix | null>(null)
  const { run: runFixes, done, wrong: fieldError, isPending } = useIssueFixes(batch_id, () => setPendingFix(null))
  const busy = isPending || props.fetching
  if (!selected) return null
  const isOnlyLevel = groups.filter((group) => group.kind === selected.kind).length === 1

  const runBulkFix = (all: BulkFix) => {
    props.onSolve({ id: '', index: 0 })
    runFixes(all.actions, all.count, listed)
  }
  return (
    <div className={styles.root}>
      <div className={styles.side}>
        <IssueGroups kinds={groups} selected={selected} onChoose={({ kind, level }) => onSearch({ kind, level })} />
        {props.children}
      </div>
      <section className="ui-card" aria-label={issueLabels[selected.kind].name}>
        <IssueKindHeader
          key={getIssueGroupId(selected)}
          kind={selected}
          fixes={getBulkFixes(selected, listed, isOnlyLevel)}
          busy={busy}
          find={search.find}
          onFind={(find) => onSearch({ kind: selected.kind, level: selected.level, find })}
          onFixAll={(bulkFix) =>
            getBulkFixLabels(bulkFix, selected).asks === null ? runBulkFix(bulkFix) : setPendingFix(bulkFix)
          }
        />
        {selected.kind === 'no_contact' && <MissingPhoneActions batch_id={batch_id} />}
        <FixResultLine done={done} busy={busy} onUndo={(undo) => runFixes(undo, undo.length, [])} />
        <LastEditBar batch_id={batch_id} edit={checkResult.last_edit} busy={busy} />
        <IssueList
          key={`${getIssueGroupId(selected)}:${search.find ?? ''}`}
          batch_id={batch_id}
          issues={matches}
          columns={columns}
          formatRow={(row) => formatRowLabel(row, sheet?.parts)}
          getColumnLabel={(column) => columnLabels.get(column ?? '') ?? ''}
          allMessages={listed.map(({ message }) => message)}
          busy={busy}
          error={fieldError}
          solved={props.solved}
          onFix={(group, index) => {
            props.onSolve({ id: group.problem_id, index })
            runFixes([toFixAction(group)], 1, listed)
          }}
          onUpdatePhone={canAccess(editMemberInfo.access) ? setPhoneUpdate : null}
        />
        <LoadMoreIssues
          listed={listed.length}
          total={total}
          match={matches.length}
          find={search.find}
          busy={isLoadingMore}
          onMore={more}
        />
      </section>
      <UpdatePhoneDialog options={phoneUpdate} onClose={() => setPhoneUpdate(null)} />
      <ConfirmBulkFix
        bulkFix={pendingFix}
        group={selected}
        busy={isPending}
        onConfirm={runBulkFix}
        onClose={() => setPendingFix(null)}
      />
    </div>
  )
}

type ConfirmBulkFixProps = {
  bulkFix: BulkFix | null
  group: Parameters<typeof getBulkFixLabels>[1]
  busy: boolean
  onConfirm: (all: BulkFix) => void
  onClose: () => void
}
/** Asks for confirmation before a bulk fix. */
function ConfirmBulkFix({ bulkFix, group, busy, onConfirm, onClose }: ConfirmBulkFixProps) {
  const labels = bulkFix && getBulkFixLabels(bulkFix, group)
  return (
    <ConfirmDialog
      open={bulkFix !== null}
      title={labels ? (labels.title ?? `「${issueLabels[group.kind].name}」${labels.button}？`) : ''}
      action={labels?.action ?? ''}
      busy={busy}
      onConfirm={() => bulkFix && onConfirm(bulkFix)}
      onClose={onClose}
    >
      <p>{labels?.asks}</p>
    </ConfirmDialog>
  )
}

type FixResult = NonNullable<ReturnType<typeof useIssueFixes>['done']>
/** The last result, with an undo button if possible. */
const FixResultLine = ({
  done: result,
  busy,
  onUndo,
}: {
  done: FixResult | null
  busy: boolean
  onUndo: (undo: FixResult['undo']) => void
}) => (
  <p className={styles.done} role="status">
    {result?.text}
    {result && result.undo.length > 0 && (
      <Button size="small" type="link" disabled={busy} onClick={() => onUndo(result.undo)}>
        撤销
      </Button>
    )}
  </p>
)

/** A button that loads the remaining issues. */
function LoadMoreIssues(props: {
  listed: number
  total: number
  match: number
  find: string | undefined
  busy: boolean
  onMore: () => void
}) {
  const { listed: listedCount, total, match: matchCount, find: searchText, busy } = props
  if (busy && listedCount === 0) return <p role="status">正在列出这一类…</p>
  if (searchText && matchCount === 0 && listedCount >= total) return <p className="ui-hint">这一类里没有「{searchText}」</p>
  if (listedCount >= total) return null
  return (
    <Button block loading={busy} onClick={props.onMore}>
      已列出 {formatCount(listedCount)} 个，再列出后面的（共 {formatCount(total)} 个）
    </Button>
  )
}
