import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { ConfigProvider } from 'antd'
import type { ReactNode } from 'react'
import { requirePower } from '../../../server/contract/access.ts'
import type { CallOutput, CallRequest } from '../../../server/contract/call.ts'
import {
  getWageSettings,
  maxUndoSeconds,
  setConfirm,
  setConfirmRule,
  setFeedback,
  setSendRule,
  setTerminatedAccess,
} from '../../../server/contract/payslips/send.ts'
import { can } from '../../../server/contract/shared/statuses.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { PageHeader } from '../../components/page/page-header.tsx'
import { type PageParams, parsePageParams, parseText } from '../../components/search-params.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { LockScreenSetting } from '../../features/payslips/setting/locked-messages.tsx'
import { MailSetting } from '../../features/payslips/setting/mail-setting.tsx'
import { formatMinutes, NumberSettingRow } from '../../features/payslips/setting/number-setting.tsx'
import { ReminderDays, ReportRecipients } from '../../features/payslips/setting/remind-setting.tsx'
import { SectionIndex } from '../../features/payslips/setting/section-index.tsx'
import styles from '../../features/payslips/setting/setting.module.css'
import { SettingsGroup, SwitchSettingRow } from '../../features/payslips/setting/setting-row.tsx'
import { UnsavedSettings } from '../../features/payslips/setting/unsaved.tsx'
import { TemplateList, templateListQuery } from '../../features/sheets/arrange/template/template-list.tsx'
import { prefetchPage, prefetchQuery } from '../../routed/prefetch.ts'
import { type CurrentUser, useCurrentUser } from '../../session.ts'

const parseSearch = (raw: Record<string, unknown>): PageParams & { name?: string | undefined } => ({
  ...parsePageParams(raw),
  name: parseText(raw.name),
})

export const Route = createFileRoute('/_desk/wageSet')({
  staticData: { title: '工资条设置', section: 'wage', who: requirePower('2') },
  validateSearch: parseSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => [
      prefetchQuery(callQuery(getWageSettings, {})),
      prefetchQuery(templateListQuery(parseSearch(location.search))),
    ]),
  component: WageSet,
})

type WageSettings = CallOutput<typeof getWageSettings>
type RenderFlag = (id: SettingFlag, title: string, meaning: string, cannot?: string) => ReactNode
type SettingFlag = 'weChat' | 'sms' | 'email' | 'link' | 'view_password' | 'watermark'

const sections = [
  { id: 'set-feedback', title: '反馈与确认' },
  { id: 'set-remind', title: '提醒' },
  { id: 'set-send', title: '发送' },
  { id: 'set-channels', title: '发送渠道' },
  { id: 'set-preview', title: '通知预览' },
  { id: 'set-security', title: '安全' },
  { id: 'set-templates', title: '模板' },
] as const

function WageSet() {
  const settings = useQuery(callQuery(getWageSettings, {}))
  const search = Route.useSearch()
  const navigate = useNavigate()
  return (
    <div className="ui-page">
      <PageHeader title="工资条设置" note="对之后发送的工资条生效；已经发出的不变" />
      {settings.data && !settings.data.can_edit && (
        <p className={`ui-card ${styles.kept}`}>
          <Icon name="lock" size={16} />
          这些设置对全公司生效。您只管理部分部门，可以查看，不能修改；需要修改时，请联系管理全公司的薪酬管理员或系统管理员。
        </p>
      )}
      {settings.data ? (
        <div className={styles.sections}>
          <SectionIndex sections={sections} />
          <div className="ui-stack">
            <ConfigProvider componentDisabled={!settings.data.can_edit}>
              <UnsavedSettings>
                <SettingsContent settings={settings.data} />
              </UnsavedSettings>
            </ConfigProvider>
            {/* Rendered only after the height of the content above is known. */}
            <TemplateList search={search} onSearch={(next) => void navigate({ to: '/wageSet', search: next })} />
          </div>
        </div>
      ) : (
        <section className="ui-card">
          {settings.error ? <ErrorState error={settings.error} retry={() => void settings.refetch()} /> : <Skeleton rows={10} />}
        </section>
      )}
    </div>
  )
}

const getNoChatReason = (user: CurrentUser | undefined) => {
  const allowed = user ? can.chat(user.corp) : true
  return allowed === true ? undefined : allowed
}

function SettingsContent({ settings }: { settings: WageSettings }) {
  const { confirm, confirm_rule, send_rule } = settings
  const onConfirm = useCallMutation(setConfirm, {
    onSuccess: (_, { status }) => toast.success(status ? '已保存：员工需要确认工资条' : '已保存：员工不再需要确认'),
  })
  const onRule = useCallMutation(setConfirmRule, {
    onSuccess: (_, { auto_confirm_days: days }) => toast.success(days ? `已保存：${days} 天后自动确认` : '已保存：不自动确认'),
  })
  const onSend = useCallMutation(setSendRule, { onSuccess: () => toast.success('已保存') })
  const isBusy = (field: string) => onSend.isPending && field in onSend.variables
  const renderFlag: RenderFlag = (id, title, description, disabledReason) => (
    <SwitchSettingRow
      id={id}
      title={title}
      meaning={description}
      value={Boolean(send_rule[id])}
      busy={isBusy(id)}
      cannot={disabledReason}
      onChange={(isOn) => onSend.mutate(id === 'weChat' ? { weChat: isOn ? 1 : 0 } : { [id]: isOn })}
    />
  )
  return (
    <>
      <SettingsGroup id="set-feedback" title="反馈与确认">
        <FeedbackRows settings={settings} />
        <SwitchSettingRow
          id="confirm"
          title="确认工资条"
          meaning="员工核对无误后点「确认」，生成一张回执，作为已告知工资的凭据。"
          value={confirm}
          busy={onConfirm.isPending}
          onChange={(status) => onConfirm.mutate({ status })}
        />
        {confirm && (
          <NumberSettingRow
            id="auto_confirm_days"
            title="自动确认"
            meaning={
              confirm_rule.auto_confirm_days
                ? `发送后 ${confirm_rule.auto_confirm_days} 天内员工未确认也未反馈，视为已确认。填 0 关闭。`
                : '不自动确认。填写天数后，到期未反馈视为已确认，仅对之后发送的工资条生效。'
            }
            value={confirm_rule.auto_confirm_days}
            max={60}
            unit="天"
            busy={onRule.isPending}
            onSave={(auto_confirm_days) => onRule.mutate({ auto_confirm_days })}
          />
        )}
      </SettingsGroup>
      <SettingsGroup id="set-remind" title="提醒">
        <ReminderDays days={confirm_rule.remind_days} isReadOnly={!settings.can_edit} />
        <ReportRecipients members={send_rule.remind_members} isReadOnly={!settings.can_edit} />
      </SettingsGroup>
      <ChannelSettings settings={settings} flag={renderFlag} />
      <SettingsGroup id="set-security" title="安全">
        {renderFlag(
          'view_password',
          '查看前验证身份',
          '员工打开工资条前要再输入一次登录密码或短信验证码，验证后 10 分钟内有效。',
        )}
        <NumberSettingRow
          id="burn_after_minutes"
          title="阅后即焚"
          meaning={
            send_rule.burn_after_minutes
              ? `员工第一次查看 ${formatMinutes(send_rule.burn_after_minutes)}后工资条关闭，之后不能再看，需要时由您重新提供。填 0 关闭。`
              : '现在员工可以随时查看。填写分钟数后，第一次查看到时即关闭，之后不能再看。'
          }
          value={send_rule.burn_after_minutes}
          max={43_200}
          unit="分钟"
          busy={isBusy('burn_after_minutes')}
          onSave={(burn_after_minutes) => onSend.mutate({ burn_after_minutes })}
        />
        <TerminatedAccessRow months={settings.terminated_access_months} />
        {renderFlag('watermark', '水印', '工资条上铺满员工姓名和手机尾号，截图外传时能看出是谁的。')}
      </SettingsGroup>
    </>
  )
}

/** Whether employees may ask questions, and the answer deadline. */
function FeedbackRows({ settings: { feedback, answer_within_days: days } }: { settings: WageSettings }) {
  const onFeedback = useCallMutation(setFeedback, {
    onSuccess: (_, { status, answer_days }) =>
      toast.success(
        answer_days !== undefined
          ? answer_days
            ? `已保存：${answer_days} 个工作日内回复`
            : '已保存：不设回复期限'
          : status
            ? '已保存：员工可以在工资条上反馈'
            : '已保存：员工不能再提交新的反馈',
      ),
  })
  return (
    <>
      <SwitchSettingRow
        id="feedback"
        title="员工反馈"
        meaning="员工可以在工资条下方点「有疑问」留言，您在「员工反馈」里回复。"
        value={feedback}
        busy={onFeedback.isPending}
        onChange={(status) => onFeedback.mutate({ status })}
      />
      {feedback && (
        <NumberSettingRow
          id="answer_days"
          title="回复期限"
          meaning={
            days
              ? `收到反馈后 ${days} 个工作日内回复，期限对员工可见；到期当天早上提醒负责人，超时标红。填 0 不设期限。`
              : '不设期限，不提醒。填写工作日天数后，对之后收到的反馈生效。'
          }
          value={days}
          max={20}
          unit="工作日"
          busy={onFeedback.isPending}
          onSave={(answer_days) => onFeedback.mutate({ answer_days })}
        />
      )}
    </>
  )
}

const formatSavedText = ({ undo_seconds, approve_from }: CallRequest<typeof setSendRule>) => {
  if (approve_from !== undefined) return approve_from ? `已保存：${approve_from} 人及以上要审批` : '已保存：发送不用审批'
  return undo_seconds ? `已保存：${undo_seconds} 秒内可以撤销` : '已保存：按下就发出'
}

/** How long a send can be undone, and whether a second administrator must approve it. */
function SendSettings({ seconds, approve_from }: { seconds: number; approve_from: number }) {
  const onSend = useCallMutation(setSendRule, { onSuccess: (_, change) => toast.success(formatSavedText(change)) })
  return (
    <SettingsGroup id="set-send" title="发送">
      <NumberSettingRow
        id="undo_seconds"
        title="撤销时间"
        meaning={
          seconds
            ? `点击「发送」${seconds} 秒后发出，期间可撤销，不扣短信。填 0 立即发出。`
            : '点击「发送」立即发出。填写秒数后，期间可以撤销。'
        }
        value={seconds}
        max={maxUndoSeconds}
        unit="秒"
        busy={onSend.isPending}
        onSave={(undo_seconds) => onSend.mutate({ undo_seconds })}
      />
      <NumberSettingRow
        id="approve_from"
        title="发送审批"
        meaning={
          approve_from
            ? `24 小时内发给 ${approve_from} 人及以上（分批的合起来算），要由另一位管理员同意后才能发出；审批人只看到人数和合计，看不到个人金额。关闭或放宽由系统管理员操作，填 0 关闭。`
            : '现在发送不用审批。填写人数后，24 小时内发给这么多人及以上（分批的合起来算），要由另一位管理员（系统管理员）同意后才能发出；填 1 则每次都要。'
        }
        value={approve_from}
        max={100_000}
        unit="人起"
        busy={onSend.isPending}
        onSave={(next) => onSend.mutate({ approve_from: next })}
      />
    </SettingsGroup>
  )
}

/** The available channels, and the mailbox that the mail channel needs. */
function ChannelSettings({ settings, flag: renderFlag }: { settings: WageSettings; flag: RenderFlag }) {
  const { send_rule, has_mailbox } = settings
  const user = useCurrentUser()
  const enabledCount = [send_rule.weChat, send_rule.sms, send_rule.email, send_rule.link].filter(Boolean).length
  const getLastChannelReason = (on: boolean) => (on && enabledCount === 1 ? '至少保留一个渠道' : undefined)
  return (
    <>
      <SendSettings seconds={send_rule.undo_seconds} approve_from={send_rule.approve_from} />
      <SettingsGroup id="set-channels" title="发送渠道">
        {renderFlag(
          'weChat',
          '办公平台消息',
          '在企业微信、飞书或钉钉里通知员工，免费，优先使用。',
          getNoChatReason(user) ?? getLastChannelReason(send_rule.weChat === 1),
        )}
        {renderFlag(
          'sms',
          '短信',
          '平台通知不到的员工收到一条短信，里面没有金额。按条计费。',
          getLastChannelReason(send_rule.sms),
        )}
        {renderFlag(
          'email',
          '邮件',
          '花名册里有邮箱的员工收到一封邮件，里面没有金额。免费。',
          has_mailbox ? getLastChannelReason(send_rule.email) : '设置发件邮箱并通过测试后可以使用',
        )}
        {/* It has its own rule of who may change it. */}
        <ConfigProvider componentDisabled={false}>
          <MailSetting />
        </ConfigProvider>
        {renderFlag(
          'link',
          '链接',
          '前面的方式都不可用时不发通知，员工自己打开链接登录查看，或由您转发链接。',
          getLastChannelReason(send_rule.link),
        )}
      </SettingsGroup>
      <LockScreenSetting {...settings} />
    </>
  )
}

/** The access period of terminated employees; a change applies immediately to all of them. */
function TerminatedAccessRow({ months: current }: { months: number }) {
  const onLeaver = useCallMutation(setTerminatedAccess, {
    onSuccess: (_, { months }) => toast.success(months ? `已保存：离职后 ${months} 个月内可以查看` : '已保存：离职后不能查看'),
  })
  return (
    <NumberSettingRow
      id="leaver_months"
      title="离职后查看"
      meaning={
        current
          ? `员工离职后 ${current} 个月内还可以登录查看自己的工资条，每次先验证手机号。对所有离职员工立即生效，填 0 则离职后不能查看。`
          : '现在员工离职后就不能再查看工资条。填写月数后，离职员工可以在期限内验证手机号查看自己的工资条，立即生效。'
      }
      value={current}
      max={120}
      unit="个月"
      busy={onLeaver.isPending}
      onSave={(months) => onLeaver.mutate({ months })}
    />
  )
}
