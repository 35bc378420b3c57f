import type { OutputOf } from '../../../../server/contract/call.ts'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import type { setting } from '../../../../server/contract/slip/slip.ts'
import type { Channel, ChatPlatform } from '../../../../server/contract/words/words.ts'
import { LockedPhone } from '../../../ui/facts/locked.tsx'
import { channelWords } from '../../sheet/words.ts'

const icons = { platform: 'bell', sms: 'suggest', email: 'letter', link: 'letter' } as const

export type LockedMessage = { readonly channel: Channel; readonly title: string; readonly text: string }

/** The messages about a slip as a locked phone shows them, by the app they come in. `note`: what is to be known of those of a way. */
export const LockedMessages = (props: {
  shown: readonly LockedMessage[]
  provider: ChatPlatform | null
  note: (message: LockedMessage) => string | undefined
}) => (
  <LockedPhone
    items={props.shown.map((message) => {
      const { channel, title, text } = message
      const note = props.note(message)
      return {
        key: channel,
        app: channel === 'platform' && props.provider ? providerNames[props.provider] : channelWords[channel].name,
        icon: icons[channel],
        title,
        text,
        ...(note ? { note } : {}),
      }
    })}
  />
)

/** What people see before they unlock their phones, by the ways that are open: so that nobody has to send one to know. */
export function LockedSetting({ send_rule, locked }: Pick<OutputOf<typeof setting>, 'send_rule' | 'locked'>) {
  const isOpen = { platform: send_rule.weChat === 1, sms: send_rule.sms, email: send_rule.email, link: false }
  const shown = locked.shown.filter(({ channel }) => isOpen[channel])
  return (
    <section className="ui-card ui-stack" aria-labelledby="locked">
      <h2 id="locked">锁屏上看到的</h2>
      {shown.length > 0 ? (
        <LockedMessages
          shown={shown}
          provider={locked.provider}
          note={({ channel }) => (channel === 'sms' ? '每人的链接不同' : undefined)}
        />
      ) : (
        <p className="ui-label">现在只生成链接，手机上不会收到消息。</p>
      )}
      <p className="ui-hint">没有金额，也没有姓名。标题里只写出月份，其他文字（如「年终奖」）不会出现在锁屏上。</p>
    </section>
  )
}
