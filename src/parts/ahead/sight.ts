/**
 * What of a slip can be read before the app has come: whose it is, and the net pay. Drawn by the page itself as soon as the answer is there; on a
 * slow phone that is half a second before React has begun. Nothing of it stands in the page that is kept.
 */
import { formatFen } from '../../../server/contract/words/money.ts'

export type Sight = {
  readonly slip_id: string
  readonly title: string
  readonly whose: string
  readonly label: string
  readonly net: string
  /** So many figures that they are written smaller, as in the slip. */
  readonly isLong: boolean
}
declare global {
  interface Window {
    sight?: Sight | undefined
  }
}

const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((one, name) => (typeof one === 'object' && one !== null ? Reflect.get(one, name) : undefined), value)
const textAt = (value: unknown, ...names: readonly string[]): string => {
  const found = at(value, ...names)
  return typeof found === 'string' ? found : ''
}
const long_fen = 100_000_000

/** From the answer as it came; null where there is nothing to be seen yet: refused, without a net pay, or with hidden amounts. */
export function sightOf(answer: unknown): Sight | null {
  const net = at(answer, 'data', 'slip', 'net', 'fen')
  const slip_id = textAt(answer, 'data', 'slip_id')
  if (at(answer, 'error_code') !== 0 || at(answer, 'data', 'pay_hide') !== false || typeof net !== 'number' || slip_id === '')
    return null
  const [corp, name] = [textAt(answer, 'data', 'slip', 'corp_name'), textAt(answer, 'data', 'slip', 'name')]
  return {
    slip_id,
    title: textAt(answer, 'data', 'slip', 'title'),
    whose: corp && name ? `${corp} · ${name}` : corp + name,
    label: textAt(answer, 'data', 'slip', 'net', 'label'),
    net: `¥ ${formatFen(net)}`,
    isLong: Math.abs(net) >= long_fen,
  }
}

/** Into what waits for the app in this page; `SlipWaiting` draws the same. False where the app has come already. */
export function draw({ title, whose, label, net, isLong }: Sight): boolean {
  const [head, card] = document.querySelectorAll('.wait-page .wait-slip > div')
  if (!head || !card) return false
  const made = (tag: 'h2' | 'h3' | 'p', text: string) => Object.assign(document.createElement(tag), { textContent: text })
  const figure = made('p', net)
  figure.className = isLong ? 'wait-net wait-long' : 'wait-net'
  head.replaceChildren(made('h2', title), made('p', whose))
  card.replaceChildren(made('h3', label), figure)
  return true
}
