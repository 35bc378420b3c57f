import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { type DragEvent, useRef, useState } from 'react'
import { getPublicInfo } from '../../../../server/contract/auth/sign-in.ts'
import { getImportSampleFile } from '../../../../server/contract/files/files.ts'
import { isSheetFileName, sheetFileExtensions } from '../../../../server/contract/sheets/sheet-files.ts'
import { callQuery } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { useIsNarrow } from '../../../components/media.ts'
import { narrowWidth } from '../../../theme.ts'
import sendStyles from '../send.module.css'
import { PasteDialog, type PastedCells, usePasteTable } from './paste-sheet.tsx'
import styles from './upload.module.css'
import { UploadProgress } from './upload-progress.tsx'
import type { useSheetUpload } from './use-upload.ts'

export const acceptedFileTypes = sheetFileExtensions.map((extension) => `.${extension}`).join(',')
const getSampleUrl = (type: 'wage' | 'member') => `${getImportSampleFile.path}?type=${type}`
const wageTexts = {
  subject: '工资表',
  hint: '直接用您平时的工资表，不用改格式',
  sample: 'wage',
} as const

/** Returns what is wrong with a file before it is uploaded; null if nothing. */
export function validateFile(file: { name: string; size: number }, maxBytes: number): string | null {
  if (!isSheetFileName(file.name)) return `「${file.name}」这种文件读不了，请把表格另存为 .xlsx 再上传`
  if (file.size === 0) return `「${file.name}」是空文件，请检查后重新选择`
  if (file.size > maxBytes)
    return `「${file.name}」有 ${(file.size / 1024 / 1024).toFixed(1)} MB，超过 ${Math.floor(maxBytes / 1024 / 1024)} MB。请删去图片和无关的工作表后再传`
  return null
}

export function useMaxUploadBytes(): number {
  const publicInfo = useQuery({ ...callQuery(getPublicInfo, {}), staleTime: Number.POSITIVE_INFINITY })
  return publicInfo.data?.upload.max_bytes ?? 20 * 1024 * 1024
}

/** Dragging is not possible on a phone. */
const UploadMethods = ({ what }: { what: string }) =>
  useIsNarrow(narrowWidth) ? (
    <strong>选择{what}文件，或粘贴复制的表格</strong>
  ) : (
    <>
      <strong>把{what}拖到这里</strong>，或在 Excel、WPS 里复制后直接粘贴
    </>
  )

type UploadAreaProps = {
  uploading: Pick<ReturnType<typeof useSheetUpload>, 'channel' | 'error' | 'setError' | 'giveUp'>
  /** Texts for sheets other than wage sheets. */
  texts?: { subject: string; hint: string; sample: 'wage' | 'member' }
  /** The value is false if another button is the primary one. */
  primary: boolean
  onFile: (file: File) => void
}

/** Accepts a sheet by drag, click or paste, as a file or as cells. Shows the progress during an upload. */
export function UploadArea(props: UploadAreaProps) {
  const { uploading, onFile, texts = wageTexts } = props
  const { channel: status, error } = uploading
  const maxBytes = useMaxUploadBytes()
  const input = useRef<HTMLInputElement>(null)
  const [isDragOver, setDragOver] = useState(false)
  const [pasted, setPasted] = useState<{ cells: PastedCells | null } | null>(null)
  const acceptFile = (file: File | undefined) => {
    if (!file || status) return
    const invalidReason = validateFile(file, maxBytes)
    if (invalidReason) uploading.setError(invalidReason)
    else onFile(file)
  }
  usePasteTable(status === null, { file: acceptFile, cells: (cells) => setPasted({ cells }) })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDragOver(false)
    if (event.dataTransfer.files.length > 1) uploading.setError(`一次只能上传一个文件，请只拖入一份${texts.subject}`)
    else acceptFile(event.dataTransfer.files[0])
  }
  if (status) return <UploadProgress channel={status} onGiveUp={uploading.giveUp} />
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping is an extra; the buttons inside are the way for keyboards */}
      <div
        className={styles.root}
        data-over={isDragOver || undefined}
        data-wrong={error !== null || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setDragOver(true)
        }}
        onDragLeave={() => setDragOver(false)}
        onDrop={drop}
      >
        <Icon name="import" size={40} />
        <p>
          <UploadMethods what={texts.subject} />
        </p>
        <div className="ui-row">
          <Button type={props.primary ? 'primary' : 'default'} size="large" onClick={() => input.current?.click()}>
            选择文件
          </Button>
          <Button size="large" onClick={() => setPasted({ cells: null })}>
            粘贴表格
          </Button>
        </div>
        <p className="ui-hint">
          Excel、WPS、.csv 都可以，不超过 {Math.floor(maxBytes / 1024 / 1024)} MB。{texts.hint}
        </p>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={`${texts.subject}文件`}
          accept={acceptedFileTypes}
          onChange={(event) => {
            acceptFile(event.target.files?.[0])
            // Allows the same file to be selected again after a correction.
            event.target.value = ''
          }}
        />
      </div>
      <UploadHint error={error} sample={texts.sample} />
      <PasteDialog
        open={pasted !== null}
        cells={pasted?.cells ?? null}
        onClose={() => setPasted(null)}
        onFile={(file) => {
          setPasted(null)
          acceptFile(file)
        }}
      />
    </div>
  )
}

/** Shows the error of the last file and a link to a sample sheet. */
const UploadHint = ({ error, sample }: { error: string | null; sample: 'wage' | 'member' }) =>
  error ? (
    <div className={sendStyles.wrong} role="alert">
      <Icon name="warn" />
      <div>
        <p>{error}</p>
        <p>
          不知道怎样写？<a href={getSampleUrl(sample)}>下载样表</a>照着填。
        </p>
      </div>
    </div>
  ) : (
    <p className={`ui-hint ${styles.sample}`}>
      第一次用？<a href={getSampleUrl(sample)}>下载样表</a>看看可以怎样写
    </p>
  )
