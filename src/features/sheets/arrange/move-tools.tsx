import { Icon } from '../../../components/icon.tsx'
import styles from './arrange.module.css'

/** Buttons to move up and down by one; Alt with an arrow key does the same from anywhere inside the element. */
export function MoveButtons(props: { name: string; first: boolean; last: boolean; onMove: (way: -1 | 1) => void }) {
  const { name, first: isFirst, last: isLast, onMove } = props
  return (
    <span className={styles.move}>
      <button
        type="button"
        className={`${styles.tool} ${styles.up}`}
        aria-label={`上移${name}`}
        aria-keyshortcuts="Alt+ArrowUp"
        title="上移（Alt + ↑）"
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        <Icon name="down" size={16} />
      </button>
      <button
        type="button"
        className={styles.tool}
        aria-label={`下移${name}`}
        aria-keyshortcuts="Alt+ArrowDown"
        title="下移（Alt + ↓）"
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        <Icon name="down" size={16} />
      </button>
    </span>
  )
}
