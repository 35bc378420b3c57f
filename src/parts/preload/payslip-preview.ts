/**
 * What of a slip can be read before the app has come: whose it is, and the net pay. Drawn by the page itself as soon as the answer is there; on a
 * slow phone that is half a second before React has begun. Nothing of it stands in the page that is kept.
 */
import { formatFen } from '../../../server/contract/shared/money.ts'

export type PayslipPreview = {
  readonly slip_id: string
  readonly title: string
  readonly owner: string
  readonly label: string
  readonly net: string
  /** So many figures that they are written smaller, as in the slip. */
  readonly isLong: boolean
}
declare global {
  interface Window {
    sight?: PayslipPreview | undefined
  }
}

const getPath = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((parent, name) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, name) : undefined), value)
const getText = (value: unknown, ...names: readonly string[]): string => {
  const text = getPath(value, ...names)
  return typeof text === 'string' ? text : ''
}
const longAmountFen = 100_000_000

/** From the answer as it came; null where there is nothing to be seen yet: refused, without a net pay, or with hidden amounts. */
export function parsePayslipPreview(body: unknown): PayslipPreview | null {
  const net = getPath(body, 'data', 'slip', 'net', 'fen')
  const slip_id = getText(body, 'data', 'slip_id')
  if (
    getPath(body, 'error_code') !== 0 ||
    getPath(body, 'data', 'pay_hide') !== false ||
    typeof net !== 'number' ||
    slip_id === ''
  )
    return null
  const [corp, name] = [getText(body, 'data', 'slip', 'corp_name'), getText(body, 'data', 'slip', 'name')]
  return {
    slip_id,
    title: getText(body, 'data', 'slip', 'title'),
    owner: corp && name ? `${corp} · ${name}` : corp + name,
    label: getText(body, 'data', 'slip', 'net', 'label'),
    net: `¥ ${formatFen(net)}`,
    isLong: Math.abs(net) >= longAmountFen,
  }
}

/** Into what waits for the app in this page; `SlipWaiting` draws the same. False where the app has come already. */
export function renderPreview({ title, owner, label, net, isLong }: PayslipPreview): boolean {
  const [head, card] = document.querySelectorAll('.wait-page .wait-slip > div')
  if (!head || !card) return false
  const createTextElement = (tag: 'h2' | 'h3' | 'p', text: string) =>
    Object.assign(document.createElement(tag), { textContent: text })
  const amount = createTextElement('p', net)
  amount.className = isLong ? 'wait-net wait-long' : 'wait-net'
  head.replaceChildren(createTextElement('h2', title), createTextElement('p', owner))
  card.replaceChildren(createTextElement('h3', label), amount)
  return true
}
