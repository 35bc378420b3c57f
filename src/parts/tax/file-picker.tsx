import { Button } from 'antd'
import { useRef, useState } from 'react'
import { acceptedFileTypes, useMaxUploadBytes, validateFile } from '../sheet/upload/upload-area.tsx'
import styles from './tax.module.css'

/** A file that is looked at as soon as it is chosen: which one it is, or why it was not taken. `preview` answers when it was read. */
export function useFilePreview(preview: (file: File) => Promise<unknown>) {
  const [file, setFile] = useState<File | null>(null)
  const [error, setError] = useState<string | null>(null)
  const maxBytes = useMaxUploadBytes()
  const selectFile = (selectedFile: File | undefined) => {
    if (!selectedFile) return
    const invalidReason = validateFile(selectedFile, maxBytes)
    setError(invalidReason)
    if (invalidReason) return
    setFile(selectedFile)
    preview(selectedFile).catch((failure: unknown) => {
      setFile(null)
      setError(failure instanceof Error ? failure.message : String(failure))
    })
  }
  return { file, error, take: selectFile }
}

type FilePickerProps = {
  file: File | null
  /** What the button says before one is chosen. */
  buttonLabel: string
  /** What it is a file of. */
  label: string
  busy: boolean
  onFile: (file: File | undefined) => void
}
export function FilePicker({ file, buttonLabel, label, busy, onFile }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button loading={busy} onClick={() => input.current?.click()}>
        {file ? '换一个文件' : buttonLabel}
      </Button>
      {file && <span className={`ui-label ${styles.file}`}>{file.name}</span>}
      <input
        ref={input}
        type="file"
        hidden
        accept={acceptedFileTypes}
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
