import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate, useRouter } from '@tanstack/react-router'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { fetchCache, getLastBatchTitleInfo, type SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import { holders } from '../../../../server/contract/who.ts'
import { can } from '../../../../server/contract/words/states.ts'
import { cache, query } from '../../../api.ts'
import { SaveTemplate } from '../../../parts/arrange/template/save-template.tsx'
import { TakeTemplate } from '../../../parts/arrange/template/take-template.tsx'
import { FormulaLine } from '../../../parts/sheet/asked/formula.tsx'
import { type Pointed, Questions } from '../../../parts/sheet/asked/questions.tsx'
import { Remembered } from '../../../parts/sheet/asked/remembered.tsx'
import { useAnswering } from '../../../parts/sheet/asked/use-answering.ts'
import { useNaming } from '../../../parts/sheet/asked/use-naming.ts'
import { CorrectSheet } from '../../../parts/sheet/correct.tsx'
import { columnNamed } from '../../../parts/sheet/grid/geometry.ts'
import type { Marks } from '../../../parts/sheet/grid/grid-head.tsx'
import { SheetGrid } from '../../../parts/sheet/grid/sheet-grid.tsx'
import type { Target } from '../../../parts/sheet/grid/use-grid.ts'
import { LookAt, useProblemsAt } from '../../../parts/sheet/look-at.tsx'
import { cellOf } from '../../../parts/sheet/search.ts'
import styles from '../../../parts/sheet/send.module.css'
import { TitleForm } from '../../../parts/sheet/title-form.tsx'
import { Missing, NoWages, SheetNotes, Strangers, UnderstoodLine } from '../../../parts/sheet/understood-sheet.tsx'
import { NotRead } from '../../../parts/sheet/upload/not-read.tsx'
import { SheetPicker } from '../../../parts/sheet/upload/sheet-picker.tsx'
import { UploadMore } from '../../../parts/sheet/upload/upload-more.tsx'
import { UploadSheet } from '../../../parts/sheet/upload/upload-sheet.tsx'
import { UploadWay } from '../../../parts/sheet/upload/upload-way.tsx'
import { useBegun } from '../../../parts/sheet/upload/use-begun.ts'
import { AlreadySent, remember, sheetQuery, useSheet, WizardPage } from '../../../parts/sheet/wizard.tsx'
import { guessTitle, mayGoOn, missingRoles, monthHint, type TitleGuess } from '../../../parts/sheet/words.ts'
import { begin, first } from '../../../routed/first.ts'
import { Act } from '../../../ui/act.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { type RowAct, RowMenu } from '../../../ui/table/row-menu.tsx'
import { shortTime } from '../../../ui/value/dates.ts'

const unfinishedQuery = { ...query(fetchCache, {}), staleTime: 0 }

export const Route = createFileRoute('/_desk/_send/wageSend1')({
  staticData: { title: '发工资条', section: 'wage', who: holders('2') },
  validateSearch: cellOf,
  loader: ({ route, location }) =>
    first(route, () => {
      const { batch_id } = cellOf(location.search)
      return batch_id ? [begin(sheetQuery(batch_id)), begin(query(getLastBatchTitleInfo, {}))] : begin(unfinishedQuery)
    }),
  component: WageSend1,
})

const title = '上传工资表'

/** Step 1: a file becomes a sheet whose columns are understood. */
function WageSend1() {
  const { batch_id } = Route.useSearch()
  // Another batch is another page: nothing typed for the one may reach the other.
  return batch_id ? <Uploaded key={batch_id} batch_id={batch_id} /> : <Start />
}

function Start() {
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const unfinished = useQuery(unfinishedQuery)
  const wizard = unfinished.data?.wizard
  const begun = useBegun({
    enabled: !busy,
    onDone: (batch_id) => void navigate({ to: '/wageSend1', search: { batch_id }, replace: true }),
  })
  const again = () => {
    cache.setQueryData(query(fetchCache, {}).queryKey, { wizard: null })
    remember(null)
  }
  if (begun.way)
    return (
      <WizardPage step={0} batch_id={undefined} title={title}>
        <UploadWay way={begun.way} onGiveUp={begun.dismiss} />
      </WizardPage>
    )
  return (
    <WizardPage step={0} batch_id={undefined} title={title}>
      {!busy && <NotRead begun={begun} />}
      {wizard && !busy && (
        <section className={`ui-card ui-row ui-words ${styles.unfinished}`} aria-label="上次没有做完">
          <p className="ui-grow">
            <strong>继续上次：{wizard.title || '未命名的工资表'}</strong>
            <span className="ui-hint"> {shortTime(wizard.saved_at)} 保存</span>
          </p>
          <Button type="primary" onClick={() => void navigate({ to: `/${wizard.step}`, search: { batch_id: wizard.batch_id } })}>
            继续
          </Button>
          <Button onClick={again}>重新开始</Button>
        </section>
      )}
      {/* What was left unfinished stands above it: before that is known the button would go down under the hand. */}
      {unfinished.isFetched ? <UploadSheet primary={!wizard} onBusy={setBusy} /> : <Skeleton rows={6} />}
    </WizardPage>
  )
}

function Uploaded({ batch_id }: { batch_id: string }) {
  const begun = useBegun({ batch_id, enabled: true, onDone: () => undefined })
  const asked = useSheet(batch_id)
  const last = useQuery(query(getLastBatchTitleInfo, {}))
  const [today] = useState(() => new Date())
  const verdict = asked.data ? can.arrange(asked.data.status) : true
  if (begun.way)
    return (
      <WizardPage step={0} batch_id={batch_id} title={title}>
        {begun.by && <p>{begun.by}正在换这一批的工资表，换好后会自动显示。</p>}
        <UploadWay way={begun.way} {...(begun.by ? {} : { onGiveUp: begun.dismiss })} />
      </WizardPage>
    )
  if (asked.data && last.data && verdict === true)
    return <Sheet info={asked.data} guess={guessTitle(asked.data, last.data.last, today)} today={today} />
  const error = asked.error ?? last.error
  return (
    <WizardPage step={0} batch_id={batch_id} title={title}>
      {verdict !== true ? (
        <AlreadySent batch_id={batch_id} why={verdict} />
      ) : error ? (
        <ErrorState error={error} retry={() => void Promise.all([asked.refetch(), last.refetch()])} />
      ) : (
        <Skeleton rows={10} />
      )}
    </WizardPage>
  )
}

/** The cell to look at: chosen on this page, else the one in the address. */
function useTarget(info: SheetInfo) {
  const search = Route.useSearch()
  const [chosen, setChosen] = useState<Target | null>(null)
  const indexOf = (key: string | null) =>
    columnNamed(key ?? '') ?? columnNamed(info.columns.find(({ role }) => role === 'name')?.key ?? 'c0') ?? 0
  const { row, col } = search
  const sent = useMemo(
    () => (row === undefined && col === undefined ? null : { row: row ?? null, col: columnNamed(col ?? '') ?? 0 }),
    [row, col],
  )
  const problems = useProblemsAt(search)
  return {
    search,
    target: chosen ?? sent,
    sent: sent !== null || search.from === 'check',
    problems,
    note: chosen ? undefined : problems.map(({ message }) => message).join('；'),
    look: ({ row: at, key }: Pointed) => setChosen({ row: at, col: indexOf(key) }),
  }
}

type Adding = 'again' | 'append' | null
type Templates = 'use' | 'save' | null
const moreActs = (info: SheetInfo, add: (what: Adding) => void, template: (what: Templates) => void): RowAct[] => [
  { key: 'again', label: '换一份表，重新开始', onClick: () => add('again') },
  {
    key: 'append',
    label: '给这个工资条再加一张表',
    verdict: info.title ? true : '先核对这一张',
    onClick: () => add('append'),
  },
  { key: 'use', label: '用已存的模板', onClick: () => template('use') },
  { key: 'save', label: '把这些设置存为模板', onClick: () => template('save') },
]

/** On to the check of this batch; with `fromHere` once nothing is left to answer: whoever has left meanwhile, for another batch too, is not pulled along. */
function useGoingOn(batch_id: string) {
  const navigate = useNavigate()
  const router = useRouter()
  const goOn = () => navigate({ to: '/check', search: { batch_id } })
  const fromHere = (isReady: () => Promise<boolean>) => {
    const { href } = router.latestLocation
    return async (): Promise<void> => {
      if ((await isReady()) && router.latestLocation.href === href) await goOn()
    }
  }
  return { goOn, fromHere }
}

function Sheet({ info, guess, today }: { info: SheetInfo; guess: TitleGuess; today: Date }) {
  const { batch_id } = info
  const { goOn, fromHere } = useGoingOn(batch_id)
  const naming = useNaming(batch_id, guess)
  const answering = useAnswering(info)
  const [adding, setAdding] = useState<Adding>(null)
  const [templates, setTemplates] = useState<Templates>(null)
  const [marks, setMarks] = useState<Marks | null>(null)
  const looking = useTarget(info)
  const busy = answering.isSaving || answering.isChoosing
  const missing = missingRoles(info)
  const shownMissing = missing.length ? missing : answering.said
  const next = () => naming.save(fromHere(answering.check))
  const verdict = mayGoOn(info, naming.name.month)
  return (
    <WizardPage
      step={0}
      batch_id={batch_id}
      title={title}
      note={<span className={styles.file}>{info.file_name}</span>}
      action={
        <>
          <SheetPicker info={info} busy={answering.isChoosing} onSheets={answering.onSheets} />
          <CorrectSheet batch_id={batch_id} onDone={() => setAdding(null)} />
          <RowMenu label="这份工资表" acts={moreActs(info, setAdding, setTemplates)} />
        </>
      }
      foot={
        <>
          <UnderstoodLine info={info} verdict={verdict} />
          <Act
            type="primary"
            size="large"
            verdict={verdict}
            loading={naming.isSaving || answering.isSaving}
            onClick={() => void next()}
          >
            核对 {info.rows} 人
          </Act>
        </>
      }
    >
      {adding && <UploadMore info={info} adding={adding} onClose={() => setAdding(null)} />}
      <section className="ui-card" aria-label="标题和月份">
        <TitleForm
          value={naming.name}
          errors={naming.errors}
          hint={monthHint(info, today)}
          onChange={naming.setName}
          onSubmit={() => verdict === true && void next()}
        />
      </section>
      {looking.sent && <LookAt search={looking.search} problems={looking.problems} info={info} />}
      <Remembered info={info} onLook={(key) => looking.look({ row: null, key })} />
      <SheetNotes info={info} />
      <NoWages info={info} onAgain={() => setAdding('again')} />
      <Questions info={info} busy={busy} onAnswer={answering.answer} onLook={looking.look} />
      {answering.strangers > 0 && (
        <Strangers count={answering.strangers} onGoOn={shownMissing.length ? null : () => void goOn()} />
      )}
      <Missing info={info} words={shownMissing} busy={busy} onRole={answering.onRole} />
      <FormulaLine info={info} busy={busy} onSave={(formula) => answering.set({ formula })} onPoint={setMarks} />
      <SheetGrid
        info={info}
        busy={busy}
        target={looking.target}
        note={looking.note}
        onRole={answering.onRole}
        {...(marks ? { marks } : {})}
      />
      <TakeTemplate open={templates === 'use'} batch_id={batch_id} onClose={() => setTemplates(null)} />
      <SaveTemplate open={templates === 'save'} sheet={info} onClose={() => setTemplates(null)} />
    </WizardPage>
  )
}
