import '../ui.css'

const rowWidths = ['62%', '48%', '70%', '55%']

/** Placeholder rows while loading. */
export const Skeleton = ({ rows = 6 }: { rows?: number }) => (
  <div className="ui-skeleton" role="status" aria-label="正在加载">
    {Array.from({ length: rows }, (_, row) => (
      // oxlint-disable-next-line react/no-array-index-key -- rows without identity
      <i key={row} style={{ '--width': rowWidths[row % rowWidths.length] }} />
    ))}
  </div>
)
