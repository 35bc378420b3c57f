/** Whether what is on the screen is still true, and what has become different in it. Pure. */
import type { Slip } from '../../../../server/contract/slip/payslip.ts'

type Standing = { version: number; status: string; answer_unread: boolean }
/** `seen`: what the server says now of the slip that is shown. */
export const isStale = (shown: Standing, seen: Standing & { closed: boolean }): boolean =>
  seen.closed || seen.version !== shown.version || seen.answer_unread !== shown.answer_unread || differs(shown, seen)

/** The first look makes 已发送 to 已查看, which both say in their own time. */
const differs = (shown: Standing, seen: Standing): boolean =>
  seen.status !== shown.status && (seen.status === 'confirmed' || shown.status === 'confirmed')

export type ChangedLine = { readonly label: string; readonly from: string; readonly to: string; readonly fen: boolean }
type Value = { label: string; text: string; fen: number | null }

const valuesOf = (slip: Slip): Map<string, Value> => {
  const cells = slip.groups.flatMap((group) => group.cells)
  const values = new Map(
    cells.map(({ key, label, value, fen, minus }) => [key, { label, text: value, fen: fen !== null && minus ? -fen : fen }]),
  )
  if (slip.net) values.set('net', { label: slip.net.label, text: String(slip.net.fen), fen: slip.net.fen })
  return values
}

/** Line by line, the net pay first; what is there only before or after is one, too. `spell` writes amounts. */
export function changesBetween(before: Slip, after: Slip, spell: (fen: number) => string): ChangedLine[] {
  const [old, now] = [valuesOf(before), valuesOf(after)]
  const textOf = (one: Value | undefined): string => (one ? (one.fen === null ? one.text : spell(one.fen)) : '')
  const keys = ['net', ...[...old.keys(), ...now.keys()].filter((key, at, all) => key !== 'net' && all.indexOf(key) === at)]
  return keys.flatMap((key) => {
    const [from, to] = [textOf(old.get(key)), textOf(now.get(key))]
    const one = now.get(key) ?? old.get(key)
    return one && from !== to ? [{ label: one.label, from, to, fen: one.fen !== null }] : []
  })
}

/** 3,725 → `1 小时 02 分`, 125 → `2 分 05 秒`. */
export function leftText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)} 天 ${Math.floor((seconds % 86_400) / 3600)} 小时`
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)} 小时 ${two(Math.floor((seconds % 3600) / 60))} 分`
  return seconds >= 60 ? `${Math.floor(seconds / 60)} 分 ${two(seconds % 60)} 秒` : `${seconds} 秒`
}

/** 30 → `30 分钟`, 120 → `2 小时`. */
export const spanText = (minutes: number): string =>
  minutes % 1440 === 0 ? `${minutes / 1440} 天` : minutes % 60 === 0 ? `${minutes / 60} 小时` : `${minutes} 分钟`
