import { providerLabels } from '../../../../server/contract/shared/providers.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import styles from '../send.module.css'
import type { ConfirmedSendPlan } from './confirmed-plan.ts'

type PlatformQuota = NonNullable<ConfirmedSendPlan['platform_quota']>

/** Formats today's remaining quota of the chat platform in one sentence. */
export function formatQuota({ provider, day, person: perPerson, minutes }: PlatformQuota): string {
  const name = providerLabels[provider]
  const texts = [
    day && `今天${day.is_estimate ? '至少' : ''}还能发 ${formatCount(day.remaining)} 人次（每天上限 ${formatCount(day.limit)}）`,
    perPerson && `每人今天还能收 ${formatCount(perPerson.remaining)} 条（每天上限 ${formatCount(perPerson.limit)}）`,
    !day && !perPerson && '没有每天的条数上限',
    minutes !== null && minutes > 1 && `按平台的速度约需 ${formatCount(minutes)} 分钟`,
  ]
  return `${name}${texts.filter(Boolean).join('，')}。`
}
/** Formats who may not receive a message under today's quota; null if nobody is affected. */
export function formatOverQuota({ provider, exceeding_count, person: perPerson }: PlatformQuota): string | null {
  const name = providerLabels[provider]
  if (exceeding_count > 0)
    return `超出${name}今天的上限约 ${formatCount(exceeding_count)} 人，他们可能收不到；可以明天再发，或加选其他方式`
  return perPerson && perPerson.remaining === 0
    ? `有人今天在${name}里收到的已到上限，这次可能收不到；可以明天再发，或加选其他方式`
    : null
}

/** Today's quota, and the employees beyond it. */
export function PlatformQuotaNote({ today: quota }: { today: PlatformQuota }) {
  const overQuotaText = formatOverQuota(quota)
  return (
    <>
      <p className="ui-label">{formatQuota(quota)}</p>
      {overQuotaText && (
        <div className={styles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <strong>{overQuotaText}</strong>
        </div>
      )}
    </>
  )
}
