import { Button } from 'antd'
import { useRef, useState } from 'react'
import { accept, refusalOf, useMaxBytes } from '../sheet/upload/upload-area.tsx'
import styles from './tax.module.css'

/** A file that is looked at as soon as it is chosen: which one it is, or why it was not taken. `look` answers when it was read. */
export function useLookedAt(look: (file: File) => Promise<unknown>) {
  const [file, setFile] = useState<File | null>(null)
  const [error, setError] = useState<string | null>(null)
  const maxBytes = useMaxBytes()
  const take = (chosen: File | undefined) => {
    if (!chosen) return
    const why = refusalOf(chosen, maxBytes)
    setError(why)
    if (why) return
    setFile(chosen)
    look(chosen).catch((thrown: unknown) => {
      setFile(null)
      setError(thrown instanceof Error ? thrown.message : String(thrown))
    })
  }
  return { file, error, take }
}

type FileChoiceProps = {
  file: File | null
  /** What the button says before one is chosen. */
  word: string
  /** What it is a file of. */
  label: string
  busy: boolean
  onFile: (file: File | undefined) => void
}
export function FileChoice({ file, word, label, busy, onFile }: FileChoiceProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button loading={busy} onClick={() => input.current?.click()}>
        {file ? '换一个文件' : word}
      </Button>
      {file && <span className={`ui-label ${styles.file}`}>{file.name}</span>}
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={({ target }) => {
          onFile(target.files?.[0])
          target.value = ''
        }}
      />
    </>
  )
}

export const FileError = ({ error }: { error: string | null }) =>
  error && (
    <p className={styles.wrong} role="alert">
      {error}
    </p>
  )
