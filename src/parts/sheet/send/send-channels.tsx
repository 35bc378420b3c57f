import { Checkbox } from 'antd'
import { can } from '../../../../server/contract/words/states.ts'
import { channels as allChannels, type Channel } from '../../../../server/contract/words/words.ts'
import { useRole } from '../../../session.ts'
import { Icon } from '../../../ui/icon.tsx'
// Its arrows are those of arranging, and one comes here without having been there.
import styles from '../../arrange/arrange.module.css'
import sendStyles from '../send.module.css'
import { channelWords } from '../words.ts'

/** Which ways, in which order: each person gets the first that reaches him. */
export function SendChannels(props: {
  chosen: readonly Channel[]
  smsLeft: number | undefined
  people: number
  onChange: (chosen: Channel[]) => void
}) {
  const { chosen, smsLeft, people, onChange } = props
  const corp = useRole()?.corp
  const chat = corp ? can.chat(corp) : true
  const order = [...chosen, ...allChannels.filter((one) => !chosen.includes(one))]
  const facts: Record<Channel, string> = {
    platform: chat !== true ? chat : corp?.platform_status === 10 ? '' : '还没有绑定办公平台，选了也不会用到',
    sms: smsLeft === undefined ? '' : `余 ${smsLeft.toLocaleString('zh-CN')} 条${smsLeft < people ? '，可能不够发给所有人' : ''}`,
    email: '',
    link: '',
  }
  const swap = (channel: Channel, way: -1 | 1) => {
    const at = chosen.indexOf(channel)
    const other = chosen[at + way]
    if (other) onChange(chosen.map((one) => (one === channel ? other : one === other ? channel : one)))
  }
  return (
    <section className="ui-card ui-stack" aria-labelledby="how">
      <div>
        <h2 id="how">怎么发</h2>
        <p className="ui-hint">从上往下试：每个人先用第一种能联系到他的方式，没送到的自动改用后面的</p>
      </div>
      <ol className={sendStyles.channels}>
        {order.map((channel) => {
          const at = chosen.indexOf(channel)
          const { name, reaches } = channelWords[channel]
          return (
            <li key={channel} data-off={at < 0 || undefined}>
              <Checkbox
                checked={at >= 0}
                onChange={(event) =>
                  onChange(event.target.checked ? [...chosen, channel] : chosen.filter((one) => one !== channel))
                }
              >
                {at >= 0 && `${at + 1}. `}
                {name}
              </Checkbox>
              <p className="ui-grow">
                {reaches}
                {facts[channel] && <small>{facts[channel]}</small>}
              </p>
              <button
                type="button"
                className={`${styles.tool} ${styles.up}`}
                aria-label={`${name} 提前`}
                disabled={at <= 0}
                onClick={() => swap(channel, -1)}
              >
                <Icon name="down" size={16} />
              </button>
              <button
                type="button"
                className={styles.tool}
                aria-label={`${name} 推后`}
                disabled={at < 0 || at === chosen.length - 1}
                onClick={() => swap(channel, 1)}
              >
                <Icon name="down" size={16} />
              </button>
            </li>
          )
        })}
      </ol>
      {chosen.length === 0 && (
        <p className={sendStyles.fieldError} role="alert">
          请至少选择一种方式
        </p>
      )}
    </section>
  )
}
