import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, Input } from 'antd'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getFeedBackDetail, getFeedbackPicture, handleFeedback } from '../../../../server/contract/payslips/feedback.ts'
import { callApi, callQuery, useCallMutation } from '../../../api.ts'
import { LightForm } from '../../../components/form/light-form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatDateTime } from '../../../components/value/dates.ts'
import { PayslipWithTimeline } from '../slip-drawer.tsx'
import talk from './bubbles.module.css'
import { BulkAnswerDialog } from './bulk-answer.tsx'
import { AnswerDueDate } from './due-date.tsx'
import styles from './inbox.module.css'
import { FeedbackStatusDot } from './list.tsx'
import { FeedbackOwner } from './owner.tsx'
import { MessagePictures, PicturePicker, type UploadedPicture } from './pictures.tsx'

type FeedbackDetail = CallOutput<typeof getFeedBackDetail>
const maxLength = 500

/**
 * One thread: its messages, the answer form, and the payslip that it is about. Each fetch creates an access log entry
 * that the employee sees, so it is fetched again only when the list (`latestAt`) reports a new message.
 */
export function FeedbackThreadView({ id, message_at: latestAt }: { id: string; message_at: string | undefined }) {
  const detail = useQuery({ ...callQuery(getFeedBackDetail, { id }), gcTime: 0 })
  const { data, error, refetch } = detail
  const isStale = data !== undefined && latestAt !== undefined && latestAt > data.updated_at
  useEffect(() => {
    if (isStale) void refetch()
  }, [isStale, refetch])
  if (!data) return error ? <ErrorState error={error} retry={() => void detail.refetch()} /> : <Skeleton rows={6} />
  return (
    <>
      <section className={styles.thread} aria-label={`${data.name} 的反馈`}>
        <header>
          <div>
            <h2>{data.name}</h2>
            <p className="ui-label">{data.title}</p>
            {data.about && <p className={styles.threadAbout}>关于「{data.about.label}」</p>}
          </div>
          <div className={styles.threadStanding}>
            <FeedbackStatusDot status={data.status} />
            <AnswerDueDate thread={data} />
            <FeedbackOwner thread={data} />
          </div>
        </header>
        <ThreadMessages messages={data.messages} />
        {data.can_answer && <ReplyForm key={id} thread={data} />}
      </section>
      <section className={styles.threadSlip} aria-label="相关工资条">
        {/* The element is above the content that is still loading, so that it does not move under the pointer. */}
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
        <PayslipWithTimeline salary_id={data.salary_id} story={false} />
      </section>
    </>
  )
}

function ThreadMessages({ messages }: { messages: FeedbackDetail['messages'] }) {
  const listRef = useRef<HTMLOListElement>(null)
  const count = messages.length
  // A chat is read from the end; only the box scrolls, not the page.
  useEffect(() => {
    if (count > 0) listRef.current?.scrollTo({ top: listRef.current.scrollHeight })
  }, [count])
  return (
    // oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex -- what scrolls must be reachable with the keyboard
    <ol ref={listRef} className={talk.root} aria-label="对话" tabIndex={0}>
      {messages.map((message) => (
        <li key={message.id} data-mine={message.from === 'admin' || undefined}>
          <p className="ui-hint">
            {message.name} · {formatDateTime(message.at)}
          </p>
          <div>
            {message.content}
            <MessagePictures ids={message.pictures} load={(id) => callApi(getFeedbackPicture, { id })} />
          </div>
        </li>
      ))}
    </ol>
  )
}

function ReplyForm({ thread }: { thread: FeedbackDetail }) {
  const { id, status, name } = thread
  const [content, setContent] = useState('')
  const [pictures, setPictures] = useState<UploadedPicture[]>([])
  const [isBulkOpen, setBulkOpen] = useState(false)
  const handle = useCallMutation(handleFeedback, {
    onSuccess: (_, { action }) => {
      setContent('')
      setPictures([])
      toast.success(action === 'reply' ? '已回复' : action === 'resolve' ? '已标记为解决' : '已重新打开')
    },
  })
  const runAction = (action: 'reply' | 'resolve' | 'reopen') =>
    !handle.isPending && handle.mutate({ id, action, content, pictures: pictures.map(({ file_id }) => file_id) })
  const hasContent = content.trim() !== ''
  const submit = () => {
    if (hasContent) runAction('reply')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <LightForm className="" onSubmit={submit}>
      <Input.TextArea
        aria-label={`回复 ${name}`}
        placeholder={`回复 ${name}，员工会在工资条里看到`}
        value={content}
        maxLength={maxLength}
        showCount
        autoSize={{ minRows: 3, maxRows: 8 }}
        onChange={(event) => setContent(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.threadMore}>
        <PicturePicker sent={pictures} onChange={setPictures} />
        {thread.similar_count > 0 && (
          <Button type="link" onClick={() => setBulkOpen(true)}>
            本批还有 {thread.similar_count} 条待处理，批量回复
          </Button>
        )}
      </div>
      {isBulkOpen && <BulkAnswerDialog thread={thread} onClose={() => setBulkOpen(false)} />}
      <div className={`ui-row ${styles.threadActs}`}>
        <span className="ui-hint ui-grow">Ctrl+回车发送</span>
        {status !== 'resolved' ? (
          <Button loading={handle.isPending && handle.variables.action === 'resolve'} onClick={() => runAction('resolve')}>
            {hasContent ? '回复并解决' : '标记为解决'}
          </Button>
        ) : (
          <Button loading={handle.isPending && handle.variables.action === 'reopen'} onClick={() => runAction('reopen')}>
            重新打开
          </Button>
        )}
        <Button
          type="primary"
          htmlType="submit"
          disabled={!hasContent}
          loading={handle.isPending && handle.variables.action === 'reply'}
        >
          回复
        </Button>
      </div>
    </LightForm>
  )
}

export const NoThreadSelected = () => (
  <div className={styles.threadNone}>
    <EmptyState illustration="letter" text="从左侧选择一条反馈，查看对话和相关工资条。" />
  </div>
)
