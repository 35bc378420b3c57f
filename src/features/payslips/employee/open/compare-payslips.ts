/** Compares the payslip on the screen with its current state. Pure functions. */
import type { Payslip } from '../../../../../server/contract/payslips/payslip.ts'

type PayslipState = { version: number; status: string; answer_unread: boolean }
/** `currentState` is the server's current state of the payslip on the screen. */
export const isPayslipStale = (visibleState: PayslipState, currentState: PayslipState & { closed: boolean }): boolean =>
  currentState.closed ||
  currentState.version !== visibleState.version ||
  currentState.answer_unread !== visibleState.answer_unread ||
  isConfirmationChanged(visibleState, currentState)

/** Changes from or to confirmed count; the first view, which turns 已发送 into 已查看, does not. */
const isConfirmationChanged = (visibleState: PayslipState, currentState: PayslipState): boolean =>
  currentState.status !== visibleState.status && (currentState.status === 'confirmed' || visibleState.status === 'confirmed')

export type PayslipChange = { readonly label: string; readonly from: string; readonly to: string; readonly fen: boolean }
type PayslipValue = { label: string; text: string; fen: number | null }

const getPayslipValues = (payslip: Payslip): Map<string, PayslipValue> => {
  const cells = payslip.groups.flatMap((group) => group.cells)
  const values = new Map(
    cells.map(({ key, label, value, fen, is_deduction }) => [
      key,
      { label, text: value, fen: fen !== null && is_deduction ? -fen : fen },
    ]),
  )
  if (payslip.net) values.set('net', { label: payslip.net.label, text: String(payslip.net.fen), fen: payslip.net.fen })
  return values
}

/** Compares two payslips item by item, net pay first; an item in only one of them is a change. `formatAmount`: of amounts. */
export function comparePayslips(before: Payslip, after: Payslip, formatAmount: (fen: number) => string): PayslipChange[] {
  const [oldValues, newValues] = [getPayslipValues(before), getPayslipValues(after)]
  const formatValue = (one: PayslipValue | undefined): string =>
    one ? (one.fen === null ? one.text : formatAmount(one.fen)) : ''
  const keys = [
    'net',
    ...[...oldValues.keys(), ...newValues.keys()].filter((key, at, all) => key !== 'net' && all.indexOf(key) === at),
  ]
  return keys.flatMap((key) => {
    const [from, to] = [formatValue(oldValues.get(key)), formatValue(newValues.get(key))]
    const value = newValues.get(key) ?? oldValues.get(key)
    return value && from !== to ? [{ label: value.label, from, to, fen: value.fen !== null }] : []
  })
}

/** Formats seconds: 3,725 → `1 小时 02 分`, 125 → `2 分 05 秒`. */
export function formatRemainingTime(seconds: number): string {
  const padTwo = (value: number) => String(value).padStart(2, '0')
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)} 天 ${Math.floor((seconds % 86_400) / 3600)} 小时`
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)} 小时 ${padTwo(Math.floor((seconds % 3600) / 60))} 分`
  return seconds >= 60 ? `${Math.floor(seconds / 60)} 分 ${padTwo(seconds % 60)} 秒` : `${seconds} 秒`
}

/** Formats minutes: 30 → `30 分钟`, 120 → `2 小时`. */
export const formatMinutes = (minutes: number): string =>
  minutes % 1440 === 0 ? `${minutes / 1440} 天` : minutes % 60 === 0 ? `${minutes / 60} 小时` : `${minutes} 分钟`
