import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getIndex } from '../../../../server/contract/corp/company.ts'
import { getLayout, getPreviewMember } from '../../../../server/contract/sheet/sheet.ts'
import { getSendOptions, type SendOptions, sendPaySheet } from '../../../../server/contract/slip/slip.ts'
import { holders } from '../../../../server/contract/who.ts'
import { ApiError, query, useCall } from '../../../api.ts'
import { Overtaken } from '../../../parts/sheet/overtaken.tsx'
import { batchOf } from '../../../parts/sheet/search.ts'
import { ApprovalNote, approvalQuery, useApproval } from '../../../parts/sheet/send/approval.tsx'
import { Rehearse } from '../../../parts/sheet/send/rehearse.tsx'
import { SendChannels } from '../../../parts/sheet/send/send-channels.tsx'
import { Locked, type Plan, PlanSummary, SendDialog, SendHint } from '../../../parts/sheet/send/send-plan.tsx'
import { SendRules } from '../../../parts/sheet/send/send-rules.tsx'
import { clockOf, instantOf, SendWhen, wallOf } from '../../../parts/sheet/send/send-when.tsx'
import { SendWho } from '../../../parts/sheet/send/send-who.tsx'
import { useSendOptions } from '../../../parts/sheet/send/use-options.ts'
import { askedFor, reasonOf, usePlan, verbOf, whyNot } from '../../../parts/sheet/send/use-plan.ts'
import styles from '../../../parts/sheet/send.module.css'
import { remember, sheetQuery, WithBatch, WizardPage } from '../../../parts/sheet/wizard.tsx'
import { begin, first } from '../../../routed/first.ts'
import { Act } from '../../../ui/act.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

const questionsOf = (batch_id: string) => ({
  // What is on the page is the page's own while one chooses; the answer only begins it.
  chosen: { ...query(getSendOptions, { batch_id }), gcTime: 0 },
  people: query(getPreviewMember, { batch_id, page: 1, pagesize: 1 }),
  layout: query(getLayout, { batch_id }),
  home: query(getIndex, {}),
})

export const Route = createFileRoute('/_desk/_send/wageSend3')({
  staticData: { title: '发送工资条', section: 'wage', who: holders('2') },
  validateSearch: batchOf,
  loader: ({ route, location }) =>
    first(route, () => {
      const { batch_id } = batchOf(location.search)
      if (!batch_id) return
      const { chosen, people, layout, home } = questionsOf(batch_id)
      return [
        begin(sheetQuery(batch_id)),
        begin(chosen),
        begin(people),
        begin(layout),
        begin(home),
        begin(approvalQuery(batch_id)),
      ]
    }),
  component: WageSend3,
})

const title = '发送'

/** Step 4: the plan as it follows from who, how and when; and the last question. */
function WageSend3() {
  const { batch_id } = Route.useSearch()
  return (
    <WithBatch step={3} title={title} batch_id={batch_id}>
      {(id) => <Loaded key={id} batch_id={id} />}
    </WithBatch>
  )
}

function Loaded({ batch_id }: { batch_id: string }) {
  const questions = questionsOf(batch_id)
  const chosen = useQuery({ ...questions.chosen, refetchOnWindowFocus: false })
  const people = useQuery({ ...questions.people, refetchOnWindowFocus: false })
  const layout = useQuery(questions.layout)
  const home = useQuery(questions.home)
  const [beginning, setBeginning] = useState(0)
  const anew = async () => {
    await chosen.refetch()
    setBeginning((times) => times + 1)
  }
  if (chosen.data && people.data && layout.data)
    return (
      <Page
        key={beginning}
        batch_id={batch_id}
        begun={chosen.data}
        people={people.data.page.total}
        layout={layout.data}
        smsLeft={home.data?.sms_left}
        anew={() => void anew()}
      />
    )
  const error = chosen.error ?? people.error ?? layout.error
  const retry = () => void Promise.all([chosen.refetch(), people.refetch(), layout.refetch()])
  return (
    <WizardPage step={3} batch_id={batch_id} title={title}>
      {error ? <ErrorState error={error} retry={retry} /> : <Skeleton rows={10} />}
    </WizardPage>
  )
}

/** Why nothing can be sent, and where that is put right. */
const Wrong = ({ why, batch_id }: { why: string; batch_id: string }) => (
  <div className={styles.wrong} role="alert">
    <Icon name="warn" />
    <p>
      {why}{' '}
      <Link to="/check" search={{ batch_id }}>
        回到核对
      </Link>
    </p>
  </div>
)

/** The plan is frozen on the server, or refused in words that stay on the page. */
function useFreezing(batch_id: string, flush: () => Promise<boolean>) {
  const [frozen, setFrozen] = useState<Plan | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const refuses = (one: unknown): one is ApiError => one instanceof ApiError && one.is('wrong_state')
  const freeze = useCall(sendPaySheet, { onSuccess: setFrozen, handles: refuses })
  const ask = async (options: SendOptions) => {
    setRefused(null)
    if (!(await flush())) return
    freeze.mutate(
      { ...askedFor(batch_id, options), rules: options.rules },
      { onError: (one) => refuses(one) && setRefused(one.message) },
    )
  }
  return {
    frozen,
    refused,
    isPending: freeze.isPending,
    ask,
    /** Nothing is frozen any more; because of this, where there is a reason. */
    thaw: (why?: string) => {
      setFrozen(null)
      if (why !== undefined) setRefused(why)
    },
  }
}

type WaysProps = {
  options: SendOptions
  choose: (change: Partial<SendOptions>) => void
  smsLeft: number | undefined
  people: number
}
/** How, when, and by which rules. */
const Ways = ({ options, choose, smsLeft, people }: WaysProps) => (
  <>
    <div className={styles.two}>
      <SendChannels chosen={options.channels} smsLeft={smsLeft} people={people} onChange={(channels) => choose({ channels })} />
      <SendWhen
        when={options.when && wallOf(options.when)}
        onChange={(when) => choose({ when: when === null ? null : instantOf(when) })}
      />
    </div>
    <SendRules rules={options.rules} onChange={(rules) => choose({ rules })} />
  </>
)

/** True from the first time on. The first plan stands above what is chosen: until it is known, or why there is none, nothing stands below it. */
function useOnce(now: boolean): boolean {
  const [once, setOnce] = useState(now)
  if (now && !once) setOnce(true)
  return now || once
}

type ChoicesProps = WaysProps & {
  batch_id: string
  plan: ReturnType<typeof usePlan>['plan']
  hint: string
  flush: () => Promise<boolean>
}
/** To whom, how and when; what people will see of it, and a slip on trial. */
const Choices = ({ batch_id, options, choose, smsLeft, people, plan, hint, flush }: ChoicesProps) => (
  <>
    <SendHint batch_id={batch_id} hint={hint} />
    <SendWho batch_id={batch_id} people={people} rows={options.rows} onRows={(rows) => choose({ rows })} />
    <Ways {...{ options, choose, smsLeft }} people={options.rows?.length ?? people} />
    {plan && <Locked plan={plan} />}
    <Rehearse {...{ batch_id }} channels={options.channels} ready={flush} />
  </>
)

function Page(props: {
  batch_id: string
  begun: OutputOf<typeof getSendOptions>
  people: number
  layout: OutputOf<typeof getLayout>
  smsLeft: number | undefined
  anew: () => void
}) {
  const { batch_id, people, layout } = props
  const navigate = useNavigate()
  const { options, choose, flush, overtaken, insist, letGo } = useSendOptions(batch_id, props.begun)
  const reason = reasonOf(options, people)
  const { plan, error, isBehind, again } = usePlan(reason ? null : askedFor(batch_id, options))
  const freezing = useFreezing(batch_id, flush)
  const count = options.rows?.length ?? people
  const why = freezing.refused ?? (error ? error.message : null)
  const stands = useOnce(Boolean(plan || reason || why))
  const sent = () => {
    remember(null)
    void navigate({ to: '/SendSucc', search: { batch_id }, replace: true })
  }
  const approval = useApproval(batch_id)
  const cannot = whyNot({ reason, overtaken, error, plan, isBehind })
  return (
    <WizardPage
      step={3}
      batch_id={batch_id}
      title={title}
      note={layout.title}
      foot={
        <>
          <span className="ui-grow ui-hint">还没有发出，点按钮后会再问一次</span>
          <Act
            type="primary"
            size="large"
            verdict={cannot}
            loading={freezing.isPending}
            onClick={() => void freezing.ask(options)}
          >
            {verbOf(plan, options, approval)} {plan?.count ?? count} 人
          </Act>
        </>
      }
    >
      <ApprovalNote {...{ batch_id, approval }} onSent={sent} />
      {overtaken && (
        <Overtaken
          why={overtaken}
          what="选项"
          onTheirs={() => {
            letGo()
            props.anew()
          }}
          onMine={() => void insist()}
        />
      )}
      {why && <Wrong why={why} batch_id={batch_id} />}
      {plan ? <PlanSummary plan={plan} behind={isBehind} /> : !reason && !why && <Skeleton rows={stands ? 2 : 10} />}
      {stands && <Choices {...{ batch_id, options, choose, plan, flush, people }} smsLeft={props.smsLeft} hint={layout.hint} />}
      {freezing.frozen && (
        <SendDialog
          {...{ batch_id, plan: freezing.frozen }}
          title={layout.title}
          hint={layout.hint}
          at={clockOf(options.when)}
          onClose={() => freezing.thaw()}
          onVoid={(said) => {
            freezing.thaw(said)
            again()
          }}
          onAsked={() => freezing.thaw()}
          onSent={sent}
        />
      )}
    </WizardPage>
  )
}
