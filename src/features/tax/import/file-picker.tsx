import { Button } from 'antd'
import { useRef, useState } from 'react'
import { acceptedFileTypes, useMaxUploadBytes, validateFile } from '../../sheets/upload/upload-area.tsx'
import styles from '../tax.module.css'

/** Previews a file as soon as it is selected: its name, or why it was rejected. `preview` resolves when it was read. */
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
  /** The button label before a file is selected. */
  buttonLabel: string
  /** The kind of file. */
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
