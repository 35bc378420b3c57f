import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { feedbackSlip, getFeedback, getFeedbackImage } from '../../../server/contract/payslips/employee.ts'
import { callApi, callQuery, createIdempotencyKey, NetworkError, useCallMutation } from '../../api.ts'
import { LightForm } from '../../components/form/light-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { lazyComponent } from '../../components/lazy.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatShortDateTime } from '../../components/value/dates.ts'
import { useChatFrame } from '../../features/auth/entry/use-frame.ts'
import styles from '../../features/payslips/employee/m.module.css'
import { FeedbackSubject, selectFirstThread } from '../../features/payslips/employee/open/feedback-subject.tsx'
import { PageTopBar } from '../../features/payslips/employee/page-top-bar.tsx'
import { PhoneOwnerStep } from '../../features/payslips/employee/phone-owner-step.tsx'
import {
  isNotFoundError,
  isOtherCompanyError,
  isUnconfirmedOwnerError,
  isViewLockedError,
  noCacheOptions,
  useLastError,
  useRefreshOnReturn,
} from '../../features/payslips/employee/queries.ts'
import { UnlockStep } from '../../features/payslips/employee/unlock-step.tsx'
import talk from '../../features/payslips/question/bubbles.module.css'
import { MessagePictures, PicturePicker, type UploadedPicture } from '../../features/payslips/question/pictures.tsx'

/** In the address instead of the key of an item. */
const entirePayslip = 'all'

export const Route = createFileRoute('/m/feedback/$id')({
  /**
   * `line`: the key of the payslip item that the question is about; without it, as in a message about an answer, the first
   * response tells which thread opens. `from=sms`: the sign-in page starts with a code.
   */
  validateSearch: ({ line, from }): { line?: string | undefined; from?: 'sms' | undefined } => ({
    line: typeof line === 'string' && /^(c\d{1,4}|all)$/.test(line) ? line : undefined,
    from: from === 'sms' ? from : undefined,
  }),
  staticData: { title: '工资反馈' },
  component: FeedbackPage,
})

/** Polls for new answers while the thread is open. */
const threadQuery = (slip_id: string, itemKey: string | undefined) => ({
  ...callQuery(getFeedback, itemKey ? { slip_id, line: itemKey } : { slip_id }),
  ...noCacheOptions,
  refetchInterval: 30_000,
})

const PayslipNotFound = lazyComponent(
  async () => (await import('../../features/payslips/employee/open/not-found.tsx')).PayslipNotFound,
)
const maxLength = 500
type FeedbackThread = CallOutput<typeof getFeedback>

function FeedbackPage() {
  useChatFrame()
  const { id } = Route.useParams()
  const { line: selected } = Route.useSearch()
  const itemKey = selected === entirePayslip ? undefined : selected
  const navigate = useNavigate()
  const thread = useQuery(threadQuery(id, itemKey))
  const selectItem = useCallback(
    (line: string | null) =>
      void navigate({ to: '/m/feedback/$id', params: { id }, search: { line: line || entirePayslip }, replace: true }),
    [navigate, id],
  )
  const threads = thread.data?.threads
  useEffect(() => {
    if (threads && selected === undefined) selectItem(selectFirstThread(threads))
  }, [threads, selected, selectItem])
  const error = useLastError(thread)
  useRefreshOnReturn()
  if (isNotFoundError(error) || isOtherCompanyError(error))
    return <PayslipNotFound slip_id={id} was={thread.data !== undefined} />
  if (isUnconfirmedOwnerError(error)) return <PhoneOwnerStep title="工资反馈" />
  if (isViewLockedError(error)) return <UnlockStep title="工资反馈" />
  return (
    <>
      <PageTopBar title={thread.data?.title ?? '工资反馈'} to={`/m/slip/${id}`} />
      {thread.data ? (
        <>
          <FeedbackSubject thread={thread.data} line={itemKey} onLine={selectItem} />
          <FeedbackMessages {...thread.data} />
          <FeedbackForm
            key={itemKey ?? ''}
            slip_id={thread.data.slip_id}
            line={itemKey}
            again={thread.data.status === 'resolved'}
          />
        </>
      ) : (
        <main className={styles.pad}>
          {error ? <ErrorState error={error} retry={() => void thread.refetch()} /> : <Skeleton rows={4} />}
        </main>
      )}
    </>
  )
}

function FeedbackMessages({ slip_id, messages, status, subject }: FeedbackThread) {
  const end = useRef<HTMLDivElement>(null)
  const count = messages.length
  // A chat is read from the end.
  useEffect(() => {
    if (count > 0) end.current?.scrollIntoView({ block: 'end' })
  }, [count])
  return (
    <main className={styles.thread}>
      {messages.length === 0 ? (
        <p className={styles.threadHint}>
          {subject
            ? `「${subject.label}」有什么不对？写下您认为正确的数字，可以附上考勤或合同的图片，工资管理员会在这里回复您。`
            : '哪一项不对？请在上面选择，再写下您认为正确的数字，工资管理员会在这里回复您。'}
        </p>
      ) : (
        <ol className={talk.root} data-bare aria-label="对话">
          {messages.map((message) => (
            <li key={message.id} data-mine={message.from === 'employee' || undefined}>
              <p className="ui-hint">
                {message.from === 'employee' ? '我' : message.name} · {formatShortDateTime(message.at)}
              </p>
              <div>
                {message.content}
                <MessagePictures ids={message.pictures} load={(id) => callApi(getFeedbackImage, { slip_id, id })} />
              </div>
            </li>
          ))}
        </ol>
      )}
      {status === 'resolved' && <p className={styles.threadHint}>管理员已标记为已解决。仍有疑问可以继续反馈。</p>}
      <div ref={end} />
    </main>
  )
}

/**
 * What is not sent yet, by payslip and item: the employee goes back to the payslip to look something up. Only in memory,
 * because the text may contain amounts.
 */
const drafts = new Map<string, { readonly content: string; readonly uploaded: UploadedPicture[] }>()
/** Touch keyboards have one key for a new line, and the page has a button to send. */
const hasOwnKeyboard = (): boolean => matchMedia('(hover: none)').matches

type Draft = { content: string; key: string }
const toDraft = (content: string): Draft => ({ content, key: createIdempotencyKey() })

function FeedbackForm({
  slip_id,
  line: itemKey,
  again: isReopening,
}: {
  slip_id: string
  line: string | undefined
  again: boolean
}) {
  const draftKey = `${slip_id} ${itemKey ?? ''}`
  const [uploaded, setUploaded] = useState<UploadedPicture[]>(() => drafts.get(draftKey)?.uploaded ?? [])
  // One draft is one intent: pressed twice, or retried after a lost response, it is submitted once.
  const [{ content, key }, setDraft] = useState(() => toDraft(drafts.get(draftKey)?.content ?? ''))
  const setContent = (next: string) => setDraft(toDraft(next))
  // The field is free for the next message while this one is on its way; a failure puts its text back.
  const [sending, setSending] = useState<Draft | null>(null)
  const send = useCallMutation(feedbackSlip, {
    key: sending?.key ?? key,
    affects: [getFeedback],
    handlesNetworkError: true,
    onSuccess: (_thread, { pictures = [] }) => setUploaded((now) => now.filter(({ file_id }) => !pictures.includes(file_id))),
    onSettled: (_thread, error) => {
      setSending(null)
      if (!error) return
      if (sending) setDraft((now) => (now.content.trim() === '' ? sending : toDraft(`${sending.content}\n${now.content}`)))
      if (error instanceof NetworkError) toast.error(error.message, '网络异常')
    },
  })
  // The draft outlives the page.
  useEffect(() => void drafts.set(draftKey, { content, uploaded }), [draftKey, content, uploaded])
  const canSend = content.trim() !== '' && !send.isPending
  const submit = () => {
    const pictures = uploaded.map(({ file_id }) => file_id)
    if (!canSend) return
    setSending({ content, key })
    setContent('')
    send.mutate({ slip_id, ...(itemKey ? { column_key: itemKey } : {}), content, pictures })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method is composing Chinese, Enter belongs to the input method.
    if (hasOwnKeyboard()) return
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit()
  }
  return (
    <LightForm className={`${styles.compose} no-print`} onSubmit={submit}>
      <label htmlFor="content" className="sr-only">
        反馈内容
      </label>
      <textarea
        id="content"
        rows={1}
        maxLength={maxLength}
        enterKeyHint={hasOwnKeyboard() ? 'enter' : 'send'}
        placeholder={isReopening ? '继续提问' : '请填写反馈内容'}
        value={content}
        onChange={(event) => setContent(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className={styles.send} aria-label="发送" disabled={!canSend}>
        <Icon name="send" size={20} />
      </button>
      <PicturePicker
        isCompact
        sent={uploaded}
        onChange={(change) => {
          setUploaded(change)
          setDraft((draft) => ({ ...draft, key: createIdempotencyKey() }))
        }}
      />
      {(send.isPending || content.length > maxLength - 50 || (content !== '' && !hasOwnKeyboard())) && (
        <p className="ui-hint" role="status">
          <span>{send.isPending ? '正在发送…' : hasOwnKeyboard() ? '' : '回车发送，Shift+回车换行'}</span>
          {content.length > maxLength - 50 && (
            <span>
              {content.length}/{maxLength}
            </span>
          )}
        </p>
      )}
    </LightForm>
  )
}
