import type { ReactNode } from 'react'
import '../table/desktop.css'

/** The top of a page: title on the left, one primary action on the right (others before it), filters below. */
export function PageHeader(props: {
  title: ReactNode
  note?: ReactNode
  /** The button 「?」 beside the title with the page's explanation. */
  help?: ReactNode
  action?: ReactNode
  children?: ReactNode
}) {
  return (
    <header className="ui-head">
      <div className="ui-head-line">
        <h1>
          {props.title}
          {props.note && <small>{props.note}</small>}
        </h1>
        {props.help}
        {props.action && <div className="ui-row no-print">{props.action}</div>}
      </div>
      {props.children && <div className="ui-row no-print">{props.children}</div>}
    </header>
  )
}
