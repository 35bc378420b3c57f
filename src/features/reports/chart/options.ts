/** Builds the chart library's options: theme colors with marks and patterns, so that no meaning depends on color alone. */
import type { EChartsCoreOption } from 'echarts/core'
import { colors, fontFamily } from '../../../theme.ts'

type ColorScheme = keyof typeof colors
export type ChartSeries = {
  readonly name: string
  readonly values: readonly (number | null)[]
  readonly kind?: 'bar' | 'line'
  /** Bars with the same stack are stacked. */
  readonly stack?: string
}
export type ChartSpec = {
  readonly names: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly formatShort: (value: number) => string
  readonly formatFull: (value: number | null) => string
  /** Shows names on the left and bars to the right, for long names. */
  readonly isHorizontal?: boolean
}

const symbols = ['circle', 'rect', 'triangle', 'diamond'] as const
/** In this order neighboring colors differ in lightness as well. */
const seriesColors = ['brand', 'info', 'warn', 'ink3', 'ok', 'danger'] as const
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

function createTooltipFormatter({ formatFull }: ChartSpec) {
  return (params: unknown): string => {
    const rows = Array.isArray(params) ? params : [params]
    const lines = rows.map(
      (row: { seriesName?: string; value?: unknown }) =>
        `${escapeHtml(row.seriesName ?? '')}　<b>${escapeHtml(formatFull(typeof row.value === 'number' ? row.value : null))}</b>`,
    )
    const first: { name?: string } | undefined = rows[0]
    return [escapeHtml(first?.name ?? ''), ...lines].join('<br>')
  }
}

export function buildChartOptions(spec: ChartSpec, scheme: ColorScheme, reducedMotion: boolean): EChartsCoreOption {
  const palette = colors[scheme]
  const { names, series, formatShort, isHorizontal = false } = spec
  const textStyle = { color: palette.ink2, fontFamily, fontSize: 12 }
  const categoryAxis = {
    type: 'category' as const,
    data: [...names],
    inverse: isHorizontal,
    axisLabel: { ...textStyle, ...(isHorizontal ? { width: 110, overflow: 'truncate' as const } : { hideOverlap: true }) },
    axisLine: { lineStyle: { color: palette.rule } },
    axisTick: { show: false },
  }
  const valueAxis = {
    type: 'value' as const,
    axisLabel: { ...textStyle, formatter: formatShort, hideOverlap: true },
    splitLine: { lineStyle: { color: palette.rule } },
    // Labels in one row need more space than labels above each other.
    splitNumber: isHorizontal ? 3 : 4,
  }
  return {
    color: seriesColors.map((colorName) => palette[colorName]),
    animation: !reducedMotion,
    animationDuration: 150,
    textStyle: { fontFamily },
    aria: { enabled: true, decal: { show: series.length > 1 } },
    grid: { left: 8, right: isHorizontal ? 32 : 12, top: series.length > 1 ? 40 : 16, bottom: 4, containLabel: true },
    ...(series.length > 1
      ? {
          legend: {
            type: 'scroll' as const,
            top: 0,
            left: 0,
            itemGap: 8,
            itemWidth: 14,
            textStyle,
            inactiveColor: palette.ink3,
          },
        }
      : {}),
    tooltip: {
      trigger: 'axis' as const,
      confine: true,
      backgroundColor: palette.card,
      borderColor: palette.rule,
      textStyle: { color: palette.ink, fontFamily, fontSize: 13 },
      axisPointer: { type: 'shadow' as const },
      formatter: createTooltipFormatter(spec),
    },
    xAxis: isHorizontal ? valueAxis : categoryAxis,
    yAxis: isHorizontal ? categoryAxis : valueAxis,
    series: series.map(({ name, values, kind = 'bar', stack }, index) => ({
      name,
      type: kind,
      data: [...values],
      ...(kind === 'line'
        ? {
            symbol: symbols[index % symbols.length],
            symbolSize: 8,
            showSymbol: true,
            lineStyle: { width: 2 },
            connectNulls: false,
          }
        : { barMaxWidth: 32, ...(stack ? { stack } : {}) }),
    })),
  }
}
