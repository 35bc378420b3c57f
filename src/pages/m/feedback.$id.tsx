import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { feedbackSlip, getFeedback, getFeedbackImage } from '../../../server/contract/own/employee.ts'
import { ask, intent, query, useCall } from '../../api.ts'
import { HolderStep } from '../../parts/employee/holder-step.tsx'
import { later } from '../../parts/employee/later.tsx'
import styles from '../../parts/employee/m.module.css'
import { AskedAbout } from '../../parts/employee/open/asked-about.tsx'
import { isElsewhere, isGone, isLocked, isUnconfirmed, neverKept, useRecheck, useRefusal } from '../../parts/employee/queries.ts'
import { Top } from '../../parts/employee/top.tsx'
import { UnlockStep } from '../../parts/employee/unlock-step.tsx'
import { useFrame } from '../../parts/entry/use-frame.ts'
import talk from '../../parts/slip/question/bubbles.module.css'
import { PictureChooser, Pictures, type Sent } from '../../parts/slip/question/pictures.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { shortTime } from '../../ui/value/dates.ts'

export const Route = createFileRoute('/m/feedback/$id')({
  /** `line`: the key of the line that is asked about. */
  validateSearch: ({ line }): { line?: string | undefined } => ({
    line: typeof line === 'string' && /^c\d{1,4}$/.test(line) ? line : undefined,
  }),
  staticData: { title: '工资疑问' },
  component: FeedbackPage,
})

/** Answers come while one waits for them. */
const threadQuery = (slip_id: string, line: string | undefined) => ({
  ...query(getFeedback, line ? { slip_id, line } : { slip_id }),
  ...neverKept,
  refetchInterval: 30_000,
})

const Gone = later(async () => (await import('../../parts/employee/open/gone.tsx')).Gone)
const longest = 500
type Thread = OutputOf<typeof getFeedback>

function FeedbackPage() {
  useFrame()
  const { id } = Route.useParams()
  const { line } = Route.useSearch()
  const navigate = useNavigate()
  const asked = useQuery(threadQuery(id, line))
  const refusal = useRefusal(asked)
  useRecheck()
  if (isGone(refusal) || isElsewhere(refusal)) return <Gone slip_id={id} was={asked.data !== undefined} />
  if (isUnconfirmed(refusal)) return <HolderStep title="工资疑问" />
  if (isLocked(refusal)) return <UnlockStep title="工资疑问" />
  return (
    <>
      <Top title={asked.data?.title ?? '工资疑问'} to={`/m/slip/${id}`} />
      {asked.data ? (
        <>
          <AskedAbout
            thread={asked.data}
            line={line}
            onLine={(next) =>
              void navigate({ to: '/m/feedback/$id', params: { id }, search: next ? { line: next } : {}, replace: true })
            }
          />
          <Messages slip_id={id} {...asked.data} />
          <Compose key={line ?? ''} slip_id={id} line={line} again={asked.data.status === 'resolved'} />
        </>
      ) : (
        <main className={styles.pad}>
          {refusal ? <ErrorState error={refusal} retry={() => void asked.refetch()} /> : <Skeleton rows={4} />}
        </main>
      )}
    </>
  )
}

function Messages({ slip_id, messages, status, about }: Thread & { slip_id: string }) {
  const end = useRef<HTMLDivElement>(null)
  const count = messages.length
  // A chat is read from its end.
  useEffect(() => {
    if (count > 0) end.current?.scrollIntoView({ block: 'end' })
  }, [count])
  return (
    <main className={styles.thread}>
      {messages.length === 0 ? (
        <p className={styles.threadHint}>
          {about
            ? `「${about.label}」有什么不对？写下您认为正确的数字，可以附上考勤或合同的图片，工资管理员会在这里回复您。`
            : '哪一项不对？请在上面选择，再写下您认为正确的数字，工资管理员会在这里回复您。'}
        </p>
      ) : (
        <ol className={talk.root} data-bare aria-label="对话">
          {messages.map((message) => (
            <li key={message.id} data-mine={message.from === 'employee' || undefined}>
              <p className="ui-hint">
                {message.from === 'employee' ? '我' : message.name} · {shortTime(message.at)}
              </p>
              <div>
                {message.content}
                <Pictures ids={message.pictures} load={(id) => ask(getFeedbackImage, { slip_id, id })} />
              </div>
            </li>
          ))}
        </ol>
      )}
      {status === 'resolved' && <p className={styles.threadHint}>管理员已标记为已解决。还有疑问可以继续写。</p>}
      <div ref={end} />
    </main>
  )
}

function Compose({ slip_id, line, again }: { slip_id: string; line: string | undefined; again: boolean }) {
  const [sent, setSent] = useState<Sent[]>([])
  // What is written is one intent: pressed twice, or tried again after a lost answer, it is asked once.
  const [{ content, key }, setDraft] = useState(() => ({ content: '', key: intent() }))
  const setContent = (next: string) => setDraft({ content: next, key: intent() })
  const send = useCall(feedbackSlip, {
    key,
    onSuccess: () => {
      setContent('')
      setSent([])
    },
  })
  const ready = content.trim() !== '' && !send.isPending
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    const pictures = sent.map(({ file_id }) => file_id)
    if (ready) send.mutate({ slip_id, ...(line ? { line } : {}), content, pictures })
  }
  const press = (event: KeyboardEvent) => {
    // While Chinese is being composed, Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit()
  }
  return (
    <form className={`${styles.compose} no-print`} onSubmit={submit}>
      <label htmlFor="content" className="sr-only">
        您的疑问
      </label>
      <textarea
        id="content"
        rows={2}
        maxLength={longest}
        enterKeyHint="send"
        placeholder={again ? '继续提问' : '写下您的疑问'}
        value={content}
        onChange={(event) => setContent(event.target.value)}
        onKeyDown={press}
      />
      <button type="submit" className={styles.send} aria-label="发送" disabled={!ready}>
        <Icon name="send" size={20} />
      </button>
      <PictureChooser
        sent={sent}
        onChange={(change) => {
          setSent(change)
          setDraft((now) => ({ ...now, key: intent() }))
        }}
      />
      <p className="ui-hint" aria-live={content.length > longest - 50 ? 'polite' : 'off'}>
        <span className={talk.keys}>回车发送，Shift+回车换行</span>
        <span>
          {content.length}/{longest}
        </span>
      </p>
    </form>
  )
}
