import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { doSend, type sendPaySheet } from '../../../server/contract/slip.ts'
import { channels } from '../../../server/contract/words.ts'
import { ApiError, intent, useCall } from '../../api.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type Figure, Numbers } from '../../ui/numbers.tsx'
import { SendLooks } from './asked/send-looks.tsx'
import { channelWords } from './words.ts'

export type Plan = OutputOf<typeof sendPaySheet>

const count = (value: number) => value.toLocaleString('zh-CN')

/** What would be sent: how many, by which way, what it costs, and whom nothing reaches. */
export function PlanSummary({ plan }: { plan: Plan }) {
  const short = plan.sms_needed > plan.sms_left
  const here = useRef<HTMLElement>(null)
  // The plan appears below what was just pressed: brings it to eye and ear.
  useEffect(() => {
    here.current?.focus({ preventScroll: true })
    here.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const items: Figure[] = [
    { key: 'count', label: '人会收到', value: plan.count.toLocaleString('zh-CN') },
    ...channels
      .filter((channel) => plan.by_channel[channel] > 0)
      .map((channel) => ({
        key: channel,
        label: channelWords[channel].name,
        value: plan.by_channel[channel].toLocaleString('zh-CN'),
      })),
  ]
  return (
    <section ref={here} tabIndex={-1} className="ui-stack send-plan" aria-label="发送计划">
      <h2>发送计划</h2>
      <Numbers items={items} />
      {plan.sms_needed > 0 && !short && (
        <p className="ui-label">
          要用 {count(plan.sms_needed)} 条短信，现在余 {count(plan.sms_left)} 条，发完余 {count(plan.sms_left - plan.sms_needed)}{' '}
          条。
        </p>
      )}
      {short && (
        <div className="send-wrong" role="alert">
          <Icon name="warn" />
          <p>
            要用 {count(plan.sms_needed)} 条短信，现在只余 {count(plan.sms_left)}{' '}
            条。请联系企业的系统管理员购买短信，或在上面去掉短信，改用其他方式。
          </p>
        </div>
      )}
      {plan.stopped.length > 0 && (
        <div className="send-wrong" data-tone="warn" role="alert">
          <Icon name="warn" />
          <div>
            <strong>{plan.stopped.length} 人要先确认身份，这次不会发给他们，其他人照常发送</strong>
            <ul className="send-names">
              {plan.stopped.slice(0, 30).map(({ row, name, why }) => (
                <li key={row}>
                  <Link to="/companyMember" search={{ name }}>
                    {name}
                  </Link>
                  （第 {row} 行）：{why}
                </li>
              ))}
            </ul>
            {plan.stopped.length > 30 && <p>等 {plan.stopped.length} 人。</p>}
          </div>
        </div>
      )}
      {plan.unreachable.length > 0 && (
        <div className="send-wrong" data-tone="warn" role="alert">
          <Icon name="warn" />
          <div>
            <strong>{plan.unreachable.length} 人用选中的方式联系不到，这次不会发给他们</strong>
            <p className="send-names">
              {plan.unreachable
                .slice(0, 30)
                .map(({ row, name }) => `${name || '无名'}（第 ${row} 行）`)
                .join('、')}
              {plan.unreachable.length > 30 && ` 等 ${plan.unreachable.length} 人`}
            </p>
            <p>
              可以多选一种发送方式，或在<Link to="/companyMember">花名册</Link>里补上手机号后重新生成计划。
            </p>
          </div>
        </div>
      )}
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
  onSent: () => void
  /** The plan is void: the sheet changed in another window, or the messages were used up meanwhile. */
  onVoid: (why: string) => void
  onClose: () => void
}) {
  const { plan, title, at } = props
  const [key] = useState(intent)
  const [looked, setLooked] = useState(false)
  const mustLook = plan.looks.length > 0
  const send = useCall(doSend, {
    key,
    handles: isVoid,
    onSuccess: props.onSent,
  })
  const ways = channels.filter((channel) => plan.by_channel[channel] > 0)
  return (
    <ConfirmDialog
      open
      title={at ? `定在 ${at} 发送？` : '现在发送？'}
      action={at ? `定时发送 ${plan.count} 人` : `发送 ${plan.count} 人`}
      busy={send.isPending}
      verdict={mustLook && !looked ? '请先看过下面几位的姓名和金额' : true}
      onConfirm={() =>
        send.mutate(
          { plan_id: plan.plan_id, ...(mustLook ? { looked } : {}) },
          { onError: (error) => isVoid(error) && props.onVoid(error.message) },
        )
      }
      onClose={props.onClose}
    >
      <p>
        「{title}」{at ? '到时候会' : '会马上'}发给 {plan.count} 人：
        {ways.map((channel) => `${channelWords[channel].name} ${plan.by_channel[channel]} 人`).join('、')}。
      </p>
      {plan.sms_needed > 0 && <p>使用 {plan.sms_needed} 条短信。</p>}
      {plan.stopped.length > 0 && <p>{plan.stopped.length} 人等待确认身份，不在其中。</p>}
      {plan.unreachable.length > 0 && <p>{plan.unreachable.length} 人联系不到，不在其中。</p>}
      {mustLook && <SendLooks batch_id={props.batch_id} plan={plan} looked={looked} onLooked={setLooked} />}
      <p className="ui-hint">{at ? '到时间之前可以取消。' : '发出后表格不能再改；可以撤回，或更正单个人的工资条。'}</p>
    </ConfirmDialog>
  )
}
