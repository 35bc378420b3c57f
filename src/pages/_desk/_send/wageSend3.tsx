import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getIndex } from '../../../../server/contract/company/company.ts'
import { getSendOptions, type SendOptions, sendPaySheet } from '../../../../server/contract/payslips/send.ts'
import { getLayout, getPreviewMember } from '../../../../server/contract/sheets/sheet.ts'
import { ApiError, callQuery, useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { toInstant } from '../../../components/value/wall-clock.ts'
import { EditConflict } from '../../../features/sheets/edit-conflict.tsx'
import { parseBatchSearch } from '../../../features/sheets/search.ts'
import { getSendApprovalQuery, SendApprovalNotice, SendButton, useSendApproval } from '../../../features/sheets/send/approval.tsx'
import type { ConfirmedSendPlan } from '../../../features/sheets/send/confirmed-plan.ts'
import { SendChannels } from '../../../features/sheets/send/send-channels.tsx'
import { ConfirmSendDialog, LockScreenPreviews, SendHintNote, SendPlanSummary } from '../../../features/sheets/send/send-plan.tsx'
import { SendRecipients } from '../../../features/sheets/send/send-recipients.tsx'
import { SendRules } from '../../../features/sheets/send/send-rules.tsx'
import { formatWallClock, SendTime, toWallClock } from '../../../features/sheets/send/send-time.tsx'
import { TestSendSection } from '../../../features/sheets/send/test-send.tsx'
import { useSendOptions } from '../../../features/sheets/send/use-options.ts'
import { checkCanSend, getNoPlanReason, toSendPlanRequest, useSendPlan } from '../../../features/sheets/send/use-plan.ts'
import styles from '../../../features/sheets/send.module.css'
import { RequireBatch, saveWizardStep, sheetQuery, useSheetQuery, WizardPage } from '../../../features/sheets/wizard.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const getQueries = (batch_id: string) => ({
  // The page owns the options while the user chooses; the response only initializes them.
  selected: { ...callQuery(getSendOptions, { batch_id }), gcTime: 0 },
  people: callQuery(getPreviewMember, { batch_id, page: 1, pagesize: 1 }),
  layout: callQuery(getLayout, { batch_id }),
  home: callQuery(getIndex, {}),
})

export const Route = createFileRoute('/_desk/_send/wageSend3')({
  staticData: { title: '发送工资条', section: 'wage', who: requirePower('2') },
  validateSearch: parseBatchSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { batch_id } = parseBatchSearch(location.search)
      if (!batch_id) return
      const { selected, people, layout, home } = getQueries(batch_id)
      return [
        prefetchQuery(sheetQuery(batch_id)),
        prefetchQuery(selected),
        prefetchQuery(people),
        prefetchQuery(layout),
        prefetchQuery(home),
        prefetchQuery(getSendApprovalQuery(batch_id)),
      ]
    }),
  component: WageSend3,
})

const title = '发送'

/** Step 4: the send plan that results from recipients, channels and time, and the final confirmation. */
function WageSend3() {
  const { batch_id } = Route.useSearch()
  return (
    <RequireBatch step={3} title={title} batch_id={batch_id}>
      {(id) => <SendLoader key={id} batch_id={id} />}
    </RequireBatch>
  )
}

function SendLoader({ batch_id }: { batch_id: string }) {
  const queries = getQueries(batch_id)
  const sendOptions = useQuery({ ...queries.selected, refetchOnWindowFocus: false })
  const previewMembers = useQuery({ ...queries.people, refetchOnWindowFocus: false })
  const layout = useQuery(queries.layout)
  const home = useQuery(queries.home)
  const [revision, setRevision] = useState(0)
  const reload = async () => {
    await sendOptions.refetch()
    setRevision((previous) => previous + 1)
  }
  if (sendOptions.data && previewMembers.data && layout.data)
    return (
      <SendContent
        key={revision}
        batch_id={batch_id}
        started={sendOptions.data}
        people={previewMembers.data.page.total}
        layout={layout.data}
        smsLeft={home.data?.sms_left ?? undefined}
        retry={() => void reload()}
      />
    )
  const error = sendOptions.error ?? previewMembers.error ?? layout.error
  const retry = () => void Promise.all([sendOptions.refetch(), previewMembers.refetch(), layout.refetch()])
  return (
    <WizardPage step={3} batch_id={batch_id} title={title}>
      {error ? <ErrorState error={error} retry={retry} /> : <Skeleton rows={10} />}
    </WizardPage>
  )
}

/** States why nothing can be sent and links to where that can be fixed. */
const SendBlockedNote = ({ why: reason, batch_id }: { why: string; batch_id: string }) => (
  <div className={styles.wrong} role="alert">
    <Icon name="warn" />
    <p>
      {reason}{' '}
      <Link to="/check" search={{ batch_id }}>
        回到核对
      </Link>
    </p>
  </div>
)

/** Freezes the plan on the server; an error message stays on the page. */
function useFrozenPlan(batch_id: string, flush: () => Promise<boolean>) {
  const [frozen, setFrozen] = useState<ConfirmedSendPlan | null>(null)
  const [errorText, setErrorText] = useState<string | null>(null)
  const isWrongState = (error: unknown): error is ApiError => error instanceof ApiError && error.is('wrong_state')
  const freeze = useCallMutation(sendPaySheet, { onSuccess: setFrozen, handles: isWrongState })
  const requestPlan = async (options: SendOptions) => {
    setErrorText(null)
    if (!(await flush())) return
    freeze.mutate(
      { ...toSendPlanRequest(batch_id, options), rules: options.rules },
      { onError: (error) => isWrongState(error) && setErrorText(error.message) },
    )
  }
  return {
    frozen,
    refused: errorText,
    isPending: freeze.isPending,
    send: requestPlan,
    /** Unfreezes the plan, with a reason if there is one. */
    thaw: (why?: string) => {
      setFrozen(null)
      if (why !== undefined) setErrorText(why)
    },
  }
}

type SendChoicesProps = {
  /** A part of the batch was sent: the rest keeps its rules. */
  isRest: boolean
  options: SendOptions
  onChange: (change: Partial<SendOptions>) => void
  smsLeft: number | undefined
  recipientCount: number
}
/** The choices of channels, time and rules. */
const SendMethodChoices = ({ isRest, options, onChange, smsLeft, recipientCount }: SendChoicesProps) => (
  <>
    <div className={styles.two}>
      <SendChannels
        selected={options.channels}
        smsLeft={smsLeft}
        people={recipientCount}
        onChange={(channels) => onChange({ channels })}
      />
      <SendTime
        when={options.when && toWallClock(options.when)}
        onChange={(when) => onChange({ when: when === null ? null : toInstant(when) })}
      />
    </div>
    {!isRest && <SendRules rules={options.rules} onChange={(rules) => onChange({ rules })} />}
  </>
)

/**
 * Returns true from the first time `current` was true. The first plan appears above the choices: nothing is rendered
 * below it until the plan, or the reason for its absence, is known.
 */
function useHasBeenTrue(current: boolean): boolean {
  const [hasBeen, setHasBeen] = useState(current)
  if (current && !hasBeen) setHasBeen(true)
  return current || hasBeen
}

type AllChoicesProps = SendChoicesProps & {
  batch_id: string
  hint: string
  flush: () => Promise<boolean>
}
/** The choices of recipients, channels and time, what recipients will see, and a test send. */
const SendChoices = ({ batch_id, isRest, options, onChange, smsLeft, recipientCount, hint, flush }: AllChoicesProps) => (
  <>
    <SendHintNote batch_id={batch_id} hint={hint} />
    <SendRecipients
      batch_id={batch_id}
      isRest={isRest}
      people={recipientCount}
      rows={options.rows}
      onRows={(rows) => onChange({ rows })}
    />
    <SendMethodChoices {...{ isRest, options, onChange, smsLeft }} recipientCount={options.rows?.length ?? recipientCount} />
    <TestSendSection {...{ batch_id }} channels={options.channels} ready={flush} />
  </>
)

function SendContent(props: {
  batch_id: string
  started: CallOutput<typeof getSendOptions>
  people: number
  layout: CallOutput<typeof getLayout>
  smsLeft: number | undefined
  retry: () => void
}) {
  const { batch_id, people: recipientCount, layout } = props
  const isRest = useSheetQuery(batch_id).data?.status === 'sent'
  const navigate = useNavigate()
  const { options, changeOptions, flush, conflict, overwrite, discard } = useSendOptions(batch_id, props.started)
  const noPlanReason = getNoPlanReason(options, recipientCount)
  const {
    plan,
    error,
    isBehind: isStale,
    again: refetchPlan,
  } = useSendPlan(noPlanReason ? null : toSendPlanRequest(batch_id, options))
  const frozenPlan = useFrozenPlan(batch_id, flush)
  const count = options.rows?.length ?? recipientCount
  const blockedReason = frozenPlan.refused ?? (error ? error.message : null)
  const showsChoices = useHasBeenTrue(Boolean(plan || noPlanReason || blockedReason))
  const onSent = () => {
    saveWizardStep(null)
    void navigate({ to: '/SendSucc', search: { batch_id }, replace: true })
  }
  const approval = useSendApproval(batch_id)
  const canSend = checkCanSend({ reason: noPlanReason, overtaken: conflict, error, plan, isBehind: isStale })
  return (
    <WizardPage
      step={3}
      batch_id={batch_id}
      title={title}
      note={layout.title}
      foot={
        <>
          <span className="ui-grow ui-hint">尚未发送，点击后需再次确认</span>
          <SendButton
            {...{ plan, options, approval }}
            people={count}
            allowed={canSend}
            loading={frozenPlan.isPending}
            onClick={() => void frozenPlan.send(options)}
          />
        </>
      }
    >
      <SendApprovalNotice {...{ batch_id, approval }} onSent={onSent} />
      {conflict && (
        <EditConflict
          why={conflict}
          what="选项"
          onTheirs={() => {
            discard()
            props.retry()
          }}
          onOwn={() => void overwrite()}
        />
      )}
      {blockedReason && <SendBlockedNote why={blockedReason} batch_id={batch_id} />}
      <div className={styles.columns}>
        <div className={styles.summary}>
          {plan ? (
            <>
              <SendPlanSummary plan={plan} behind={isStale} />
              <LockScreenPreviews plan={plan} />
            </>
          ) : (
            !noPlanReason && !blockedReason && <Skeleton rows={showsChoices ? 2 : 10} />
          )}
        </div>
        {showsChoices && (
          <div className="ui-stack">
            <SendChoices
              {...{ batch_id, isRest, options, onChange: changeOptions, flush, recipientCount }}
              smsLeft={props.smsLeft}
              hint={layout.hint}
            />
          </div>
        )}
      </div>
      {frozenPlan.frozen && (
        <ConfirmSendDialog
          {...{ batch_id, plan: frozenPlan.frozen }}
          title={layout.title}
          hint={layout.hint}
          at={formatWallClock(options.when)}
          onClose={() => frozenPlan.thaw()}
          onVoid={(message) => {
            frozenPlan.thaw(message)
            refetchPlan()
          }}
          onPostpone={(when) => {
            frozenPlan.thaw()
            changeOptions({ when })
            void frozenPlan.send({ ...options, when })
          }}
          onRequested={() => frozenPlan.thaw()}
          onSent={onSent}
        />
      )}
    </WizardPage>
  )
}
