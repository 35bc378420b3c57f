/** What is drawn, as the chart library wants it: colours of the look, and marks and patterns beside them, so that no meaning hangs on a colour alone. */
import type { EChartsCoreOption } from 'echarts/core'
import { colours, font } from '../../../theme.ts'

type Scheme = keyof typeof colours
export type Series = {
  readonly name: string
  readonly values: readonly (number | null)[]
  readonly kind?: 'bar' | 'line'
  /** Bars of one pile stand on each other. */
  readonly pile?: string
}
export type Drawn = {
  readonly names: readonly string[]
  readonly series: readonly Series[]
  /** How a value is written on the axis, and in full. */
  readonly short: (value: number) => string
  readonly full: (value: number | null) => string
  /** Names on the left, bars to the right: for long names. */
  readonly lying?: boolean
}

const marks = ['circle', 'rect', 'triangle', 'diamond'] as const
/** In this order neighbours differ in lightness too. */
const hues = ['brand', 'info', 'warn', 'ink3', 'ok', 'danger'] as const
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)

function tipOf({ full }: Drawn) {
  return (given: unknown): string => {
    const rows = Array.isArray(given) ? given : [given]
    const lines = rows.map(
      (row: { seriesName?: string; value?: unknown }) =>
        `${escaped(row.seriesName ?? '')}　<b>${escaped(full(typeof row.value === 'number' ? row.value : null))}</b>`,
    )
    const first: { name?: string } | undefined = rows[0]
    return [escaped(first?.name ?? ''), ...lines].join('<br>')
  }
}

export function optionsOf(drawn: Drawn, scheme: Scheme, still: boolean): EChartsCoreOption {
  const look = colours[scheme]
  const { names, series, short, lying = false } = drawn
  const words = { color: look.ink2, fontFamily: font, fontSize: 12 }
  const named = {
    type: 'category' as const,
    data: [...names],
    inverse: lying,
    axisLabel: { ...words, ...(lying ? { width: 110, overflow: 'truncate' as const } : { hideOverlap: true }) },
    axisLine: { lineStyle: { color: look.rule } },
    axisTick: { show: false },
  }
  const measured = {
    type: 'value' as const,
    axisLabel: { ...words, formatter: short, hideOverlap: true },
    splitLine: { lineStyle: { color: look.rule } },
    // Figures beside one another need room that figures above one another do not.
    splitNumber: lying ? 3 : 4,
  }
  return {
    color: hues.map((hue) => look[hue]),
    animation: !still,
    animationDuration: 150,
    textStyle: { fontFamily: font },
    aria: { enabled: true, decal: { show: series.length > 1 } },
    grid: { left: 8, right: lying ? 32 : 12, top: series.length > 1 ? 40 : 16, bottom: 4, containLabel: true },
    ...(series.length > 1
      ? {
          legend: {
            type: 'scroll' as const,
            top: 0,
            left: 0,
            itemGap: 8,
            itemWidth: 14,
            textStyle: words,
            inactiveColor: look.ink3,
          },
        }
      : {}),
    tooltip: {
      trigger: 'axis' as const,
      confine: true,
      backgroundColor: look.card,
      borderColor: look.rule,
      textStyle: { color: look.ink, fontFamily: font, fontSize: 13 },
      axisPointer: { type: 'shadow' as const },
      formatter: tipOf(drawn),
    },
    xAxis: lying ? measured : named,
    yAxis: lying ? named : measured,
    series: series.map(({ name, values, kind = 'bar', pile }, at) => ({
      name,
      type: kind,
      data: [...values],
      ...(kind === 'line'
        ? { symbol: marks[at % marks.length], symbolSize: 8, showSymbol: true, lineStyle: { width: 2 }, connectNulls: false }
        : { barMaxWidth: 32, ...(pile ? { stack: pile } : {}) }),
    })),
  }
}
