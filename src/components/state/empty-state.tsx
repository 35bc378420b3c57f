import type { ReactNode } from 'react'
import '../ui.css'

/** Three line drawings in the color of the borders, each over a soft surface: a payslip, people, and a pair of scales. */
const slip = {
  soft: 'M20 8h46v62l-5.75-5-5.75 5-5.75-5-5.75 5-5.75-5-5.75 5-5.75-5-5.75 5z',
  line: 'M20 8h46v62l-5.75-5-5.75 5-5.75-5-5.75 5-5.75-5-5.75 5-5.75-5-5.75 5zM28 19h14M28 30h10M28 41h16M53 19h5M50 30h8M52 41h6M28 52h6M64 60a11 11 0 1 1 22 0 11 11 0 1 1-22 0m6 0 4 4 7-7',
}
const people = {
  soft: 'M26 72c0-15 9-25 22-25s22 10 22 25zM48 10a13 13 0 1 1 0 26 13 13 0 1 1 0-26',
  line: 'M26 72c0-15 9-25 22-25s22 10 22 25zM48 10a13 13 0 1 1 0 26 13 13 0 1 1 0-26M26 20a9 9 0 1 0 3 17M6 68c0-12 6-19 16-20M70 20a9 9 0 1 1-3 17M90 68c0-12-6-19-16-20',
}
const scales = {
  soft: 'M8 46h26a13 13 0 0 1-26 0zM62 40h26a13 13 0 0 1-26 0z',
  line: 'M8 46h26a13 13 0 0 1-26 0zM62 40h26a13 13 0 0 1-26 0zM21 22 9 46M21 22l12 24M75 16 63 40M75 16l12 24M15 23 81 15M48 19v53M34 72h28M48 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8',
}
const illustrations = { sheet: slip, letter: slip, broken: slip, people, search: scales, bell: scales }
export type IllustrationName = keyof typeof illustrations

/** An empty state: one drawing, one sentence that says what to do, one action. */
export function EmptyState(props: { text: ReactNode; illustration?: IllustrationName; action?: ReactNode }) {
  const { soft, line } = illustrations[props.illustration ?? 'sheet']
  return (
    <div className="ui-empty" data-empty="">
      <svg width="96" height="80" viewBox="0 0 96 80" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
        <path d={soft} fill="var(--brand)" fillOpacity=".1" stroke="none" transform="translate(4 3)" />
        <path d={line} strokeLinejoin="round" strokeLinecap="round" />
      </svg>
      <p>{props.text}</p>
      {props.action}
    </div>
  )
}
