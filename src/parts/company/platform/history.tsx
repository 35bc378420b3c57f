import type { OutputOf } from '../../../../server/contract/call.ts'
import type { getPlatformInfo } from '../../../../server/contract/people/binding.ts'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import { dayAndTime } from '../../../ui/value/dates.ts'
import styles from './platform.module.css'
import { eventWords } from './words.ts'

type Event = OutputOf<typeof getPlatformInfo>['history'][number]

const figures: Readonly<Record<string, string>> = {
  created: '新增',
  updated: '变化',
  left: '离开',
  back: '回来',
  linked: '对应',
  ignored: '忽略',
  people: '人数',
  sessions: '退出登录',
}
const detailOf = ({ detail }: Event): string =>
  Object.entries(detail)
    .flatMap(([key, value]) =>
      value === 'displaced'
        ? ['另一家公司证实了这家企业是它的']
        : key === 'code'
          ? [`平台代码 ${value}`]
          : figures[key] && value
            ? [`${figures[key]} ${value}`]
            : [],
    )
    .join('，')

/** What became of the binding and by whom, the newest first. */
export function History({ history }: { history: readonly Event[] }) {
  if (history.length === 0) return null
  return (
    <section className="ui-card ui-stack" aria-labelledby="platform-history">
      <h2 id="platform-history">记录</h2>
      <ul className={styles.people}>
        {history.map((event) => (
          <li key={`${event.at}${event.kind}${event.by}`}>
            <div>
              <span>{`${providerNames[event.provider]} · ${eventWords[event.kind]}`}</span>
              <small>{detailOf(event)}</small>
            </div>
            <span className="ui-hint">{[event.by || '系统', dayAndTime(event.at)].join(' · ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
