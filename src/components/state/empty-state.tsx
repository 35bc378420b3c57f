import type { ReactNode } from 'react'
import '../ui.css'

/** Line drawings in the color of the borders. */
const illustrations = {
  sheet: 'M16 8h40l16 16v48H16zM56 8v16h16M28 36h32M28 48h32M28 60h20',
  people:
    'M36 40a14 14 0 1 0 0-28 14 14 0 0 0 0 28zM12 72c0-14 10-22 24-22s24 8 24 22M58 14a12 12 0 0 1 0 24M68 70c0-10-4-16-10-19',
  letter: 'M10 22h68v46H10zM10 24l34 26 34-26',
  search: 'M38 66a26 26 0 1 0 0-52 26 26 0 0 0 0 52zM57 59l19 19',
  bell: 'M22 60V38a20 20 0 0 1 40 0v22l6 8H16zM36 68a6 6 0 0 0 12 0',
  broken: 'M16 8h40l16 16v48H16zM56 8v16h16M36 38l16 16M52 38 36 54',
}
export type IllustrationName = keyof typeof illustrations

/** An empty state: one drawing, one sentence that says what to do, one action. */
export function EmptyState(props: { text: ReactNode; illustration?: IllustrationName; action?: ReactNode }) {
  return (
    <div className="ui-empty" data-empty="">
      <svg width="88" height="80" viewBox="0 0 88 80" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
        <path d={illustrations[props.illustration ?? 'sheet']} strokeLinejoin="round" strokeLinecap="round" />
      </svg>
      <p>{props.text}</p>
      {props.action}
    </div>
  )
}
