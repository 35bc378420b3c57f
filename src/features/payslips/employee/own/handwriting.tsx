import styles from '../open/open.module.css'
import { getPathBounds } from './strokes.ts'

/** A stored signature, drawn at any size. */
export function Handwriting({ path }: { path: string }) {
  const { x, y, width, height } = getPathBounds(path)
  return (
    <figure className={styles.handwriting}>
      <svg viewBox={`${x} ${y} ${width} ${height}`} role="img" aria-label="手写签名">
        <path d={path} />
      </svg>
      <figcaption className="ui-label">手写签名</figcaption>
    </figure>
  )
}
