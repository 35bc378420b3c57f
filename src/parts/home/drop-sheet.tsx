import { useNavigate } from '@tanstack/react-router'
import { type DragEvent, type ReactNode, useState } from 'react'
import { drop } from '../sheet/upload/dropped.ts'
import styles from './home.module.css'

const holdsFile = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')

/** The whole page takes a wage sheet: dropping it begins the sending. For keyboards there is the button 发工资条. */
export function DropSheet({ may, children }: { may: boolean; children: ReactNode }) {
  const navigate = useNavigate()
  const [over, setOver] = useState(false)
  if (!may) return <div className="ui-page">{children}</div>
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping is an extra; the button on the page is the way for keyboards
    <div
      className={`ui-page ${styles.drop}`}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (!holdsFile(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false)
      }}
      onDrop={(event) => {
        setOver(false)
        const [file] = event.dataTransfer.files
        if (!file) return
        event.preventDefault()
        drop(file)
        void navigate({ to: '/wageSend1', search: {} })
      }}
    >
      {children}
      {over && <p className={styles.dropHere}>松开鼠标，用这份工资表发工资条</p>}
    </div>
  )
}
