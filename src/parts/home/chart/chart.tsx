import { useEffect, useRef, useState } from 'react'
import { useDark, useStill } from '../../../ui/media.ts'
import styles from './chart.module.css'
import type { drawIn } from './echarts.ts'
import { type Drawn, optionsOf } from './options.ts'

type Instance = ReturnType<typeof drawIn>

/**
 * One chart. What it says stands in the table beside it, so it is a picture with a name to whoever cannot see it. `onPick`: a column or bar was pressed.
 */
export function Chart(props: { label: string; drawn: Drawn; height?: number; onPick?: (at: number) => void }) {
  const { label, drawn, height = 260, onPick } = props
  const box = useRef<HTMLDivElement>(null)
  const [chart, setChart] = useState<Instance | null>(null)
  const [isLost, setLost] = useState(false)
  const [scheme, still] = [useDark() ? ('dark' as const) : ('light' as const), useStill()]
  // The library draws by itself in an element that is ours; it is heavy, and comes when there is something to draw.
  useEffect(() => {
    const element = box.current
    let made: Instance | null = null
    let gone = false
    const sized = new ResizeObserver(() => made?.resize())
    const draw = async () => {
      try {
        const library = await import('./echarts.ts')
        if (gone || !element) return
        made = library.drawIn(element)
        sized.observe(element)
        setChart(made)
      } catch {
        setLost(true)
      }
    }
    void draw()
    return () => {
      gone = true
      sized.disconnect()
      made?.dispose()
    }
  }, [])
  // What is drawn follows what is known.
  useEffect(() => {
    chart?.setOption(optionsOf(drawn, scheme, still), { notMerge: true })
  }, [chart, drawn, scheme, still])
  useEffect(() => {
    if (!chart || !onPick) return
    const pick = ({ dataIndex }: { dataIndex?: number }) => dataIndex !== undefined && onPick(dataIndex)
    chart.on('click', pick)
    return () => void chart.off('click', pick)
  }, [chart, onPick])
  if (isLost) return <p className="ui-hint">图没有加载出来，数据见下表；刷新页面可以重试。</p>
  return (
    <div ref={box} className={styles.box} role="img" aria-label={label} style={{ height }} data-picks={onPick ? '' : undefined} />
  )
}
