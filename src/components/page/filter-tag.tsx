import { Icon } from '../icon.tsx'
import '../table/table.css'

/** An active filter, or one of several selected values, with a remove button where allowed. */
export const FilterTag = (props: { children: string; onRemove?: (() => void) | undefined; act?: string }) => {
  const { children, onRemove, act: removeLabel = '移除筛选' } = props
  return (
    <span className="ui-filter">
      {children}
      {onRemove && (
        <button type="button" aria-label={`${removeLabel}：${children}`} onClick={onRemove}>
          <Icon name="close" size={14} />
        </button>
      )}
    </span>
  )
}
