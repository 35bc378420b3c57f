import { providerNames } from '../../../../server/contract/people/providers.ts'
import { Icon } from '../../../ui/icon.tsx'
import styles from '../send.module.css'
import type { Plan } from './send-plan.tsx'

type Today = NonNullable<Plan['platform_today']>
const count = (value: number) => value.toLocaleString('zh-CN')

/** What the chat platform's own rules leave for today, in one sentence. */
export function todayText({ provider, day, person, minutes }: Today): string {
  const name = providerNames[provider]
  const told = [
    day && `今天${day.at_least ? '至少' : ''}还能发 ${count(day.left)} 人次（每天上限 ${count(day.limit)}）`,
    person && `每人今天还能收 ${count(person.left)} 条（每天上限 ${count(person.limit)}）`,
    !day && !person && '没有每天的条数上限',
    minutes !== null && minutes > 1 && `按平台的速度约需 ${count(minutes)} 分钟`,
  ]
  return `${name}${told.filter(Boolean).join('，')}。`
}
/** Whom the rules of today may leave without a message; null: nobody. */
export function overText({ provider, over, person }: Today): string | null {
  const name = providerNames[provider]
  if (over > 0) return `超出${name}今天的上限约 ${count(over)} 人，他们可能收不到；可以明天再发，或加选其他方式`
  return person && person.left === 0 ? `有人今天在${name}里收到的已到上限，这次可能收不到；可以明天再发，或加选其他方式` : null
}

/** What the rules of today leave, and whom they leave out. */
export function PlatformToday({ today }: { today: Today }) {
  const over = overText(today)
  return (
    <>
      <p className="ui-label">{todayText(today)}</p>
      {over && (
        <div className={styles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <strong>{over}</strong>
        </div>
      )}
    </>
  )
}
