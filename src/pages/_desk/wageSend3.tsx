import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getIndex } from '../../../server/contract/company.ts'
import { getLayout, getPreviewMember } from '../../../server/contract/sheet.ts'
import { sendPaySheet, setting } from '../../../server/contract/slip.ts'
import { holders } from '../../../server/contract/who.ts'
import { channels as allChannels, type Channel } from '../../../server/contract/words.ts'
import { ApiError, query, useCall } from '../../api.ts'
import { type BatchSearch, batchOf, isWall } from '../../parts/sheet/search.ts'
import { SendChannels } from '../../parts/sheet/send-channels.tsx'
import { type Plan, PlanSummary, SendDialog } from '../../parts/sheet/send-plan.tsx'
import { type Rules, SendRules } from '../../parts/sheet/send-rules.tsx'
import { instantOf, isPast, SendWhen } from '../../parts/sheet/send-when.tsx'
import { SendWho } from '../../parts/sheet/send-who.tsx'
import { remember, WithBatch, WizardPage } from '../../parts/sheet/wizard.tsx'
import { packRows, unpackRows } from '../../parts/sheet/words.ts'
import { Act } from '../../ui/act.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const waysOf = (value: unknown): Channel[] | undefined => {
  if (typeof value !== 'string') return undefined
  const ways = value.split('.').filter((word): word is Channel => allChannels.some((known) => known === word))
  return [...new Set(ways)]
}
const textOf = (value: unknown) => (value === undefined ? undefined : String(value))

type Search = BatchSearch & {
  /** People by row, `4-130,133`; empty: none yet; missing: everybody. */
  rows?: string | undefined
  /** `platform.sms`, in order; missing: as the company has set. */
  ways?: string | undefined
  /** Wall clock in Shanghai. */
  when?: string | undefined
}

export const Route = createFileRoute('/_desk/wageSend3')({
  staticData: { title: '发送工资条', section: 'wage', who: holders('2') },
  validateSearch: (raw): Search => ({
    ...batchOf(raw),
    rows: textOf(raw.rows),
    ways: typeof raw.ways === 'string' ? raw.ways : undefined,
    when: isWall(raw.when) ? raw.when : undefined,
  }),
  component: WageSend3,
})

const title = '发送'

/** Step 4: who, how, when; a plan; and the last question. */
function WageSend3() {
  const { batch_id } = Route.useSearch()
  return (
    <WithBatch step={3} title={title} batch_id={batch_id}>
      {(id) => <Loaded key={id} batch_id={id} />}
    </WithBatch>
  )
}

function Loaded({ batch_id }: { batch_id: string }) {
  const settings = useQuery(query(setting, {}))
  const people = useQuery(query(getPreviewMember, { batch_id, page: 1, pagesize: 1 }))
  const layout = useQuery(query(getLayout, { batch_id }))
  const home = useQuery(query(getIndex, {}))
  if (settings.data && people.data && layout.data)
    return (
      <Page
        batch_id={batch_id}
        settings={settings.data}
        people={people.data.page.total}
        name={layout.data.title}
        smsLeft={home.data?.sms_left}
      />
    )
  const error = settings.error ?? people.error ?? layout.error
  const retry = () => void Promise.all([settings.refetch(), people.refetch(), layout.refetch()])
  return (
    <WizardPage step={3} batch_id={batch_id} title={title}>
      {error ? <ErrorState error={error} retry={retry} /> : <Skeleton rows={10} />}
    </WizardPage>
  )
}

type Settings = OutputOf<typeof setting>
const usual = ({ send_rule }: Settings): Channel[] => [
  ...(send_rule.weChat ? (['platform'] as const) : []),
  ...(send_rule.sms ? (['sms'] as const) : []),
  ...(send_rule.link ? (['link'] as const) : []),
]

function Page(props: { batch_id: string; settings: Settings; people: number; name: string; smsLeft: number | undefined }) {
  const { batch_id, settings, people, name } = props
  const search = Route.useSearch()
  const navigate = useNavigate()
  const { confirm, feedback, send_rule } = settings
  const { view_password, burn_after_minutes, watermark } = send_rule
  const [rules, setRules] = useState<Rules>({ confirm, feedback, view_password, burn_after_minutes, watermark })
  const [plan, setPlan] = useState<Plan | null>(null)
  const [asking, setAsking] = useState(false)
  const rows = useMemo(() => (search.rows === undefined ? null : unpackRows(search.rows)), [search.rows])
  const ways = waysOf(search.ways) ?? usual(settings)
  const when = search.when ?? null
  const [refused, setRefused] = useState<string | null>(null)
  const make = useCall(sendPaySheet, { onSuccess: setPlan, handles: (error) => error.is('wrong_state') })

  // A plan is what was chosen when it was made: every other choice needs another one.
  const choose = (next: { rows?: string | undefined; ways?: string; when?: string | undefined }) => {
    setPlan(null)
    void navigate({ to: '/wageSend3', search: { ...search, ...next }, replace: true })
  }
  const count = rows?.length ?? people
  const reason =
    count === 0
      ? '请至少选择一个人'
      : ways.length === 0
        ? '请至少选择一种发送方式'
        : when && isPast(when)
          ? '定时的时间已经过了'
          : null
  const planIt = () => {
    setRefused(null)
    make.mutate(
      { batch_id, channels: ways, rules, ...(rows ? { rows } : {}), ...(when ? { when: instantOf(when) } : {}) },
      { onError: (error) => error instanceof ApiError && error.is('wrong_state') && setRefused(error.message) },
    )
  }
  const cannot =
    plan?.count === 0
      ? '没有人能收到，请换一种发送方式'
      : plan && plan.sms_needed > plan.sms_left
        ? '短信不够，请联系系统管理员购买，或去掉短信'
        : (reason ?? true)
  return (
    <WizardPage
      step={3}
      batch_id={batch_id}
      title={title}
      note={name}
      foot={
        <>
          <span className="ui-grow ui-hint">
            {plan ? '还没有发出，点按钮后会再问一次' : '先生成计划，看清楚再发，不会马上发出'}
          </span>
          {plan ? (
            <Act type="primary" size="large" verdict={cannot} onClick={() => setAsking(true)}>
              {when ? '定时发送' : '发送'} {plan.count} 人
            </Act>
          ) : (
            <Act type="primary" size="large" verdict={reason ?? true} loading={make.isPending} onClick={planIt}>
              生成 {count} 人的发送计划
            </Act>
          )}
        </>
      }
    >
      <SendWho
        batch_id={batch_id}
        people={people}
        rows={rows}
        onRows={(next) => choose({ rows: next === null ? undefined : packRows(next) })}
      />
      <div className="send-two">
        <SendChannels
          chosen={ways}
          smsLeft={props.smsLeft}
          people={count}
          onChange={(next) => choose({ ways: next.join('.') })}
        />
        <SendWhen when={when} onChange={(next) => choose({ when: next ?? undefined })} />
      </div>
      <SendRules
        rules={rules}
        onChange={(next) => {
          setPlan(null)
          setRules(next)
        }}
      />
      {refused && (
        <div className="send-wrong" role="alert">
          <Icon name="warn" />
          <p>
            {refused}{' '}
            <Link to="/check" search={{ batch_id }}>
              回到核对
            </Link>
          </p>
        </div>
      )}
      {plan && <PlanSummary key={plan.plan_id} plan={plan} />}
      {plan && asking && (
        <SendDialog
          {...{ batch_id, plan }}
          title={name}
          at={when?.replace('T', ' ') ?? null}
          onClose={() => setAsking(false)}
          onVoid={(why) => {
            setAsking(false)
            setPlan(null)
            setRefused(why)
          }}
          onSent={() => {
            remember(null)
            void navigate({ to: '/SendSucc', search: { batch_id }, replace: true })
          }}
        />
      )}
    </WizardPage>
  )
}
