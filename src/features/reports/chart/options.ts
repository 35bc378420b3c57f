/**
 * Builds the chart library's options: tints of the theme's one color that differ in lightness and in their marks, so
 * that no meaning depends on hue. Patterns are added on paper only, where tints may come out alike.
 */
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
  /** Fits the axis to the values instead of starting at zero, for lines that would otherwise be flat. */
  readonly isFitted?: boolean
  /** Shows names on the left and bars to the right, for long names. */
  readonly isHorizontal?: boolean
}

const seriesSymbols = ['circle', 'emptyCircle', 'rect', 'emptyRect'] as const
/** Tints of one color in steps of lightness: each series differs from its neighbors also for those who see no color. */
const seriesTints = [1, 0.55, 0.32, 0.18, 0.75, 0.44] as const

const parseHex = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
/** Mixes a color with the background that it is shown on, because the chart library cannot read CSS colors. */
function mixColors(color: string, background: string, share: number): string {
  const base = parseHex(background)
  const channels = parseHex(color).map((channel, at) => Math.round(channel * share + (base[at] ?? 0) * (1 - share)))
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

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

export type ChartAppearance = { readonly scheme: ColorScheme; readonly reducedMotion: boolean; readonly onPaper: boolean }

export function buildChartOptions(spec: ChartSpec, { scheme, reducedMotion, onPaper }: ChartAppearance): EChartsCoreOption {
  const palette = colors[scheme]
  const { names, series, formatShort, isHorizontal = false, isFitted = false } = spec
  const hasLines = series.some(({ kind }) => kind === 'line')
  // Bars beside a line count something much smaller: they get the lower third and a scale of their own, with labels.
  const largestBar = Math.max(
    1,
    ...series.flatMap(({ kind, values }) => (kind === 'line' ? [] : values.map((value) => value ?? 0))),
  )
  const isMixed = hasLines && series.some(({ kind }) => kind !== 'line')
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
    splitLine: { lineStyle: { color: palette.rule, opacity: 0.7 } },
    scale: isFitted,
    // Labels in one row need more space than labels above each other.
    splitNumber: 3,
  }
  return {
    color: seriesTints.map((share) => mixColors(palette.brand, palette.card, share)),
    animation: !reducedMotion && !onPaper,
    animationDuration: 150,
    textStyle: { fontFamily },
    aria: { enabled: true, decal: { show: onPaper && series.length > 1 } },
    // The labels of the last points stand to the right of the lines.
    grid: {
      left: 8,
      right: hasLines ? 64 : isHorizontal ? 56 : 12,
      top: series.length > 1 ? 40 : 24,
      bottom: 4,
      containLabel: true,
    },
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
    yAxis: isHorizontal
      ? categoryAxis
      : isMixed
        ? [valueAxis, { type: 'value' as const, show: false, min: 0, max: largestBar * 3 }]
        : valueAxis,
    series: series.map(({ name, values, kind = 'bar', stack }, index) => ({
      name,
      type: kind,
      data: [...values],
      emphasis: { focus: 'none' as const },
      ...(kind === 'line'
        ? {
            symbol: seriesSymbols[index % seriesSymbols.length],
            symbolSize: 6,
            showSymbol: true,
            lineStyle: { width: 2 },
            connectNulls: false,
            endLabel: {
              show: true,
              ...textStyle,
              color: palette.ink,
              formatter: ({ value }: { value?: unknown }) => (typeof value === 'number' ? formatShort(value) : ''),
            },
          }
        : {
            barMaxWidth: isHorizontal ? 16 : 28,
            itemStyle: { borderRadius: stack ? 0 : isHorizontal ? [0, 3, 3, 0] : [3, 3, 0, 0] },
            ...(stack ? { stack } : {}),
            ...(isMixed ? { yAxisIndex: 1 } : {}),
            ...(series.length === 1 || isHorizontal || isMixed
              ? {
                  label: {
                    show: true,
                    ...textStyle,
                    position: isHorizontal ? ('right' as const) : ('top' as const),
                    formatter: ({ value }: { value?: unknown }) =>
                      typeof value === 'number' && value !== 0 ? formatShort(value) : '',
                  },
                }
              : {}),
          }),
    })),
  }
}
