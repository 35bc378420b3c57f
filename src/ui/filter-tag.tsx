import { Icon } from './icon.tsx'
import './ui.css'

/** A filter that is in force, with a way to take it away. */
export const FilterTag = ({ children, onRemove }: { children: string; onRemove: () => void }) => (
  <span className="ui-filter">
    {children}
    <button type="button" aria-label={`去掉筛选：${children}`} onClick={onRemove}>
      <Icon name="close" size={14} />
    </button>
  </span>
)
