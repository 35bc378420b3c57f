import { useEffect, useRef } from 'react'
import SignaturePad from 'signature_pad'
import employeeStyles from '../m.module.css'
import styles from '../open/open.module.css'
import { longest_path, pathOf } from './strokes.ts'

/** A field to write on with the finger, a pen or the mouse. `onWrite`, always the same, is told the path after each stroke; empty when it was wiped. */
export function SignField({ onWrite }: { onWrite: (path: string) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const pad = useRef<SignaturePad | null>(null)
  // The pad draws on an element of the page; it is as fine as the screen.
  useEffect(() => {
    const field = canvas.current
    if (!field) return
    const fine = Math.max(1, devicePixelRatio)
    field.width = field.clientWidth * fine
    field.height = field.clientHeight * fine
    field.getContext('2d')?.scale(fine, fine)
    const made = new SignaturePad(field, { penColor: getComputedStyle(field).color, minWidth: 1.2, maxWidth: 2.6 })
    const tell = () => onWrite(pathOf(made.toData().map(({ points }) => points)).slice(0, longest_path))
    made.addEventListener('endStroke', tell)
    pad.current = made
    return () => made.off()
  }, [onWrite])
  const wipe = () => {
    pad.current?.clear()
    onWrite('')
  }
  return (
    <div className={styles.signField}>
      <canvas ref={canvas} role="img" aria-label="在这里手写签名" />
      <button type="button" className={employeeStyles.link} onClick={wipe}>
        重写
      </button>
    </div>
  )
}
