import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { getSendInfo } from '../../../../server/contract/slip/slip.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import { batchOf } from '../../../parts/sheet/search.ts'
import { type Info, Scheduled, SendProgress } from '../../../parts/sheet/send/send-progress.tsx'
import { CopyLink, Failures, OtherWays, SendNumbers, Unknown } from '../../../parts/sheet/send/send-result.tsx'
import { SendingStatus, UndoNote } from '../../../parts/sheet/send/undo.tsx'
import styles from '../../../parts/sheet/send.module.css'
import { begin, first } from '../../../routed/first.ts'
import { Icon } from '../../../ui/icon.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { Steps } from '../../../ui/page/steps.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

export const Route = createFileRoute('/_desk/_send/SendSucc')({
  staticData: { title: '发送情况', section: 'wage', who: holders('2') },
  validateSearch: batchOf,
  loader: ({ route, location }) =>
    first(route, () => {
      const { batch_id } = batchOf(location.search)
      return batch_id && begin(query(getSendInfo, { batch_id }))
    }),
  component: SendSucc,
})

/** How often to look again, in milliseconds; false when nothing will change by itself. */
const again = (info: Info | undefined): number | false => {
  if (!info) return false
  if (info.status === 'sending' || (info.queued > 0 && info.status === 'sent')) return 1000
  return info.status === 'scheduled' ? (info.undo_seconds === null ? 15_000 : 5000) : false
}

/** After the wizard: how the sending goes, and what came of it. Counted on the server, so it may be left and come back to. */
function SendSucc() {
  const { batch_id } = Route.useSearch()
  if (batch_id) return <Loaded key={batch_id} batch_id={batch_id} />
  return (
    <Empty
      text="没有指定是哪一批工资条"
      action={
        <Link className="ui-button" to="/wageSend1">
          发工资条
        </Link>
      }
    />
  )
}

function Loaded({ batch_id }: { batch_id: string }) {
  const asked = useQuery({ ...query(getSendInfo, { batch_id }), refetchInterval: ({ state }) => again(state.data) })
  if (asked.data)
    return <Page batch_id={batch_id} info={asked.data} said_at={asked.dataUpdatedAt} look={() => void asked.refetch()} />
  return (
    <div className="ui-page">
      {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
    </div>
  )
}

type Shown = { batch_id: string; info: Info; said_at: number; look: () => void }

function Page({ batch_id, info, said_at, look }: Shown) {
  const navigate = useNavigate()
  const back = () => void navigate({ to: '/wageSend3', search: { batch_id }, replace: true })
  const running = info.status === 'sending' || info.status === 'paused'
  const finished = info.status === 'sent' || info.status === 'withdrawn'
  const next = (
    <>
      <Link className="ui-button" to="/wageSend1">
        再发一批
      </Link>
      <Button type={finished ? 'primary' : 'default'} onClick={() => void navigate({ to: '/wageDetail', search: { batch_id } })}>
        查看明细
      </Button>
    </>
  )
  return (
    <div className={`ui-page ${styles.root}`}>
      <Steps at={running ? 3 : finished ? 4 : 3} />
      <PageHead
        title={info.title || '发送情况'}
        note={<SendingStatus status={info.status} undo_seconds={info.undo_seconds} />}
        action={next}
      />
      {(info.status === 'draft' || info.status === 'checked') && (
        <Empty
          drawing="letter"
          text="这一批还没有发送"
          action={
            <Link className="ui-button" to="/wageSend3" search={{ batch_id }}>
              去发送
            </Link>
          }
        />
      )}
      {info.undo_seconds !== null && (
        <UndoNote
          batch_id={batch_id}
          people={info.total}
          seconds={info.undo_seconds}
          said_at={said_at}
          onOver={look}
          onUndone={back}
        />
      )}
      {info.status === 'scheduled' && info.undo_seconds === null && info.scheduled_at && (
        <Scheduled batch_id={batch_id} info={info} scheduled_at={info.scheduled_at} onCancelled={back} />
      )}
      {running && <SendProgress batch_id={batch_id} info={info} />}
      {info.status === 'withdrawn' && <Withdrawn batch_id={batch_id} people={info.withdrawn} />}
      {info.status === 'sent' && info.queued === 0 && info.failed === 0 && info.unknown === 0 && (
        <section className={`ui-card ${styles.clear} ui-words`} role="status">
          <Icon name="check" size={24} />
          <p>
            <strong>{info.sent} 人的工资条都已发出</strong>
            <br />
            员工查看和确认的情况会显示在这里和明细里。
          </p>
        </section>
      )}
      {(running || finished) && (
        <>
          <Failures batch_id={batch_id} info={info} />
          <Unknown batch_id={batch_id} info={info} />
          <SendNumbers info={info} />
          <OtherWays info={info} />
          <CopyLink link={info.link} />
        </>
      )}
    </div>
  )
}

/** What may follow: the same people once more, put right one by one before; or another sheet. */
const Withdrawn = ({ batch_id, people }: { batch_id: string; people: number }) => (
  <section className={`ui-card ui-row ${styles.clear} ui-words`} aria-label="已撤回">
    <Icon name="warn" size={24} />
    <p className="ui-grow">
      <strong>{people} 人的工资条已经撤回，现在打不开了</strong>
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
