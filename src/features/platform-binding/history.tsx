import type { CallOutput } from '../../../server/contract/call.ts'
import type { getPlatformInfo } from '../../../server/contract/platform-binding/binding.ts'
import { providerLabels } from '../../../server/contract/shared/providers.ts'
import { formatDateTime } from '../../components/value/dates.ts'
import { bindingEventLabels } from './labels.ts'
import styles from './platform.module.css'

type BindingEvent = CallOutput<typeof getPlatformInfo>['history'][number]

const countLabels: Readonly<Record<string, string>> = {
  created: '新增',
  updated: '变化',
  left: '离开',
  back: '回来',
  linked: '对应',
  ignored: '忽略',
  people: '人数',
  sessions: '退出登录',
}
const formatDetail = ({ detail }: BindingEvent): string =>
  Object.entries(detail)
    .flatMap(([key, value]) =>
      value === 'displaced'
        ? ['另一家公司证实了这家企业是它的']
        : key === 'code'
          ? [`平台代码 ${value}`]
          : countLabels[key] && value
            ? [`${countLabels[key]} ${value}`]
            : [],
    )
    .join('，')

/** The history of the binding with its actors, newest first. */
export function BindingHistory({ history }: { history: readonly BindingEvent[] }) {
  if (history.length === 0) return null
  return (
    <section className="ui-card ui-stack" aria-labelledby="platform-history">
      <h2 id="platform-history">记录</h2>
      <ul className={styles.people}>
        {history.map((event) => (
          <li key={`${event.at}${event.kind}${event.by}`}>
            <div>
              <span>{`${providerLabels[event.provider]} · ${bindingEventLabels[event.kind]}`}</span>
              <small>{formatDetail(event)}</small>
            </div>
            <span className="ui-hint">{[event.by || '系统', formatDateTime(event.at)].join(' · ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
