/** The words about a slip. They say that there is one and where; never an amount, never a name. */
import { linkPaths, type Saying } from '../../../contract/words/messages.ts'
import { purposeOf } from './outcome.ts'

/**
 * Where a card of a chat platform leads: through /entry, which signs its owner in by itself and goes on to the slip. The address is different
 * for every version, reminder and answer, because WeCom drops a message whose content it has seen within hours; it carries no authority.
 */
export function linkOf(origin: string, slip: { salary_id: string; version: number; purpose: string }): string {
  return `${origin}/entry?page=${encodeURIComponent(pageOf(slip)).replaceAll('%2F', '/')}`
}

function pageOf({ salary_id, version, purpose }: { salary_id: string; version: number; purpose: string }): string {
  const kind = purposeOf(purpose)
  const own = purpose.replace(/^(?:remind|answered)-/, '').replaceAll('-', '')
  if (kind === 'answered') return `/m/feedback/${salary_id}?a=${own}`
  if (kind === 'corrected') return `/m/slip/${salary_id}?v=${version}`
  return `/m/slip/${salary_id}${kind === 'remind' ? `?r=${own}` : ''}`
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

/** What these messages were charged as. */
export const smsPieces = (rows: readonly { readonly channel: string; readonly pieces: number }[]): number =>
  rows.reduce((sum, { channel, pieces }) => (channel === 'sms' ? sum + pieces : sum), 0)
