/** What a company may use, until when, and what it costs afterwards. */
export const trial_days = 30
/** Messages a company may send while it tries the product. */
export const trial_messages = 100

/** What is sold after the trial. PRICE: whole yuan a year. */
export const products: readonly { readonly DESC: string; readonly PRICE: number }[] = [
  { DESC: '高级版 · 50 人以内：发送不限次数，核对、排版、定时发送、统计', PRICE: 1980 },
  { DESC: '高级版 · 200 人以内：另加飞书、企业微信、钉钉送达与通讯录同步', PRICE: 3980 },
  { DESC: '高级版 · 1000 人以内：另加审批与专属客户顾问', PRICE: 9800 },
  { DESC: '短信包 10,000 条：一年内有效，员工未开通办公平台时使用', PRICE: 800 },
]

export const daysLeft = (until: Date | null, now: Date): number =>
  until ? Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 86_400_000)) : 0

/** 10 on trial, and this administrator has not put the explanation away · 20 on trial · 0 not on trial (any more). */
export function trialStatus(trial_until: Date | null, closed_at: Date | null, now: Date): 0 | 10 | 20 {
  if (!trial_until || trial_until <= now) return 0
  return closed_at ? 20 : 10
}
