import { Checkbox } from 'antd'
import { channels as allChannels, type Channel } from '../../../../server/contract/shared/schemas.ts'
import { can } from '../../../../server/contract/shared/statuses.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { useCurrentUser } from '../../../session.ts'
// The arrows use the layout page's styles, which are not loaded otherwise.
import styles from '../arrange/arrange.module.css'
import { channelDescriptions } from '../labels.ts'
import sendStyles from '../send.module.css'

/** The channels and their order: each recipient is reached through the first possible one. */
export function SendChannels(props: {
  selected: readonly Channel[]
  smsLeft: number | undefined
  people: number
  onChange: (chosen: Channel[]) => void
}) {
  const { selected, smsLeft, people: recipientCount, onChange } = props
  const company = useCurrentUser()?.corp
  const chatAccess = company ? can.chat(company) : true
  const sortedChannels = [...selected, ...allChannels.filter((item) => !selected.includes(item))]
  const channelNotes: Record<Channel, string> = {
    platform: chatAccess !== true ? chatAccess : company?.platform_status === 10 ? '' : '未绑定办公平台，不会使用',
    sms: smsLeft === undefined ? '' : `余 ${formatCount(smsLeft)} 条${smsLeft < recipientCount ? '，可能不够发给所有人' : ''}`,
    email: '',
    link: '',
  }
  const swap = (channel: Channel, direction: -1 | 1) => {
    const at = selected.indexOf(channel)
    const other = selected[at + direction]
    if (other) onChange(selected.map((one) => (one === channel ? other : one === other ? channel : one)))
  }
  return (
    <section className="ui-card ui-stack" aria-labelledby="how">
      <div>
        <h2 id="how">发送渠道</h2>
        <p className="ui-hint">按顺序发送，未送达时自动改用下一渠道</p>
      </div>
      <ol className={sendStyles.channels}>
        {sortedChannels.map((channel) => {
          const index = selected.indexOf(channel)
          const { name, audience } = channelDescriptions[channel]
          return (
            <li key={channel} data-off={index < 0 || undefined}>
              <Checkbox
                checked={index >= 0}
                onChange={(event) =>
                  onChange(event.target.checked ? [...selected, channel] : selected.filter((item) => item !== channel))
                }
              >
                {index >= 0 && `${index + 1}. `}
                {name}
              </Checkbox>
              <p className="ui-grow">
                {audience}
                {channelNotes[channel] && <small>{channelNotes[channel]}</small>}
              </p>
              <button
                type="button"
                className={`${styles.tool} ${styles.up}`}
                aria-label={`${name} 提前`}
                disabled={index <= 0}
                onClick={() => swap(channel, -1)}
              >
                <Icon name="down" size={16} />
              </button>
              <button
                type="button"
                className={styles.tool}
                aria-label={`${name} 推后`}
                disabled={index < 0 || index === selected.length - 1}
                onClick={() => swap(channel, 1)}
              >
                <Icon name="down" size={16} />
              </button>
            </li>
          )
        })}
      </ol>
      {selected.length === 0 && (
        <p className={sendStyles.fieldError} role="alert">
          请至少选择一种方式
        </p>
      )}
    </section>
  )
}
