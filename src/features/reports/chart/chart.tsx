import { useEffect, useRef, useState } from 'react'
import { useDarkMode, usePrinting, useReducedMotion } from '../../../components/media.ts'
import styles from './chart.module.css'
import type { createChart } from './echarts.ts'
import { buildChartOptions, type ChartSpec } from './options.ts'

type ChartInstance = ReturnType<typeof createChart>

/**
 * One chart. The same data is in the card's table, so for screen readers it is an image with a name. `onPick` is called
 * with the column or bar that was pressed.
 */
export function Chart(props: { label: string; rendered: ChartSpec; height?: number; onPick?: (at: number) => void }) {
  const { label, rendered: spec, height = 260, onPick } = props
  const container = useRef<HTMLDivElement>(null)
  const [chart, setChart] = useState<ChartInstance | null>(null)
  const [hasFailed, setFailed] = useState(false)
  const [isDark, reducedMotion, onPaper] = [useDarkMode(), useReducedMotion(), usePrinting()]
  const scheme = isDark && !onPaper ? 'dark' : 'light'
  // The library renders into our element; it is large and loads only when there is data.
  useEffect(() => {
    const element = container.current
    let instance: ChartInstance | null = null
    let isDisposed = false
    const resizeObserver = new ResizeObserver(() => instance?.resize())
    const draw = async () => {
      try {
        const library = await import('./echarts.ts')
        if (isDisposed || !element) return
        instance = library.createChart(element)
        resizeObserver.observe(element)
        setChart(instance)
      } catch {
        setFailed(true)
      }
    }
    void draw()
    return () => {
      isDisposed = true
      resizeObserver.disconnect()
      instance?.dispose()
    }
  }, [])
  // Updates the chart when its data or appearance changes.
  useEffect(() => {
    chart?.setOption(buildChartOptions(spec, { scheme, reducedMotion, onPaper }), { notMerge: true })
  }, [chart, spec, scheme, reducedMotion, onPaper])
  useEffect(() => {
    if (!chart || !onPick) return
    const pick = ({ dataIndex }: { dataIndex?: number }) => dataIndex !== undefined && onPick(dataIndex)
    chart.on('click', pick)
    return () => void chart.off('click', pick)
  }, [chart, onPick])
  if (hasFailed) return <p className="ui-hint">图表未能加载，可查看表格，或刷新页面重试。</p>
  return (
    <div
      ref={container}
      className={styles.box}
      role="img"
      aria-label={label}
      style={{ height }}
      data-picks={onPick ? '' : undefined}
    />
  )
}
