import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { checkWageData, type SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import { holders } from '../../../../server/contract/who.ts'
import { isWages } from '../../../../server/contract/words/states.ts'
import { problemKinds } from '../../../../server/contract/words/words.ts'
import { query } from '../../../api.ts'
import { Combined } from '../../../parts/check/combined.tsx'
import { CorrectBar } from '../../../parts/check/correct-bar.tsx'
import { LastEdit } from '../../../parts/check/last-edit.tsx'
import { OpenQuestions, openQuestions } from '../../../parts/check/open-questions.tsx'
import type { Solved } from '../../../parts/check/problem-list.tsx'
import { problemWords } from '../../../parts/check/problem-words.ts'
import { type ProblemSearch, Problems } from '../../../parts/check/problems.tsx'
import { Skipped } from '../../../parts/check/skipped.tsx'
import { Changes, Totals } from '../../../parts/check/totals.tsx'
import { CorrectSheet } from '../../../parts/sheet/correct.tsx'
import { type BatchSearch, batchOf } from '../../../parts/sheet/search.ts'
import styles from '../../../parts/sheet/send.module.css'
import { sheetQuery, useSheet, WithBatch, WizardPage } from '../../../parts/sheet/wizard.tsx'
import { isArrangedBefore } from '../../../parts/sheet/words.ts'
import { begin, first } from '../../../routed/first.ts'
import { Act } from '../../../ui/act.tsx'
import { isLost } from '../../../ui/form/hand.ts'
import { Icon } from '../../../ui/icon.tsx'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { oneOf, textOf } from '../../../ui/search.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

type Checked = OutputOf<typeof checkWageData>
const levels = ['error', 'warning'] as const
type Search = BatchSearch & ProblemSearch

export const Route = createFileRoute('/_desk/_send/check')({
  staticData: { title: '核对工资表', section: 'wage', who: holders('2') },
  validateSearch: (raw): Search => ({
    ...batchOf(raw),
    kind: oneOf(raw.kind, problemKinds),
    level: oneOf(raw.level, levels),
    find: textOf(raw.find),
  }),
  loader: ({ route, location }) =>
    first(route, () => {
      const { batch_id } = batchOf(location.search)
      return batch_id && [begin(sheetQuery(batch_id)), begin(query(checkWageData, { batch_id }))]
    }),
  component: Check,
})

const title = '核对'

/** Step 2: totals beside last month's, and everything that is wrong or asks. */
function Check() {
  const { batch_id } = Route.useSearch()
  return (
    <WithBatch step={1} title={title} batch_id={batch_id}>
      {(id) => <Loaded key={id} batch_id={id} />}
    </WithBatch>
  )
}

function Loaded({ batch_id }: { batch_id: string }) {
  const asked = useQuery(query(checkWageData, { batch_id }))
  const sheet = useSheet(batch_id).data
  if (asked.data) return <Page batch_id={batch_id} checked={asked.data} sheet={sheet} busy={asked.isFetching} />
  return (
    <WizardPage step={1} batch_id={batch_id} title={title}>
      {asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <>
          <p role="status">正在逐行核对，人多时需要十几秒…</p>
          <Skeleton rows={8} />
        </>
      )}
    </WizardPage>
  )
}

function Page(props: { batch_id: string; checked: Checked; sheet: SheetInfo | undefined; busy: boolean }) {
  const { batch_id, checked, sheet, busy } = props
  const { counts } = checked
  const { kind, level, find } = Route.useSearch()
  const navigate = useNavigate()
  const [solved, setSolved] = useState<Solved | null>(null)
  const [asking, setAsking] = useState(false)
  const way = wayOn(sheet)
  const next = () => void navigate({ to: way.to, search: { batch_id } })
  const people = counts.totals.people
  const onSearch = useCallback(
    (search: ProblemSearch) => void navigate({ to: '/check', search: { batch_id, ...search }, replace: true }),
    [navigate, batch_id],
  )
  const verdict = mayGoOn(counts, sheet)
  return (
    <WizardPage
      step={1}
      batch_id={batch_id}
      title={title}
      note={<span className={styles.file}>{sheet?.title?.title ?? sheet?.file_name}</span>}
      foot={
        <>
          <StillOpen counts={counts} />
          {way.passes && <Arranged batch_id={batch_id} />}
          <Act type="primary" size="large" verdict={verdict} onClick={() => (counts.warnings > 0 ? setAsking(true) : next())}>
            {way.words(people)}
          </Act>
        </>
      }
    >
      <Totals counts={counts} />
      <OpenQuestions batch_id={batch_id} sheet={sheet} />
      {counts.kinds.length === 0 ? (
        <>
          <Clear people={people} after={solved !== null} />
          <LastEdit batch_id={batch_id} edit={checked.last_edit} busy={busy} />
          {checked.edited > 0 && <CorrectBar batch_id={batch_id} problems={0} edited={checked.edited} />}
        </>
      ) : (
        <Problems
          batch_id={batch_id}
          checked={checked}
          fetching={busy}
          search={{ kind, level, find }}
          solved={solved}
          onSolve={setSolved}
          onSearch={onSearch}
        >
          <CorrectBar batch_id={batch_id} problems={counts.errors + counts.warnings} edited={checked.edited}>
            <CorrectSheet batch_id={batch_id} onDone={() => onSearch({})} />
          </CorrectBar>
        </Problems>
      )}
      <Combined batch_id={batch_id} people={checked.combined} busy={busy} />
      <Skipped batch_id={batch_id} count={counts.skipped} rows={checked.skipped} busy={busy} />
      <Changes joined={checked.joined} missing={checked.missing} last={counts.last} />
      <ConfirmDialog
        open={asking}
        title="还有提醒没有确认，仍然继续？"
        action={way.still(people)}
        onConfirm={next}
        onClose={() => setAsking(false)}
      >
        <p>有 {counts.warnings} 个提醒没有处理：</p>
        <ul className={styles.list}>
          {counts.kinds.map((one) => (
            <li key={`${one.kind}:${one.level}`}>
              {problemWords[one.kind].name} {one.count} 个
            </li>
          ))}
        </ul>
        <p>金额会照表里的数字发给员工。</p>
      </ConfirmDialog>
    </WizardPage>
  )
}

/** Whether nothing is in the way of step 3, or what is. */
function mayGoOn({ errors, totals }: Checked['counts'], sheet: SheetInfo | undefined): true | string {
  const wages = sheet ? isWages(sheet) : true
  if (wages !== true) return wages
  const open = openQuestions(sheet).length
  if (open > 0) return `还有 ${open} 个问题没有回答，请回到第 1 步`
  if (errors > 0) return `还有 ${errors} 个必须处理的问题，处理完才能继续`
  return totals.people > 0 || '没有可以发送的人'
}

/** What comes after this step. Arranged as last time, nobody has to look at it again to send it. */
function wayOn(sheet: SheetInfo | undefined) {
  const passes = sheet !== undefined && isArrangedBefore(sheet)
  return passes
    ? {
        passes,
        to: '/wageSend3' as const,
        words: (people: number) => `发送 ${people} 人…`,
        still: (people: number) => `仍然发送 ${people} 人…`,
      }
    : {
        passes,
        to: '/wageSend2' as const,
        words: (people: number) => `排版 ${people} 人的工资条`,
        still: (people: number) => `仍然排版 ${people} 人`,
      }
}

const Arranged = ({ batch_id }: { batch_id: string }) => (
  <Link to="/wageSend2" search={{ batch_id }} className="ui-button">
    排版和上次一样，看一看
  </Link>
)

const StillOpen = ({ counts }: Pick<Checked, 'counts'>) => (
  <span className="ui-grow ui-hint" role="status">
    {counts.errors > 0 && `还有 ${counts.errors} 个问题必须处理`}
    {counts.errors > 0 && counts.warnings > 0 && '，'}
    {counts.warnings > 0 && `${counts.warnings} 个提醒请看一下`}
  </span>
)

/** Nothing is left to do. Whoever solved the last problem is told here. */
function Clear({ people, after }: { people: number; after: boolean }) {
  const section = useRef<HTMLElement>(null)
  // The list that had the focus is gone.
  useEffect(() => {
    if (after && isLost()) section.current?.focus()
  }, [after])
  return (
    <section ref={section} className={`ui-card ${styles.clear}`} tabIndex={-1}>
      <Icon name="check" size={24} />
      <p>
        <strong>{people} 人核对完成，没有待处理的问题</strong>
        <br />
        {after ? '提醒和问题都处理好了，可以继续。' : '每个人都对上了花名册，金额没有要确认的地方。'}
      </p>
    </section>
  )
}
