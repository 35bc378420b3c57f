import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import type { getSlip } from '../../../server/contract/employee.ts'
import { can } from '../../../server/contract/states.ts'
import { Gone } from '../../parts/employee/gone.tsx'
import { HolderStep } from '../../parts/employee/holder-step.tsx'
import { isGone, isLocked, isUnconfirmed, slipQuery, useRecheck, useRefusal } from '../../parts/employee/queries.ts'
import { Receipt } from '../../parts/employee/receipt.tsx'
import { Top } from '../../parts/employee/top.tsx'
import { UnlockStep } from '../../parts/employee/unlock-step.tsx'
import { SlipView } from '../../parts/slip/view/slip-view.tsx'
import { day, dayAndTime } from '../../ui/dates.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

export const Route = createFileRoute('/m/slip/$id')({ staticData: { title: '工资条' }, component: SlipPage })

function SlipPage() {
  const { id } = Route.useParams()
  const asked = useQuery(slipQuery(id))
  const refusal = useRefusal(asked)
  useRecheck()
  // A refusal counts more than what was shown before it.
  if (isGone(refusal)) return <Gone />
  if (isUnconfirmed(refusal)) return <HolderStep title="工资条" />
  if (isLocked(refusal)) return <UnlockStep title="工资条" />
  if (asked.data) return <Shown {...asked.data} />
  return (
    <>
      <Top title="工资条" to="/m/slips" />
      <main className="m-pad">
        {refusal ? <ErrorState error={refusal} retry={() => void asked.refetch()} /> : <Skeleton rows={9} />}
      </main>
    </>
  )
}

/** Comes when it is asked for: the first view of a slip stays light. */
const ConfirmSheet = lazy(async () => ({ default: (await import('../../parts/employee/confirm.tsx')).ConfirmSheet }))

function Shown(data: OutputOf<typeof getSlip>) {
  const { slip_id, slip, version, status, rules } = data
  const [chosen, setChosen] = useState<boolean | null>(null)
  const [confirming, setConfirming] = useState(false)
  const hidden = chosen ?? data.pay_hide
  const mayConfirm = rules.confirm && can.confirm(status) === true
  const mayAsk = rules.feedback || data.feedback_id !== null
  return (
    <>
      <Top
        title="工资条"
        to="/m/slips"
        action={
          <button type="button" className="m-link m-wide" onClick={() => print()}>
            打印
          </button>
        }
      />
      <main className="m-slip">
        <SlipView
          slip={slip}
          hidden={hidden}
          onHide={setChosen}
          last={data.last}
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
        {data.confirmed_at && <Receipt receipt={data.receipt} at={data.confirmed_at} auto={data.confirmed_auto} />}
        {rules.burn_after_minutes > 0 && (
          <p className="m-note no-print">这张工资条在您第一次查看 {span(rules.burn_after_minutes)}后关闭，之后不能再看。</p>
        )}
      </main>
      {(mayConfirm || mayAsk) && (
        <footer className="m-bar no-print">
          {mayAsk && (
            <Link to="/m/feedback/$id" params={{ id: slip_id }} className="ui-button m-button">
              {data.feedback_id ? '查看疑问' : '有疑问'}
            </Link>
          )}
          {mayConfirm && (
            <button type="button" className="ui-button m-button m-primary" onClick={() => setConfirming(true)}>
              确认
            </button>
          )}
        </footer>
      )}
      {confirming && (
        <Suspense>
          <ConfirmSheet
            slip={{ slip_id, version, title: slip.title, net: slip.net, hidden }}
            onClose={() => setConfirming(false)}
          />
        </Suspense>
      )}
    </>
  )
}

const span = (minutes: number) =>
  minutes % 1440 === 0 ? `${minutes / 1440} 天` : minutes % 60 === 0 ? `${minutes / 60} 小时` : `${minutes} 分钟`
