import type { CallOutput } from '../../../../server/contract/call.ts'
import type { getWageSettings } from '../../../../server/contract/payslips/send.ts'
import { type ChatProvider, providerLabels } from '../../../../server/contract/shared/providers.ts'
import type { Channel } from '../../../../server/contract/shared/schemas.ts'
import { LockScreenPreview } from '../../../components/details/lock-screen-preview.tsx'
import { channelDescriptions } from '../../sheets/labels.ts'

const channelIcons = { platform: 'bell', sms: 'suggest', email: 'letter', link: 'letter' } as const

export type LockScreenMessage = { readonly channel: Channel; readonly title: string; readonly text: string }

/** Previews of payslip messages on a locked phone, by app. `note`: a remark for the messages of a channel. */
export const LockScreenMessages = (props: {
  visible: readonly LockScreenMessage[]
  provider: ChatProvider | null
  note: (message: LockScreenMessage) => string | undefined
}) => (
  <LockScreenPreview
    items={props.visible.map((message) => {
      const { channel, title, text } = message
      const note = props.note(message)
      return {
        key: channel,
        app: channel === 'platform' && props.provider ? providerLabels[props.provider] : channelDescriptions[channel].name,
        icon: channelIcons[channel],
        title,
        text,
        ...(note ? { note } : {}),
      }
    })}
  />
)

/** Shows what recipients see on a locked phone in each enabled channel, so that nobody has to send a message to find out. */
export function LockScreenSetting({
  send_rule,
  lock_screen,
}: Pick<CallOutput<typeof getWageSettings>, 'send_rule' | 'lock_screen'>) {
  const isEnabled = { platform: send_rule.weChat === 1, sms: send_rule.sms, email: send_rule.email, link: false }
  const visibleMessages = lock_screen.shown.filter(({ channel }) => isEnabled[channel])
  return (
    <section id="set-preview" className="ui-card ui-stack" aria-labelledby="locked">
      <h2 id="locked">通知预览</h2>
      {visibleMessages.length > 0 ? (
        <LockScreenMessages
          visible={visibleMessages}
          provider={lock_screen.provider}
          note={({ channel }) => (channel === 'sms' ? '每人的链接不同' : undefined)}
        />
      ) : (
        <p className="ui-label">现在只生成链接，手机上不会收到消息。</p>
      )}
      <p className="ui-hint">没有金额，也没有姓名。标题里只写出月份，其他文字（如「年终奖」）不会出现在锁屏上。</p>
    </section>
  )
}
