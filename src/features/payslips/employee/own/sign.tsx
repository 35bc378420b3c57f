import { useEffect, useRef, useState } from 'react'
import SignaturePad from 'signature_pad'
import employeeStyles from '../m.module.css'
import styles from '../open/open.module.css'
import { maxPathLength, toSvgPath } from './strokes.ts'

/**
 * A field for writing with a finger, a pen or the mouse. `onWrite` must be stable; it receives the path after each
 * stroke, or an empty string after clearing.
 */
export function SignatureField({ onWrite }: { onWrite: (path: string) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const pad = useRef<SignaturePad | null>(null)
  const [isEmpty, setEmpty] = useState(true)
  // Draws on a canvas whose resolution matches the screen.
  useEffect(() => {
    const field = canvas.current
    if (!field) return
    const pixelRatio = Math.max(1, devicePixelRatio)
    field.width = field.clientWidth * pixelRatio
    field.height = field.clientHeight * pixelRatio
    field.getContext('2d')?.scale(pixelRatio, pixelRatio)
    const newPad = new SignaturePad(field, { penColor: getComputedStyle(field).color, minWidth: 1.2, maxWidth: 2.6 })
    const reportPath = () => onWrite(toSvgPath(newPad.toData().map(({ points }) => points)).slice(0, maxPathLength))
    newPad.addEventListener('beginStroke', () => setEmpty(false))
    newPad.addEventListener('endStroke', reportPath)
    pad.current = newPad
    return () => newPad.off()
  }, [onWrite])
  const clear = () => {
    pad.current?.clear()
    setEmpty(true)
    onWrite('')
  }
  return (
    <div className={styles.signField}>
      <canvas ref={canvas} role="img" aria-label="在这里手写签名" />
      {isEmpty ? (
        <span aria-hidden="true">请在框内签名</span>
      ) : (
        <button type="button" className={employeeStyles.link} onClick={clear}>
          重写
        </button>
      )}
    </div>
  )
}
