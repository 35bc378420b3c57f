/** Rate tables of income tax and the basic deduction. Amounts in fen, rates in parts per million. */
import type { Dated } from './dated.ts'

/** `up_to`: the upper end, included; null is the last level. */
export type Level = { readonly up_to: number | null; readonly rate_ppm: number; readonly quick_fen: number }
const level = (up_to_yuan: number | null, percent: number, quick_yuan: number): Level => ({
  up_to: up_to_yuan === null ? null : up_to_yuan * 100,
  rate_ppm: percent * 10_000,
  quick_fen: quick_yuan * 100,
})

/** 综合所得: cumulative withholding of wages. */
export const annualRates: readonly Dated<readonly Level[]>[] = [
  {
    valid_from: '2019-01',
    valid_to: null,
    document: '国家税务总局公告2018年第61号附件；个人所得税法（2018年修正）税率表一',
    value: [
      level(36_000, 3, 0),
      level(144_000, 10, 2_520),
      level(300_000, 20, 16_920),
      level(420_000, 25, 31_920),
      level(660_000, 30, 52_920),
      level(960_000, 35, 85_920),
      level(null, 45, 181_920),
    ],
  },
]

/** 按月换算后的综合所得税率表: an annual bonus that is taxed apart, by a twelfth of it. */
export const monthlyRates: readonly Dated<readonly Level[]>[] = [
  {
    valid_from: '2019-01',
    valid_to: null,
    document: '财税〔2018〕164号附件：按月换算后的综合所得税率表',
    value: [
      level(3_000, 3, 0),
      level(12_000, 10, 210),
      level(25_000, 20, 1_410),
      level(35_000, 25, 2_660),
      level(55_000, 30, 4_410),
      level(80_000, 35, 7_160),
      level(null, 45, 15_160),
    ],
  },
]

/** 减除费用 a month of employment, and for the whole year of those who earned at most as much the year before. */
export const basicDeduction: readonly Dated<{ readonly month_fen: number; readonly year_fen: number }>[] = [
  {
    valid_from: '2019-01',
    valid_to: null,
    document: '个人所得税法（2018年修正）第六条；国家税务总局公告2018年第61号第六条、2020年第19号',
    value: { month_fen: 500_000, year_fen: 6_000_000 },
  },
]

/** Whether an annual bonus may be taxed apart from wages. */
export const separateBonus: readonly Dated<true>[] = [
  {
    valid_from: '2019-01',
    valid_to: '2027-12',
    document: '财税〔2018〕164号第一条；财政部 税务总局公告2023年第30号',
    value: true,
  },
]

/** The first level whose upper end is not below the amount. */
export const levelOf = (levels: readonly Level[], amount_fen: number): Level => {
  const found = levels.find(({ up_to }) => up_to === null || amount_fen <= up_to)
  if (!found) throw new RangeError('a table of rates has no last level')
  return found
}
