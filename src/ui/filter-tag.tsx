import { Icon } from './icon.tsx'
import './ui.css'

/** A filter that is in force, or one of several chosen, with a way to take it away. */
export const FilterTag = ({ children, onRemove, act = '去掉筛选' }: { children: string; onRemove: () => void; act?: string }) => (
  <span className="ui-filter">
    {children}
    <button type="button" aria-label={`${act}：${children}`} onClick={onRemove}>
      <Icon name="close" size={14} />
    </button>
  </span>
)
