/** Labels of the charts. */

import type { PayComponent } from '../../../../server/contract/reports/charts.ts'
import { formatFen } from '../../../../server/contract/shared/money.ts'

export const payComponentLabels: Readonly<Record<PayComponent, string>> = {
  base: '基本与岗位',
  bonus: '绩效奖金',
  allowance: '津贴补贴',
  overtime: '加班',
  rest: '其他应发',
  absence: '缺勤扣款',
  social: '个人社保',
  fund: '个人公积金',
  tax: '个税',
  other: '其他扣款',
  employer_social: '单位社保',
  employer_fund: '单位公积金',
  employer_other: '单位其他',
}

/** Formats an amount for axes, large ones in units of ten thousand; the exact amount is in the table. */
export function formatShortYuan(fen: number): string {
  const yuan = fen / 100
  if (Math.abs(yuan) >= 100_000_000) return `${Number((yuan / 100_000_000).toFixed(2))} 亿`
  if (Math.abs(yuan) >= 10_000) return `${Number((yuan / 10_000).toFixed(1))} 万`
  return String(Math.round(yuan))
}

const formatBound = (fen: number) => (fen >= 1_000_000 ? `${fen / 1_000_000} 万` : `${fen / 100}`)
/** Formats a pay bracket in yuan: 「5000–8000」. */
export function formatBracket({ from_fen, to_fen }: { from_fen: number | null; to_fen: number | null }): string {
  if (from_fen === null) return to_fen === null ? '全部' : `${formatBound(to_fen)} 以下`
  return to_fen === null ? `${formatBound(from_fen)} 以上` : `${formatBound(from_fen)}–${formatBound(to_fen)}`
}

export const formatFenOrDash = (fen: number | null): string => (fen === null ? '—' : formatFen(fen))
/** Formats a month: `2026-10` → `10月`. */
export const formatMonthNumber = (month: string): string => `${Number(month.slice(5))}月`
