import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { doSend, type getSendPlan, type sendPaySheet } from '../../../../server/contract/slip/slip.ts'
import { applySend } from '../../../../server/contract/wage/send/approve.ts'
import { type Channel, channels } from '../../../../server/contract/words/words.ts'
import { ApiError, intent, useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { type Figure, Numbers } from '../../../ui/page/numbers.tsx'
import { LockedMessages } from '../../slip/setting/locked-messages.tsx'
import styles from '../send.module.css'
import { channelWords } from '../words.ts'
import { PlatformToday } from './platform-today.tsx'
import { SendLooks } from './send-looks.tsx'

export type Plan = OutputOf<typeof sendPaySheet>

const count = (value: number) => value.toLocaleString('zh-CN')

type Told = OutputOf<typeof getSendPlan>
/** A long message is charged as several: said where it is so. */
const eachText = ({ sms_each }: Told) => (sms_each > 1 ? `（内容较长，每人按 ${sms_each} 条计费）` : '')
const most_named = 30
const named = (people: Told['unreachable']) =>
  `${people
    .slice(0, most_named)
    .map(({ row, name }) => `${name || '无名'}（第 ${row} 行）`)
    .join('、')}${people.length > most_named ? ` 等 ${people.length} 人` : ''}`

/** What people see of it before they unlock their phones: the words that the server makes the messages of. */
export function Locked({ plan }: { plan: Told }) {
  if (plan.shown.length === 0) return null
  return (
    <section className="ui-card ui-stack" aria-labelledby="send-locked">
      <h2 id="send-locked">锁屏上看到的</h2>
      <LockedMessages
        shown={plan.shown}
        provider={plan.platform_today?.provider ?? null}
        note={({ channel, text }) =>
          channel === 'sms' ? `${[...text].length} 字，按 ${plan.sms_each} 条计费；每人的链接不同` : undefined
        }
      />
      <p className="ui-hint">没有金额，也没有姓名；点开并登录后才能看到工资条。</p>
    </section>
  )
}

/** After the number of people: 「6 人用短信」. */
const waysOf: Record<Channel, string> = { platform: '用办公平台消息', sms: '用短信', email: '用邮件', link: '只有链接' }

/** What would be sent: how many, by which way, what it costs, and whom nothing reaches. `behind`: another is being worked out. */
export function PlanSummary({ plan, behind }: { plan: Told; behind: boolean }) {
  const items: Figure[] = [
    { key: 'count', label: '人会收到', value: count(plan.count) },
    ...channels
      .filter((channel) => plan.by_channel[channel] > 0)
      .map((channel) => ({ key: channel, label: `人${waysOf[channel]}`, value: count(plan.by_channel[channel]) })),
  ]
  return (
    <section className={`ui-stack ${styles.plan}`} aria-label="发送计划" aria-busy={behind} data-behind={behind || undefined}>
      <h2>发送计划</h2>
      <Numbers items={items} />
      <p className="ui-hint">
        <Link to="/companyMember" search={{ view: 'reach' }}>
          发薪前检查
        </Link>
        ：谁没有手机号、上次没送达、从没打开过。
      </p>
      {plan.platform_today && <PlatformToday today={plan.platform_today} />}
      {plan.sms_needed > 0 && (
        <p className="ui-label">
          要用 {count(plan.sms_needed)} 条短信{eachText(plan)}，现在余 {count(plan.sms_left)} 条，发完余{' '}
          {count(plan.sms_left - plan.sms_needed)} 条。
        </p>
      )}
      {plan.sms_more > 0 && (
        <p className="ui-label">前面的方式没送到的人会自动改用短信，最多再用 {count(plan.sms_more)} 条；短信不够时再往后试。</p>
      )}
      {plan.without_sms.length > 0 && (
        <div className={styles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <div>
            <strong>
              短信只余 {count(plan.sms_left)} 条{eachText(plan)}，{plan.without_sms.length} 人轮不到，这次不会发给他们
            </strong>
            <p className={styles.names}>{named(plan.without_sms)}</p>
            <p>在「怎么发」里加选「只生成链接」，他们就用链接；也可以请系统管理员购买短信后再发。</p>
          </div>
        </div>
      )}
      {plan.stopped.length > 0 && (
        <div className={styles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <div>
            <strong>{plan.stopped.length} 人要先确认身份，这次不会发给他们，其他人照常发送</strong>
            <ul className={styles.names}>
              {plan.stopped.slice(0, most_named).map(({ row, name, why }) => (
                <li key={row}>
                  <Link to="/companyMember" search={{ name }}>
                    {name}
                  </Link>
                  （第 {row} 行）：{why}
                </li>
              ))}
            </ul>
            {plan.stopped.length > most_named && <p>等 {plan.stopped.length} 人。</p>}
          </div>
        </div>
      )}
      {plan.unreachable.length > 0 && (
        <div className={styles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <div>
            <strong>{plan.unreachable.length} 人用选中的方式联系不到，这次不会发给他们</strong>
            <p className={styles.names}>{named(plan.unreachable)}</p>
            <p>
              可以多选一种发送方式，或在<Link to="/companyMember">花名册</Link>里补上手机号，再回到这里。
            </p>
          </div>
        </div>
      )}
    </section>
  )
}

/** What stands below everybody's slip: also last month's words, if nobody has changed them. */
export function SendHint({ batch_id, hint }: { batch_id: string; hint: string }) {
  if (!hint) return null
  return (
    <section className={`ui-card ui-stack ${styles.words}`} aria-labelledby="send-words">
      <div className="ui-row">
        <h2 id="send-words" className="ui-grow">
          给全体员工的话
        </h2>
        <Link to="/wageSend2" search={{ batch_id }}>
          修改
        </Link>
      </div>
      <blockquote>{hint}</blockquote>
      <p className="ui-hint">会写在每张工资条最下面，请看一下是不是这次要说的</p>
    </section>
  )
}

const isVoid = (error: Error) => error instanceof ApiError && (error.is('sms_used_up') || error.is('wrong_state'))

/** The last question before people are reached. One opened dialog is one intent: pressing twice sends once. */
export function SendDialog(props: {
  batch_id: string
  plan: Plan
  title: string
  at: string | null
  /** Words below everybody's slip. */
  hint: string
  onSent: () => void
  /** Somebody else approves it first, and was asked. */
  onAsked: () => void
  /** The plan is void: the sheet changed in another window, or the messages were used up meanwhile. */
  onVoid: (why: string) => void
  onClose: () => void
}) {
  const { plan, title, at, hint } = props
  const [key] = useState(intent)
  const [looked, setLooked] = useState(false)
  const mustLook = plan.looks.length > 0
  const send = useCall(doSend, {
    key,
    handles: isVoid,
    onSuccess: props.onSent,
  })
  const apply = useCall(applySend, {
    key,
    handles: isVoid,
    onSuccess: () => {
      toast.done('已提交，等另一位管理员审批；通过后在本页发送')
      props.onAsked()
    },
  })
  const ways = channels.filter((channel) => plan.by_channel[channel] > 0)
  return (
    <ConfirmDialog
      open
      title={plan.needs_approval ? '提交审批？' : at ? `定在 ${at} 发送？` : '现在发送？'}
      action={plan.needs_approval ? '提交审批' : at ? `定时发送 ${plan.count} 人` : `发送 ${plan.count} 人`}
      busy={send.isPending || apply.isPending}
      verdict={mustLook && !looked ? '请先看过下面列出的姓名和金额' : true}
      onConfirm={() =>
        (plan.needs_approval ? apply : send).mutate(
          { plan_id: plan.plan_id, ...(mustLook ? { looked } : {}) },
          { onError: (error) => isVoid(error) && props.onVoid(error.message) },
        )
      }
      onClose={props.onClose}
    >
      <p>
        「{title}」{plan.needs_approval ? '由另一位管理员同意后，' : ''}
        {at ? '到时候会' : plan.undo_seconds > 0 ? '会' : '会马上'}发给 {plan.count} 人：
        {ways.map((channel) => `${channelWords[channel].name} ${plan.by_channel[channel]} 人`).join('、')}。
      </p>
      {plan.sms_needed > 0 && (
        <p>
          使用 {plan.sms_needed} 条短信{eachText(plan)}。
        </p>
      )}
      {plan.stopped.length > 0 && <p>{plan.stopped.length} 人等待确认身份，不在其中。</p>}
      {plan.without_sms.length > 0 && <p>{plan.without_sms.length} 人短信不够，不在其中。</p>}
      {plan.unreachable.length > 0 && <p>{plan.unreachable.length} 人联系不到，不在其中。</p>}
      {hint && <p>每张工资条最下面写着：「{hint}」</p>}
      {mustLook && <SendLooks batch_id={props.batch_id} plan={plan} looked={looked} onLooked={setLooked} />}
      <p className="ui-hint">
        {plan.undo_seconds > 0 && `按下后先等 ${plan.undo_seconds} 秒再发出，这段时间里可以撤销，不花一条短信。`}
        {at ? '到时间之前可以改时间，也可以取消。' : '发出后表格不能再改；可以撤回，或更正单个人的工资条。'}
      </p>
    </ConfirmDialog>
  )
}
