import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { getPublicInfo } from '../../../server/contract/account.ts'
import type { AskOf } from '../../../server/contract/call.ts'
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
import { cellOf } from '../../parts/sheet/search.ts'
import { type TitleErrors, TitleForm } from '../../parts/sheet/title-form.tsx'
import { SheetNotes, SheetPicker, Strangers, UnderstoodLine, UnderstoodSheet } from '../../parts/sheet/understood-sheet.tsx'
import { UploadArea } from '../../parts/sheet/upload-area.tsx'
import { AlreadySent, remember, useSheet, WizardPage } from '../../parts/sheet/wizard.tsx'
import { guessTitle, missingRoles, missingWords, singleRoles, type TitleGuess } from '../../parts/sheet/words.ts'
import { Act } from '../../ui/act.tsx'
import { shortTime } from '../../ui/dates.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

export const Route = createFileRoute('/_desk/wageSend1')({
  staticData: { title: '发工资条', section: 'wage', who: holders('2') },
  validateSearch: cellOf,
  component: WageSend1,
})

const title = '上传工资表'

/** Step 1: a file becomes a sheet whose columns are understood. */
function WageSend1() {
  const { batch_id } = Route.useSearch()
  // Another batch is another page: nothing typed for the one may reach the other.
  return batch_id ? <Uploaded key={batch_id} batch_id={batch_id} /> : <Start />
}

function useUpload(batch_id?: string) {
  const navigate = useNavigate()
  const [file, setFile] = useState({ name: '', size: 0 })
  const [done, setDone] = useState(0)
  const [error, setError] = useState<string | null>(null)
  const [stop, setStop] = useState(() => new AbortController())
  const sending = useCall(uploadWageExcel, { handles: () => true, onProgress: setDone, signal: stop.signal })
  const here = useRef(true)
  // Whoever left while the file was on its way is not pulled back; 「继续上次」 waits for him.
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  const upload = async (chosen: File) => {
    setFile({ name: chosen.name, size: chosen.size })
    setError(null)
    setDone(0)
    try {
      const info = await sending.mutateAsync({ file: chosen } as AskOf<typeof uploadWageExcel>)
      remember({ step: 'wageSend1', batch_id: info.batch_id })
      if (here.current) await navigate({ to: '/wageSend1', search: { batch_id: info.batch_id }, replace: batch_id !== undefined })
    } catch (thrown) {
      const givenUp = thrown instanceof DOMException && thrown.name === 'AbortError'
      setError(givenUp ? null : thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  const giveUp = () => {
    stop.abort()
    setStop(new AbortController())
  }
  return { file, progress: sending.isPending ? done : null, error, setError, upload, giveUp }
}

function Area({ uploading, primary }: { uploading: ReturnType<typeof useUpload>; primary: boolean }) {
  const facts = useQuery({ ...query(getPublicInfo, {}), staleTime: Number.POSITIVE_INFINITY })
  return (
    <UploadArea
      maxBytes={facts.data?.upload.max_bytes ?? 20 * 1024 * 1024}
      progress={uploading.progress}
      fileName={uploading.file.name}
      fileBytes={uploading.file.size}
      error={uploading.error}
      primary={primary}
      onFile={(file) => void uploading.upload(file)}
      onRefuse={uploading.setError}
      onGiveUp={uploading.giveUp}
    />
  )
}

function Start() {
  const navigate = useNavigate()
  const uploading = useUpload()
  const unfinished = useQuery({ ...query(fetchCache, {}), staleTime: 0 })
  const wizard = unfinished.data?.wizard
  const again = () => {
    cache.setQueryData(query(fetchCache, {}).queryKey, { wizard: null })
    remember(null)
  }
  return (
    <WizardPage step={0} batch_id={undefined} title={title}>
      {wizard && uploading.progress === null && (
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
      <Area uploading={uploading} primary={!wizard} />
    </WizardPage>
  )
}

function Uploaded({ batch_id }: { batch_id: string }) {
  const asked = useSheet(batch_id)
  const last = useQuery(query(getLastBatchTitleInfo, {}))
  const [today] = useState(() => new Date())
  const verdict = asked.data ? can.arrange(asked.data.status) : true
  if (asked.data && last.data && verdict === true)
    return <Sheet info={asked.data} guess={guessTitle(asked.data, last.data.last, today)} />
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

function Sheet({ info, guess }: { info: SheetInfo; guess: TitleGuess }) {
  const { batch_id } = info
  const navigate = useNavigate()
  const [name, setName] = useState(guess)
  const [errors, setErrors] = useState<TitleErrors>({})
  /** People whom the name alone does not find, in a sheet that has nothing else to tell them by. */
  const [strangers, setStrangers] = useState(0)
  const [said, setSaid] = useState<readonly string[]>([])
  const [again, setAgain] = useState(false)
  const uploading = useUpload(batch_id)
  const ofTitle = (error: ApiError) => error.field === 'title' || error.field === 'month'
  const saveTitle = useCall(insertBatchTitle, { handles: ofTitle })
  const saveRoles = useCall(checkRequireColumnData)
  const choose = useCall(uploadWageExcel)
  const busy = saveRoles.isPending || choose.isPending
  const missing = missingRoles(info.columns)
  const shownMissing = missing.length ? missing : said

  const onRole = (column: Column, role: ColumnRole) => {
    const columns = info.columns.map((one) => {
      if (one.key === column.key) return { key: one.key, role }
      return { key: one.key, role: one.role === role && singleRoles.has(role) ? ('info' as const) : one.role }
    })
    setSaid([])
    setStrangers(0)
    saveRoles.mutate({ batch_id, columns })
  }
  const goOn = () => navigate({ to: '/check', search: { batch_id } })
  const next = async () => {
    setErrors({})
    try {
      await saveTitle.mutateAsync({ batch_id, ...name })
      const columns = info.columns.map(({ key, role }) => ({ key, role }))
      const answer = await saveRoles.mutateAsync({ batch_id, columns })
      if (answer.ok) await goOn()
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
  const verdict = missing.length
    ? `请先指定${missing.map((word) => `「${word}」`).join('、')}列`
    : info.rows === 0
      ? '这份表里没有人'
      : true
  return (
    <WizardPage
      step={0}
      batch_id={batch_id}
      title={title}
      note={<span className="send-file">{info.file_name}</span>}
      action={
        <SheetPicker
          info={info}
          busy={choose.isPending}
          onSheet={(sheet) => choose.mutate({ batch_id, sheet })}
          onAgain={() => setAgain(true)}
        />
      }
      foot={
        <>
          <UnderstoodLine info={info} />
          <Act
            type="primary"
            size="large"
            verdict={verdict}
            loading={saveTitle.isPending || saveRoles.isPending}
            onClick={() => void next()}
          >
            核对 {info.rows} 人
          </Act>
        </>
      }
    >
      {again && (
        <section className="ui-stack" aria-label="重新上传">
          <Area uploading={uploading} primary={false} />
          <div>
            <Button onClick={() => setAgain(false)}>不换了，继续用「{info.file_name}」</Button>
          </div>
        </section>
      )}
      <section className="ui-card" aria-label="标题和月份">
        <TitleForm value={name} errors={errors} onChange={setName} onSubmit={() => verdict === true && void next()} />
      </section>
      <SheetNotes info={info} />
      {strangers > 0 && <Strangers count={strangers} onGoOn={shownMissing.length ? null : () => void goOn()} />}
      <UnderstoodSheet info={info} busy={busy} missing={shownMissing} onRole={onRole} />
    </WizardPage>
  )
}
