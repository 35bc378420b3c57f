import '../table/desk.css'

/** A few views of one page, side by side; the address says which (`onGo` navigates). */
export function Tabs<V extends string>(props: {
  label: string
  at: V
  words: Readonly<Record<V, string>>
  onGo: (view: V) => void
}) {
  const { label, at, words, onGo } = props
  return (
    <nav className="ui-tabs" aria-label={label}>
      {(Object.keys(words) as V[]).map((view) => (
        <button key={view} type="button" aria-current={view === at ? 'page' : undefined} onClick={() => onGo(view)}>
          {words[view]}
        </button>
      ))}
    </nav>
  )
}
