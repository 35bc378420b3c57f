/** The words about a slip. They say that there is one and where; never an amount, never a name. */
import { linkPaths, type Saying } from '../../../contract/messages.ts'
import { purposeOf } from './outcome.ts'

/**
 * Where a slip is read. The address is different for every version and reminder, because WeCom drops a message whose content it has
 * seen within hours; it carries no authority, whoever opens it must sign in as its owner.
 */
export function linkOf(origin: string, slip: { salary_id: string; version: number; purpose: string }): string {
  const address = `${origin}/m/slip/${slip.salary_id}`
  const purpose = purposeOf(slip.purpose)
  if (purpose === 'corrected') return `${address}?v=${slip.version}`
  if (purpose === 'remind') return `${address}?r=${slip.purpose.replace(/^remind-/, '').replaceAll('-', '')}`
  return address
}

/** For SMS, where every character counts and a variable holds 35 of them; server/web/short.ts leads on to the slip. */
export const shortLinkOf = (origin: string, slip: { salary_id: string }): string =>
  `${origin}${linkPaths.slip}${slip.salary_id.replaceAll('-', '')}`

export const sayingOf = (it: { corp_name: string; title: string; purpose: string; link: string }): Saying => ({
  kind: purposeOf(it.purpose),
  params: { corp: it.corp_name, title: it.title, link: it.link },
})

/** 张三丰 → 张**, for lists of what was sent. */
export const maskName = (name: string): string => {
  const [first = ''] = name
  return `${first}${'*'.repeat(Math.min(3, Math.max(1, [...name].length - 1)))}`
}
