import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import {
  type Column,
  checkRequireColumnData,
  fetchCache,
  getLastBatchTitleInfo,
  insertBatchTitle,
  type SheetInfo,
  uploadWageExcel,
} from '../../../server/contract/sheet.ts'
import { can } from '../../../server/contract/states.ts'
import { holders } from '../../../server/contract/who.ts'
import type { ColumnRole } from '../../../server/contract/words.ts'
import { ApiError, cache, query, useCall } from '../../api.ts'
import { SaveTemplate } from '../../parts/arrange/template/save-template.tsx'
import { TakeTemplate } from '../../parts/arrange/template/take-template.tsx'
import { FormulaLine } from '../../parts/sheet/asked/formula.tsx'
import { type Answer, type Place, Questions } from '../../parts/sheet/asked/questions.tsx'
import { Remembered } from '../../parts/sheet/asked/remembered.tsx'
import { CorrectSheet } from '../../parts/sheet/correct.tsx'
import { columnNamed } from '../../parts/sheet/grid/geometry.ts'
import type { Marks } from '../../parts/sheet/grid/grid-head.tsx'
import { SheetGrid } from '../../parts/sheet/grid/sheet-grid.tsx'
import type { Target } from '../../parts/sheet/grid/use-grid.ts'
import { LookAt, useProblemsAt } from '../../parts/sheet/look-at.tsx'
import { cellOf } from '../../parts/sheet/search.ts'
import { type TitleErrors, TitleForm, useTitle } from '../../parts/sheet/title-form.tsx'
import { Missing, NoWages, SheetNotes, Strangers, UnderstoodLine } from '../../parts/sheet/understood-sheet.tsx'
import { NotRead } from '../../parts/sheet/upload/not-read.tsx'
import { SheetPicker } from '../../parts/sheet/upload/sheet-picker.tsx'
import { UploadMore } from '../../parts/sheet/upload/upload-more.tsx'
import { UploadSheet } from '../../parts/sheet/upload/upload-sheet.tsx'
import { UploadWay } from '../../parts/sheet/upload/upload-way.tsx'
import { useBegun } from '../../parts/sheet/upload/use-begun.ts'
import { newId } from '../../parts/sheet/upload/use-upload.ts'
import { AlreadySent, remember, sheetQuery, useSheet, WizardPage } from '../../parts/sheet/wizard.tsx'
import {
  guessTitle,
  mayGoOn,
  missingRoles,
  missingWords,
  monthHint,
  singleRoles,
  type TitleGuess,
} from '../../parts/sheet/words.ts'
import { begin, first } from '../../routed/first.ts'
import { Act } from '../../ui/act.tsx'
import { shortTime } from '../../ui/dates.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { RowMenu } from '../../ui/table/row-menu.tsx'

const unfinishedQuery = { ...query(fetchCache, {}), staleTime: 0 }

export const Route = createFileRoute('/_desk/wageSend1')({
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
        <section className="ui-card ui-row send-unfinished" aria-label="上次没有做完">
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
      <UploadSheet primary={!wizard} onBusy={setBusy} />
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
    look: ({ row: at, key }: Place) => setChosen({ row: at, col: indexOf(key) }),
  }
}

function Sheet({ info, guess, today }: { info: SheetInfo; guess: TitleGuess; today: Date }) {
  const { batch_id } = info
  const navigate = useNavigate()
  const [name, setName] = useTitle(guess)
  const [errors, setErrors] = useState<TitleErrors>({})
  /** People whom the name alone does not find, in a sheet that has nothing else to tell them by. */
  const [strangers, setStrangers] = useState(0)
  const [said, setSaid] = useState<readonly string[]>([])
  const [adding, setAdding] = useState<'again' | 'append' | null>(null)
  const [templates, setTemplates] = useState<'use' | 'save' | null>(null)
  const [marks, setMarks] = useState<Marks | null>(null)
  const looking = useTarget(info)
  const ofTitle = (error: ApiError) => error.field === 'title' || error.field === 'month'
  const saveTitle = useCall(insertBatchTitle, { handles: ofTitle })
  const setUp = useCall(checkRequireColumnData)
  const choose = useCall(uploadWageExcel)
  const busy = setUp.isPending || choose.isPending
  const missing = missingRoles(info)
  const shownMissing = missing.length ? missing : said

  const set = (input: Omit<Parameters<typeof setUp.mutate>[0], 'batch_id' | 'columns'>) =>
    setUp.mutate({ batch_id, columns: [], ...input })
  const onRole = ({ key }: Column, role: ColumnRole) => {
    const others = singleRoles.has(role) ? info.columns.filter((one) => one.role === role && one.key !== key) : []
    setSaid([])
    setStrangers(0)
    setUp.mutate({ batch_id, columns: [{ key, role }, ...others.map((one) => ({ key: one.key, role: 'info' as const }))] })
  }
  const answer = (answers: Answer[]) => {
    // Sheets that belong to it are read with it, in the order of the file.
    const more = info.questions.find(({ id }) => answers.some((one) => one.id === id && one.value === 'all'))?.sheets
    if (!more) return set({ answers })
    const together = info.sheets.filter(({ name: sheet, chosen }) => chosen || more.includes(sheet))
    choose.mutate({ batch_id, sheet: together.map(({ name: sheet }) => sheet).join('\n'), upload_id: newId() })
  }
  const goOn = () => navigate({ to: '/check', search: { batch_id } })
  const next = async () => {
    setErrors({})
    try {
      await saveTitle.mutateAsync({ batch_id, ...name })
      const answer = await setUp.mutateAsync({ batch_id, columns: [] })
      if (answer.ok && answer.open === 0) await goOn()
      else {
        setSaid(answer.missing.flatMap((word) => (word === 'mobile' ? [] : [missingWords[word]])))
        setStrangers(answer.missing.includes('mobile') ? answer.unmatched : 0)
      }
    } catch (error) {
      if (error instanceof ApiError && ofTitle(error)) {
        setErrors({ [error.field ?? 'title']: error.message })
        document.getElementById(error.field === 'month' ? 'send-month' : 'send-title')?.focus()
      }
    }
  }
  const verdict = mayGoOn(info, name.month)
  return (
    <WizardPage
      step={0}
      batch_id={batch_id}
      title={title}
      note={<span className="send-file">{info.file_name}</span>}
      action={
        <>
          <SheetPicker
            info={info}
            busy={choose.isPending}
            onSheets={(names) => choose.mutate({ batch_id, sheet: names.join('\n'), upload_id: newId() })}
          />
          <CorrectSheet batch_id={batch_id} onDone={() => setAdding(null)} />
          <RowMenu
            label="这份工资表"
            acts={[
              { key: 'again', label: '换一份表，重新开始', onClick: () => setAdding('again') },
              {
                key: 'append',
                label: '给这个工资条再加一张表',
                verdict: info.title ? true : '先核对这一张',
                onClick: () => setAdding('append'),
              },
              { key: 'use', label: '用已存的模板', onClick: () => setTemplates('use') },
              { key: 'save', label: '把这些设置存为模板', onClick: () => setTemplates('save') },
            ]}
          />
        </>
      }
      foot={
        <>
          <UnderstoodLine info={info} />
          <Act
            type="primary"
            size="large"
            verdict={verdict}
            loading={saveTitle.isPending || setUp.isPending}
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
          value={name}
          errors={errors}
          hint={monthHint(info, today)}
          onChange={setName}
          onSubmit={() => verdict === true && void next()}
        />
      </section>
      {looking.sent && <LookAt search={looking.search} problems={looking.problems} info={info} />}
      <Remembered info={info} onLook={(key) => looking.look({ row: null, key })} />
      <SheetNotes info={info} />
      <NoWages info={info} onAgain={() => setAdding('again')} />
      <Questions info={info} busy={busy} onAnswer={answer} onLook={looking.look} />
      {strangers > 0 && <Strangers count={strangers} onGoOn={shownMissing.length ? null : () => void goOn()} />}
      <Missing info={info} words={shownMissing} busy={busy} onRole={onRole} />
      <FormulaLine info={info} busy={busy} onSave={(formula) => set({ formula })} onPoint={setMarks} />
      <SheetGrid
        info={info}
        busy={busy}
        target={looking.target}
        note={looking.note}
        onRole={onRole}
        {...(marks ? { marks } : {})}
      />
      <TakeTemplate open={templates === 'use'} batch_id={batch_id} onClose={() => setTemplates(null)} />
      <SaveTemplate open={templates === 'save'} sheet={info} onClose={() => setTemplates(null)} />
    </WizardPage>
  )
}
