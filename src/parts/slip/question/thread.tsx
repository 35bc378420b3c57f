import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, Input } from 'antd'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getFeedBackDetail, getFeedbackPicture, handleFeedback } from '../../../../server/contract/slip/feedback.ts'
import { ask, query, useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { SlipWithStory } from '../slip-drawer.tsx'
import { AnswerMany } from './answer-many.tsx'
import talk from './bubbles.module.css'
import styles from './inbox.module.css'
import { FeedbackState } from './list.tsx'
import { Due, Owner } from './owner.tsx'
import { PictureChooser, Pictures, type Sent } from './pictures.tsx'

type Thread = OutputOf<typeof getFeedBackDetail>
const longest = 500

/**
 * One question: what was said, an answer, and the slip it is about beside it. Each reading of it is a line that the person sees: it is read again
 * when the list says (`said_at`) that there is something new.
 */
export function FeedbackThread({ id, said_at }: { id: string; said_at: string | undefined }) {
  const asked = useQuery({ ...query(getFeedBackDetail, { id }), gcTime: 0 })
  const { data, error, refetch } = asked
  const isOld = data !== undefined && said_at !== undefined && said_at > data.updated_at
  useEffect(() => {
    if (isOld) void refetch()
  }, [isOld, refetch])
  if (!data) return error ? <ErrorState error={error} retry={() => void asked.refetch()} /> : <Skeleton rows={6} />
  return (
    <>
      <section className={styles.thread} aria-label={`${data.name} 的疑问`}>
        <header>
          <div>
            <h2>{data.name}</h2>
            <p className="ui-label">{data.title}</p>
            {data.about && <p className={styles.threadAbout}>关于「{data.about.label}」</p>}
          </div>
          <div className={styles.threadStanding}>
            <FeedbackState status={data.status} />
            <Due thread={data} />
            <Owner thread={data} />
          </div>
        </header>
        <Messages messages={data.messages} />
        {data.changeable && <Answer key={id} thread={data} />}
      </section>
      <section className={styles.threadSlip} aria-label="相关工资条">
        {/* Above what is still on its way, so that it stands still under a hand that reaches for it. */}
        <header className={styles.threadCorrect}>
          <span className="ui-label">相关工资条</span>
          <Link
            to="/wageDetail"
            search={{ batch_id: data.batch_id, name: data.name.slice(0, 50), salary: data.salary_id }}
            className="ui-button"
          >
            <Icon name="edit" size={16} /> 去更正这张工资条
          </Link>
        </header>
        <SlipWithStory salary_id={data.salary_id} story={false} />
      </section>
    </>
  )
}

function Messages({ messages }: { messages: Thread['messages'] }) {
  const box = useRef<HTMLOListElement>(null)
  const count = messages.length
  // A chat is read from its end; only the box scrolls, not the page.
  useEffect(() => {
    if (count > 0) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [count])
  return (
    // oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex -- what scrolls must be reachable with the keyboard
    <ol ref={box} className={talk.root} aria-label="对话" tabIndex={0}>
      {messages.map((message) => (
        <li key={message.id} data-mine={message.from === 'admin' || undefined}>
          <p className="ui-hint">
            {message.name} · {dayAndTime(message.at)}
          </p>
          <div>
            {message.content}
            <Pictures ids={message.pictures} load={(id) => ask(getFeedbackPicture, { id })} />
          </div>
        </li>
      ))}
    </ol>
  )
}

function Answer({ thread }: { thread: Thread }) {
  const { id, status, name } = thread
  const [content, setContent] = useState('')
  const [sent, setSent] = useState<Sent[]>([])
  const [many, setMany] = useState(false)
  const handle = useCall(handleFeedback, {
    onSuccess: (_, { action }) => {
      setContent('')
      setSent([])
      toast.done(action === 'reply' ? '已回复' : action === 'resolve' ? '已标记为解决' : '已重新打开')
    },
  })
  const act = (action: 'reply' | 'resolve' | 'reopen') =>
    !handle.isPending && handle.mutate({ id, action, content, pictures: sent.map(({ file_id }) => file_id) })
  const written = content.trim() !== ''
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (written) act('reply')
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form onSubmit={submit}>
      <Input.TextArea
        aria-label={`回复 ${name}`}
        placeholder={`回复 ${name}，员工会在工资条里看到`}
        value={content}
        maxLength={longest}
        showCount
        autoSize={{ minRows: 3, maxRows: 8 }}
        onChange={(event) => setContent(event.target.value)}
        onKeyDown={press}
      />
      <div className={styles.threadMore}>
        <PictureChooser sent={sent} onChange={setSent} />
        {thread.alike > 0 && (
          <Button type="link" onClick={() => setMany(true)}>
            还有 {thread.alike} 人问了同样的，一并回复
          </Button>
        )}
      </div>
      {many && <AnswerMany thread={thread} onClose={() => setMany(false)} />}
      <div className={`ui-row ${styles.threadActs}`}>
        <span className="ui-hint ui-grow">Ctrl+回车发送</span>
        {status !== 'resolved' ? (
          <Button loading={handle.isPending && handle.variables.action === 'resolve'} onClick={() => act('resolve')}>
            {written ? '回复并解决' : '标记为解决'}
          </Button>
        ) : (
          <Button loading={handle.isPending && handle.variables.action === 'reopen'} onClick={() => act('reopen')}>
            重新打开
          </Button>
        )}
        <Button
          type="primary"
          htmlType="submit"
          disabled={!written}
          loading={handle.isPending && handle.variables.action === 'reply'}
        >
          回复
        </Button>
      </div>
    </form>
  )
}

export const NothingChosen = () => (
  <div className={styles.threadNone}>
    <Empty drawing="letter" text="从左边选一条疑问，这里会显示对话和相关的工资条。" />
  </div>
)
