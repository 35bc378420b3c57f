import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { requirePower } from '../../../../server/contract/access.ts'
import { getSendInfo } from '../../../../server/contract/payslips/send.ts'
import type { BatchStatus } from '../../../../server/contract/shared/schemas.ts'
import { callQuery } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Steps } from '../../../components/page/steps.tsx'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { SendRestButton } from '../../../features/payslips/batch/batch-head.tsx'
import { channelDescriptions } from '../../../features/sheets/labels.ts'
import { parseBatchSearch } from '../../../features/sheets/search.ts'
import { ScheduledSend, type SendInfo, SendProgress } from '../../../features/sheets/send/send-progress.tsx'
import {
  CopyEmployeeLink,
  FailedDeliveries,
  FallbackDeliveries,
  SendStatistics,
  UnknownDeliveries,
} from '../../../features/sheets/send/send-result.tsx'
import { BatchSendStatus, UndoSendNotice } from '../../../features/sheets/send/undo-send.tsx'
import styles from '../../../features/sheets/send.module.css'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/_send/SendSucc')({
  staticData: { title: '发送情况', section: 'wage', who: requirePower('2') },
  validateSearch: parseBatchSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { batch_id } = parseBatchSearch(location.search)
      return batch_id && prefetchQuery(callQuery(getSendInfo, { batch_id }))
    }),
  component: SendSucc,
})

/** Returns the polling interval in milliseconds; false if nothing will change by itself. */
const getRefetchInterval = (info: SendInfo | undefined): number | false => {
  if (!info) return false
  if (info.status === 'sending' || (info.queued > 0 && info.status === 'sent')) return 1000
  return info.status === 'scheduled' ? (info.undo_seconds === null ? 15_000 : 5000) : false
}

/** The page after the wizard: progress and result of a send. Counts come from the server, so the user may leave and return. */
function SendSucc() {
  const { batch_id } = Route.useSearch()
  if (batch_id) return <SendResultLoader key={batch_id} batch_id={batch_id} />
  return (
    <EmptyState
      text="没有指定是哪一批工资条"
      action={
        <Link className="ui-button" to="/wageSend1">
          发工资条
        </Link>
      }
    />
  )
}

function SendResultLoader({ batch_id }: { batch_id: string }) {
  const sendInfo = useQuery({
    ...callQuery(getSendInfo, { batch_id }),
    refetchInterval: ({ state }) => getRefetchInterval(state.data),
  })
  if (sendInfo.data)
    return (
      <SendResultContent
        batch_id={batch_id}
        info={sendInfo.data}
        receivedAt={sendInfo.dataUpdatedAt}
        onRefresh={() => void sendInfo.refetch()}
      />
    )
  return (
    <div className="ui-page">
      {sendInfo.error ? <ErrorState error={sendInfo.error} retry={() => void sendInfo.refetch()} /> : <Skeleton rows={8} />}
    </div>
  )
}

type SendResultProps = { batch_id: string; info: SendInfo; receivedAt: number; onRefresh: () => void }

function SendResultContent({ batch_id, info, receivedAt, onRefresh }: SendResultProps) {
  const navigate = useNavigate()
  const backToPlan = () => void navigate({ to: '/wageSend3', search: { batch_id }, replace: true })
  const running = info.status === 'sending' || info.status === 'paused'
  const finished = info.status === 'sent' || info.status === 'withdrawn'
  const isComplete = info.status === 'sent' && info.queued === 0 && info.failed === 0 && info.unknown === 0
  // A complete send has its next step in the notice.
  const nextActions = !isComplete && (
    <>
      <Link className="ui-button" to="/wageSend1">
        再发一批
      </Link>
      <Button
        type={finished && info.unsent === 0 ? 'primary' : 'default'}
        onClick={() => void navigate({ to: '/wageDetail', search: { batch_id } })}
      >
        查看明细
      </Button>
    </>
  )
  return (
    <div className={`ui-page ${styles.root}`}>
      <Steps at={running ? 3 : finished ? 4 : 3} />
      <PageHeader
        title={info.title || '发送情况'}
        note={<BatchSendStatus status={info.status} undo_seconds={info.undo_seconds} />}
        action={nextActions}
      />
      {(info.status === 'draft' || info.status === 'checked') && (
        <EmptyState
          illustration="letter"
          text="这一批还没有发送"
          action={
            <Link className="ui-button" to="/wageSend3" search={{ batch_id }}>
              去发送
            </Link>
          }
        />
      )}
      {info.undo_seconds !== null && (
        <UndoSendNotice
          batch_id={batch_id}
          recipientCount={info.queued}
          seconds={info.undo_seconds}
          receivedAt={receivedAt}
          onEnd={onRefresh}
          onUndone={backToPlan}
        />
      )}
      {info.status === 'scheduled' && info.undo_seconds === null && info.scheduled_at && (
        <ScheduledSend batch_id={batch_id} info={info} scheduled_at={info.scheduled_at} onCancelled={backToPlan} />
      )}
      {running && <SendProgress batch_id={batch_id} info={info} />}
      {info.status === 'withdrawn' && <WithdrawnNotice batch_id={batch_id} people={info.withdrawn} />}
      {isComplete && <SentNotice batch_id={batch_id} info={info} />}
      {finished && info.unsent > 0 && <UnsentNotice batch_id={batch_id} status={info.status} count={info.unsent} />}
      {(running || finished) && (
        <>
          <FailedDeliveries batch_id={batch_id} info={info} />
          <UnknownDeliveries batch_id={batch_id} info={info} />
          <SendStatistics info={info} />
          <FallbackDeliveries info={info} />
          <CopyEmployeeLink link={info.link} />
        </>
      )}
    </div>
  )
}

const channelOrder = ['platform', 'sms', 'email', 'link'] as const
/** How everybody was notified, in the order of the channels: 「飞书 98 人，短信 30 人」. */
const formatChannels = ({ by_channel }: SendInfo): string =>
  channelOrder
    .flatMap((channel) => by_channel.find((one) => one.channel === channel && one.count > 0) ?? [])
    .map(({ channel, count }) => `${channelDescriptions[channel].name} ${formatCount(count)} 人`)
    .join('，')

/** Everything arrived: who was notified how, and what comes next. */
function SentNotice({ batch_id, info }: { batch_id: string; info: SendInfo }) {
  const navigate = useNavigate()
  const unviewed = info.sent - info.viewed
  return (
    <section className={`ui-card ${styles.sent} ui-words`} role="status">
      <span className={styles.sentMark} aria-hidden>
        <Icon name="check" size={32} />
      </span>
      <div className="ui-grow">
        <h2>{formatCount(info.sent)} 人的工资条都已发出</h2>
        <p className="ui-label">
          {formatChannels(info)}。
          {unviewed > 0
            ? `接下来等员工查看和确认；还有 ${formatCount(unviewed)} 人未查看，过一两天可以在明细里提醒他们。`
            : '所有人都已查看。'}
        </p>
      </div>
      <div className="ui-row">
        <Link className="ui-button" to="/wageSend1">
          再发一批
        </Link>
        <Button
          type={info.unsent === 0 ? 'primary' : 'default'}
          onClick={() => void navigate({ to: '/wageDetail', search: { batch_id } })}
        >
          查看明细
        </Button>
      </div>
    </section>
  )
}

/** The recipients of the sheet who have no payslip yet: left out, or not reachable when the others were sent. */
const UnsentNotice = ({ batch_id, status, count }: { batch_id: string; status: BatchStatus; count: number }) => (
  <section className={`ui-card ui-row ${styles.clear} ui-words`} aria-label="未发送">
    <Icon name="clock" size={24} />
    <p className="ui-grow">
      <strong>还有 {formatCount(count)} 人未发送</strong>
      <br />
      他们还在这一批里，核对和修改都已保留。
    </p>
    <SendRestButton batch_id={batch_id} status={status} count={count} />
  </section>
)

/** The options after a withdrawal: send to the same recipients again after single corrections, or upload another wage sheet. */
const WithdrawnNotice = ({ batch_id, people: recipientCount }: { batch_id: string; people: number }) => (
  <section className={`ui-card ui-row ${styles.clear} ui-words`} aria-label="已撤回">
    <Icon name="warn" size={24} />
    <p className="ui-grow">
      <strong>{formatCount(recipientCount)} 人的工资条已经撤回，现在打不开了</strong>
      <br />
      改好以后可以重新发送给他们；改动多的，上传改好的工资表再发。
    </p>
    <Link to="/wageSend1" search={{}} className="ui-button">
      上传改好的表
    </Link>
    <Link to="/wageDetail" search={{ batch_id }} className="ui-button">
      修改和重新发送
    </Link>
  </section>
)
