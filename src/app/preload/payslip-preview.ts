/**
 * The part of a payslip that is readable before the app has loaded: its company and the net pay. The page renders it as
 * soon as the response arrives; on a slow phone that is half a second before React starts. The cached page contains
 * none of it.
 */
import { formatFen } from '../../../server/contract/shared/money.ts'

export type PayslipPreview = {
  readonly slip_id: string
  readonly title: string
  readonly owner: string
  readonly label: string
  readonly net: string
  /** Whether the amount has so many digits that it is shown smaller, as on the payslip. */
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

/** Parses the raw response; null if there is nothing to show yet: an error, no net pay, hidden amounts, or a notice first. */
export function parsePayslipPreview(body: unknown): PayslipPreview | null {
  const net = getPath(body, 'data', 'slip', 'net', 'fen')
  const slip_id = getText(body, 'data', 'slip_id')
  if (
    getPath(body, 'error_code') !== 0 ||
    getPath(body, 'data', 'pay_hide') !== false ||
    getPath(body, 'data', 'notice_due') === true ||
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

/** Fills the placeholder of this page; `PayslipPlaceholder` renders the same. Returns false if the app has already rendered. */
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
