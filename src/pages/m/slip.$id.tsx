import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import type { getSlip } from '../../../server/contract/own/employee.ts'
import { can } from '../../../server/contract/words/states.ts'
import { SlipWaiting } from '../../parts/ahead/waiting.tsx'
import { HolderStep } from '../../parts/employee/holder-step.tsx'
import { later, useFetched } from '../../parts/employee/later.tsx'
import styles from '../../parts/employee/m.module.css'
import {
  closesAfterLook,
  isClosed,
  isElsewhere,
  isGone,
  isLocked,
  isUnconfirmed,
  slipQuery,
  useRecheck,
  useRefusal,
} from '../../parts/employee/queries.ts'
import { Top } from '../../parts/employee/top.tsx'
import { UnlockStep } from '../../parts/employee/unlock-step.tsx'
import { SlipView } from '../../parts/slip/view/slip-view.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { day, dayAndTime } from '../../ui/value/dates.ts'
import { StatusDot } from '../../ui/value/status-dot.tsx'

export const Route = createFileRoute('/m/slip/$id')({ staticData: { title: '工资条' }, component: SlipPage })

function SlipPage() {
  const { id } = Route.useParams()
  const [opened, setOpened] = useState('')
  const asked = useQuery(slipQuery(id, opened === id))
  const refusal = useRefusal(asked)
  const { data, refetch } = asked
  const again = useCallback(() => void refetch(), [refetch])
  useRecheck()
  const isSettled = data !== undefined || refusal !== null
  // What the page drew before the app had come is seen once: whoever comes back may have hidden his amounts.
  useEffect(() => {
    if (isSettled) window.sight = undefined
  }, [isSettled])
  // A refusal counts more than what was shown before it.
  if (isGone(refusal) || isElsewhere(refusal)) return <Gone slip_id={id} was={data !== undefined} />
  if (isUnconfirmed(refusal)) return <HolderStep title="工资条" />
  if (isLocked(refusal)) return <UnlockStep title="工资条" />
  if (closesAfterLook(refusal)) return <Opening minutes={Number(refusal?.data.minutes)} onOpen={() => setOpened(id)} />
  if (isClosed(refusal)) return <Closed slip_id={id} refusal={refusal} />
  if (data) return <Shown data={data} again={again} />
  return (
    <>
      <Top title="工资条" to="/m/slips" />
      {refusal ? (
        <main className={styles.pad}>
          <ErrorState error={refusal} retry={again} />
        </main>
      ) : (
        <main>
          <SlipWaiting sight={window.sight?.slip_id === id ? window.sight : undefined} />
        </main>
      )}
    </>
  )
}

// Few slips close: what says so comes when it is needed.
const Opening = later(async () => (await import('../../parts/employee/open/closing.tsx')).Opening)
const Closed = later(async () => (await import('../../parts/employee/open/closing.tsx')).Closed)
const Foot = later(async () => (await import('../../parts/employee/open/foot.tsx')).Foot, { quiet: true })
const Why = later(async () => (await import('../../parts/employee/open/why.tsx')).Why)
const Live = later(async () => (await import('../../parts/employee/open/live.tsx')).Live, { quiet: true })
const Gone = later(async () => (await import('../../parts/employee/open/gone.tsx')).Gone)
/** Comes when the slip is quiet, so that its first view stays light and confirming does not wait. */
const confirmSheet = async () => (await import('../../parts/employee/confirm.tsx')).ConfirmSheet

function Shown({ data, again }: { data: OutputOf<typeof getSlip>; again: () => void }) {
  const { slip_id, slip, version, hash, status, rules } = data
  const [chosen, setChosen] = useState<boolean | null>(null)
  const [{ confirming, presses }, setPressed] = useState<{ confirming: number | null; presses: number }>({
    confirming: null,
    presses: 0,
  })
  const [why, setWhy] = useState(false)
  const hidden = chosen ?? data.pay_hide
  const mayConfirm = rules.confirm && can.confirm(status) === true
  const mayAsk = rules.feedback || data.feedback_id !== null
  const { part: ConfirmSheet, failed } = useFetched(confirmSheet, { wanted: presses, ahead: mayConfirm })
  return (
    <>
      <Top
        title="工资条"
        to="/m/slips"
        action={
          <button type="button" className={`${styles.link} ${styles.wide}`} onClick={() => print()}>
            打印
          </button>
        }
      />
      <main className={styles.slip}>
        <Live key={slip_id} shown={data} again={again} hidden={hidden} />
        <SlipView
          slip={slip}
          hidden={hidden}
          onHide={setChosen}
          last={data.last}
          onWhy={() => setWhy(true)}
          corrected={data.corrected}
          watermark={data.watermark}
          issued={data.sent_at && day(data.sent_at)}
          state={
            data.confirmed_at && (
              <p>
                <StatusDot salary="confirmed" /> · {data.confirmed_auto && '到期自动 · '}
                {dayAndTime(data.confirmed_at)}
              </p>
            )
          }
        />
        <Foot shown={{ ...data, pay_hide: hidden }} again={again} />
      </main>
      {why && <Why slip_id={slip_id} onClose={() => setWhy(false)} />}
      {failed && confirming !== null && (
        <p className={`${styles.note} ${styles.fieldError}`} role="alert">
          网络不通，暂时不能确认。工资条不受影响，网络恢复后再点「确认」。
        </p>
      )}
      {(mayConfirm || mayAsk) && (
        <footer className={`${styles.bar} no-print`}>
          {mayAsk && (
            <Link to="/m/feedback/$id" params={{ id: slip_id }} className={`ui-button ${styles.button}`}>
              {data.answer_unread ? '查看回复' : data.feedback_id ? '查看疑问' : '有疑问'}
            </Link>
          )}
          {mayConfirm && (
            <button
              type="button"
              className={`ui-button ${styles.button} ${styles.primary}`}
              onClick={() => setPressed({ confirming: version, presses: presses + 1 })}
            >
              确认
            </button>
          )}
        </footer>
      )}
      {confirming === version && mayConfirm && ConfirmSheet && (
        <ConfirmSheet
          slip={{ slip_id, version, hash, title: slip.title, net: slip.net, hidden }}
          onClose={() => setPressed({ confirming: null, presses })}
        />
      )}
    </>
  )
}
