import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { doSend, type getSendPlan } from '../../../../server/contract/payslips/send.ts'
import { requestSendApproval } from '../../../../server/contract/payslips/send-approval.ts'
import { type Channel, channels } from '../../../../server/contract/shared/schemas.ts'
import { ApiError, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { type Statistic, StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { toInstant } from '../../../components/value/wall-clock.ts'
import { LockScreenMessages } from '../../payslips/setting/locked-messages.tsx'
import { channelDescriptions } from '../labels.ts'
import styles from '../send.module.css'
import type { ConfirmedSendPlan } from './confirmed-plan.ts'
import { PlatformQuotaNote } from './platform-quota.tsx'
import { getNight } from './send-time.tsx'
import { SendSpotChecks } from './spot-checks.tsx'

type SendPlanPreview = CallOutput<typeof getSendPlan>
/** A long message is charged as several segments; this is stated when it applies. */
const formatSegmentsPerMessage = ({ sms_per_recipient }: SendPlanPreview) =>
  sms_per_recipient > 1 ? `（内容较长，每人按 ${formatCount(sms_per_recipient)} 条计费）` : ''
const maxNames = 30
const formatNames = (recipients: SendPlanPreview['unreachable']) =>
  `${recipients
    .slice(0, maxNames)
    .map(({ row, name }) => `${name || '无名'}（第 ${row} 行）`)
    .join('、')}${recipients.length > maxNames ? ` 等 ${formatCount(recipients.length)} 人` : ''}`

/** What recipients see on a locked phone: the texts from which the server builds the messages. */
export function LockScreenPreviews({ plan }: { plan: SendPlanPreview }) {
  if (plan.previews.length === 0) return null
  return (
    <section className="ui-card ui-stack" aria-labelledby="send-locked">
      <h2 id="send-locked">通知预览</h2>
      <LockScreenMessages
        visible={plan.previews}
        provider={plan.platform_quota?.provider ?? null}
        note={({ channel, text }) =>
          channel === 'sms'
            ? `${[...text].length} 字，按 ${formatCount(plan.sms_per_recipient)} 条计费；每人的链接不同`
            : undefined
        }
      />
      <p className="ui-hint">没有金额，也没有姓名；点开并登录后才能看到工资条。</p>
    </section>
  )
}

/** The labels below the numbers of recipients. */
const channelCountLabels: Record<Channel, string> = {
  platform: '办公平台',
  sms: '短信',
  email: '邮件',
  link: '仅链接',
}

/** The send plan: how many, by which channel, at what cost, and who is not reached. `isStale`: a new plan is being calculated. */
export function SendPlanSummary({ plan, behind: isStale }: { plan: SendPlanPreview; behind: boolean }) {
  const items: Statistic[] = [
    { key: 'count', label: '接收人数', value: formatCount(plan.count) },
    ...channels
      .filter((channel) => plan.by_channel[channel] > 0)
      .map((channel) => ({
        key: channel,
        label: channelCountLabels[channel],
        value: formatCount(plan.by_channel[channel]),
      })),
  ]
  return (
    <section className={`ui-stack ${styles.plan}`} aria-label="发送计划" aria-busy={isStale} data-behind={isStale || undefined}>
      <h2>发送计划</h2>
      <StatisticCards items={items} />
      <p className="ui-hint">
        <Link to="/companyMember" search={({ batch_id }) => ({ view: 'reach', batch: batch_id })}>
          发薪前检查
        </Link>
        ：谁没有手机号、上次没送达、从未查看。
      </p>
      {plan.platform_quota && <PlatformQuotaNote today={plan.platform_quota} />}
      {plan.sms_needed > 0 && plan.sms_left !== null && (
        <p className="ui-label">
          要用 {formatCount(plan.sms_needed)} 条短信{formatSegmentsPerMessage(plan)}，现在余 {formatCount(plan.sms_left)}{' '}
          条，发完余 {formatCount(plan.sms_left - plan.sms_needed)} 条。
        </p>
      )}
      {plan.sms_fallback_max > 0 && (
        <p className="ui-label">
          前面的方式没送到的人会自动改用短信，最多再用 {formatCount(plan.sms_fallback_max)} 条；短信不够时再往后试。
        </p>
      )}
      {plan.sms_insufficient.length > 0 && plan.sms_left !== null && (
        <div className={styles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <div>
            <strong>
              短信只余 {formatCount(plan.sms_left)} 条{formatSegmentsPerMessage(plan)}，{plan.sms_insufficient.length}{' '}
              人轮不到，这次不会发给他们
            </strong>
            <p className={styles.names}>{formatNames(plan.sms_insufficient)}</p>
            <p>在「发送渠道」里加选「只生成链接」，他们就用链接；也可以请系统管理员购买短信后再发。</p>
          </div>
        </div>
      )}
      {plan.blocked.length > 0 && (
        <div className={styles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <div>
            <strong>{formatCount(plan.blocked.length)} 人要先确认身份，这次不会发给他们，其他人照常发送</strong>
            <ul className={styles.names}>
              {plan.blocked.slice(0, maxNames).map(({ row, name, reason }) => (
                <li key={row}>
                  <Link to="/companyMember" search={{ name }}>
                    {name}
                  </Link>
                  （第 {row} 行）：{reason}
                </li>
              ))}
            </ul>
            {plan.blocked.length > maxNames && <p>等 {formatCount(plan.blocked.length)} 人。</p>}
          </div>
        </div>
      )}
      {plan.unreachable.length > 0 && (
        <div className={styles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <div>
            <strong>{formatCount(plan.unreachable.length)} 人用选中的方式联系不到，这次不会发给他们</strong>
            <p className={styles.names}>{formatNames(plan.unreachable)}</p>
            <p>
              可以多选一种发送方式，或在<Link to="/companyMember">花名册</Link>里补上手机号，再回到这里。
            </p>
          </div>
        </div>
      )}
    </section>
  )
}

/** The note below every payslip, including last month's text if nobody has changed it. */
export function SendHintNote({ batch_id, hint }: { batch_id: string; hint: string }) {
  if (!hint) return null
  return (
    <section className={`ui-card ui-stack ${styles.words}`} aria-labelledby="send-words">
      <div className="ui-row">
        <h2 id="send-words" className="ui-grow">
          公司寄语
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

const isPlanInvalid = (error: Error) => error instanceof ApiError && (error.is('sms_used_up') || error.is('wrong_state'))

/** At night it says so, and offers the morning: reminders wait for the day, and so may the first message. */
function NightNote({ onPostpone }: { onPostpone: (at: string) => void }) {
  const [night] = useState(getNight)
  if (!night) return null
  return (
    <div className={styles.wrong} data-tone="warn" role="alert">
      <Icon name="clock" />
      <p className="ui-grow">现在是北京时间 {night.now}，员工可能在休息。</p>
      <Button onClick={() => onPostpone(toInstant(night.morning))}>{night.isToday ? '今天' : '明天'} 9:00 发送</Button>
    </div>
  )
}

/** The final confirmation before sending. One opened dialog is one intent: pressing twice sends once. */
export function ConfirmSendDialog(props: {
  batch_id: string
  plan: ConfirmedSendPlan
  title: string
  at: string | null
  /** The note below every payslip. */
  hint: string
  onSent: () => void
  /** Called if another administrator must approve first and was asked. */
  onRequested: () => void
  /** The recipients would be woken: sends at this time instead. */
  onPostpone: (at: string) => void
  /** The plan is void: the wage sheet changed in another window, or the SMS balance was used up meanwhile. */
  onVoid: (why: string) => void
  onClose: () => void
}) {
  const { plan, title, at: scheduledAt, hint } = props
  const [key] = useState(createIdempotencyKey)
  const [isSpotChecked, setSpotChecked] = useState(false)
  const needsSpotCheck = plan.spot_checks.length > 0
  const send = useCallMutation(doSend, {
    key,
    handles: isPlanInvalid,
    onSuccess: props.onSent,
  })
  const apply = useCallMutation(requestSendApproval, {
    key,
    handles: isPlanInvalid,
    onSuccess: () => {
      toast.success('已提交，等另一位管理员审批；通过后在本页发送')
      props.onRequested()
    },
  })
  const usedChannels = channels.filter((channel) => plan.by_channel[channel] > 0)
  return (
    <ConfirmDialog
      open
      title={plan.needs_approval ? '提交审批？' : scheduledAt ? `定在 ${scheduledAt} 发送？` : '现在发送？'}
      action={
        plan.needs_approval
          ? '提交审批'
          : scheduledAt
            ? `定时发送 ${formatCount(plan.count)} 人`
            : `发送 ${formatCount(plan.count)} 人`
      }
      busy={send.isPending || apply.isPending}
      allowed={needsSpotCheck && !isSpotChecked ? '请先看过下面列出的姓名和金额' : true}
      onConfirm={() =>
        (plan.needs_approval ? apply : send).mutate(
          { plan_id: plan.plan_id, ...(needsSpotCheck ? { looked: isSpotChecked } : {}) },
          { onError: (error) => isPlanInvalid(error) && props.onVoid(error.message) },
        )
      }
      onClose={props.onClose}
    >
      <p>
        「{title}」{plan.needs_approval ? '由另一位管理员同意后，' : ''}
        {scheduledAt ? '到时候会' : plan.undo_seconds > 0 ? '会' : '会马上'}发给 {formatCount(plan.count)} 人：
        {usedChannels.map((channel) => `${channelDescriptions[channel].name} ${plan.by_channel[channel]} 人`).join('、')}。
      </p>
      {plan.approval_reason && <p>{plan.approval_reason}。</p>}
      {plan.sms_needed > 0 && (
        <p>
          使用 {formatCount(plan.sms_needed)} 条短信{formatSegmentsPerMessage(plan)}。
        </p>
      )}
      {plan.blocked.length > 0 && <p>{formatCount(plan.blocked.length)} 人等待确认身份，不在其中。</p>}
      {plan.sms_insufficient.length > 0 && <p>{formatCount(plan.sms_insufficient.length)} 人短信不够，不在其中。</p>}
      {plan.unreachable.length > 0 && <p>{formatCount(plan.unreachable.length)} 人联系不到，不在其中。</p>}
      {hint && <p>每张工资条最下面写着：「{hint}」</p>}
      {!scheduledAt && !plan.needs_approval && <NightNote onPostpone={props.onPostpone} />}
      {needsSpotCheck && (
        <SendSpotChecks batch_id={props.batch_id} plan={plan} looked={isSpotChecked} onLooked={setSpotChecked} />
      )}
      <p className="ui-hint">
        {!plan.needs_approval && plan.undo_seconds > 0 && `${plan.undo_seconds} 秒后发出，期间可撤销，不扣短信。`}
        {scheduledAt ? '到时间之前可以改时间，也可以取消。' : '发出后表格不能再改；可以撤回，或更正单个人的工资条。'}
      </p>
    </ConfirmDialog>
  )
}
