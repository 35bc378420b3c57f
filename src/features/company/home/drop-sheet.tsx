import { useNavigate } from '@tanstack/react-router'
import { type DragEvent, type ReactNode, useState } from 'react'
import { setDroppedFile } from '../../sheets/upload/dropped-file.ts'
import styles from './home.module.css'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')

/** The whole page accepts a dropped wage sheet and starts a send. Keyboard users have the 发工资条 button. */
export function WageSheetDropZone({ may: isEnabled, children }: { may: boolean; children: ReactNode }) {
  const navigate = useNavigate()
  const [isDragOver, setDragOver] = useState(false)
  if (!isEnabled) return <div className="ui-page">{children}</div>
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping is an extra; the button on the page is the way for keyboards
    <div
      className={`ui-page ${styles.drop}`}
      data-over={isDragOver || undefined}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setDragOver(false)
      }}
      onDrop={(event) => {
        setDragOver(false)
        const [file] = event.dataTransfer.files
        if (!file) return
        event.preventDefault()
        setDroppedFile(file)
        void navigate({ to: '/wageSend1', search: {} })
      }}
    >
      {children}
      {isDragOver && <p className={styles.dropHere}>松开鼠标，用这份工资表发工资条</p>}
    </div>
  )
}
