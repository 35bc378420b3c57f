import '../table/desktop.css'

/** A few views of one page as tabs; the address contains the selected one (`onGo` navigates). */
export function Tabs<V extends string>(props: {
  label: string
  at: V
  labels: Readonly<Record<V, string>>
  onGo: (view: V) => void
}) {
  const { label, at: current, labels, onGo: onNavigate } = props
  return (
    <nav className="ui-tabs" aria-label={label}>
      {(Object.keys(labels) as V[]).map((view) => (
        <button key={view} type="button" aria-current={view === current ? 'page' : undefined} onClick={() => onNavigate(view)}>
          {labels[view]}
        </button>
      ))}
    </nav>
  )
}
