import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { type DragEvent, useRef, useState } from 'react'
import { getPublicInfo } from '../../../../server/contract/account/account.ts'
import { getImportSampleFile } from '../../../../server/contract/corp/desk.ts'
import { isSheetFileName, sheetFileExtensions } from '../../../../server/contract/words/sheet-files.ts'
import { query } from '../../../api.ts'
import { narrow } from '../../../theme.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useNarrow } from '../../../ui/media.ts'
import sendStyles from '../send.module.css'
import { PasteDialog, type Pasted, usePaste } from './paste-sheet.tsx'
import styles from './upload.module.css'
import { UploadWay } from './upload-way.tsx'
import type { useUpload } from './use-upload.ts'

export const accept = sheetFileExtensions.map((extension) => `.${extension}`).join(',')
const sampleOf = (type: 'wage' | 'member') => `${getImportSampleFile.path}?type=${type}`
const wageWords = {
  what: '工资表',
  hint: '直接用您平时的工资表，不用改格式',
  sample: 'wage',
} as const

/** What is wrong with a file before it is sent anywhere; null when nothing is. */
export function refusalOf(file: { name: string; size: number }, maxBytes: number): string | null {
  if (!isSheetFileName(file.name)) return `「${file.name}」这种文件读不了，请把表格另存为 .xlsx 再上传`
  if (file.size === 0) return `「${file.name}」是空文件，请检查后重新选择`
  if (file.size > maxBytes)
    return `「${file.name}」有 ${(file.size / 1024 / 1024).toFixed(1)} MB，超过 ${Math.floor(maxBytes / 1024 / 1024)} MB。请删去图片和无关的工作表后再传`
  return null
}

export function useMaxBytes(): number {
  const facts = useQuery({ ...query(getPublicInfo, {}), staleTime: Number.POSITIVE_INFINITY })
  return facts.data?.upload.max_bytes ?? 20 * 1024 * 1024
}

/** Nobody drags on a phone. */
const Ways = ({ what }: { what: string }) =>
  useNarrow(narrow) ? (
    <strong>选择{what}文件，或粘贴复制的表格</strong>
  ) : (
    <>
      <strong>把{what}拖到这里</strong>，或在 Excel、WPS 里复制后直接粘贴
    </>
  )

type UploadAreaProps = {
  uploading: Pick<ReturnType<typeof useUpload>, 'way' | 'error' | 'setError' | 'giveUp'>
  /** Of other sheets than those of wages. */
  words?: { what: string; hint: string; sample: 'wage' | 'member' }
  /** False where another button is the one to press. */
  primary: boolean
  onFile: (file: File) => void
}

/** Takes a sheet by drag, click or paste, as a file or as cells. While one is on its way it shows how far. */
export function UploadArea(props: UploadAreaProps) {
  const { uploading, onFile, words = wageWords } = props
  const { way, error } = uploading
  const maxBytes = useMaxBytes()
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const [pasting, setPasting] = useState<{ cells: Pasted | null } | null>(null)
  const take = (file: File | undefined) => {
    if (!file || way) return
    const why = refusalOf(file, maxBytes)
    if (why) uploading.setError(why)
    else onFile(file)
  }
  usePaste(way === null, { file: take, cells: (cells) => setPasting({ cells }) })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (event.dataTransfer.files.length > 1) uploading.setError(`一次只能上传一个文件，请只拖入一份${words.what}`)
    else take(event.dataTransfer.files[0])
  }
  if (way) return <UploadWay way={way} onGiveUp={uploading.giveUp} />
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping is an extra; the buttons inside are the way for keyboards */}
      <div
        className={styles.root}
        data-over={over || undefined}
        data-wrong={error !== null || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon name="import" size={40} />
        <p>
          <Ways what={words.what} />
        </p>
        <div className="ui-row">
          <Button type={props.primary ? 'primary' : 'default'} size="large" onClick={() => input.current?.click()}>
            选择文件
          </Button>
          <Button size="large" onClick={() => setPasting({ cells: null })}>
            粘贴表格
          </Button>
        </div>
        <p className="ui-hint">
          Excel、WPS、.csv 都可以，不超过 {Math.floor(maxBytes / 1024 / 1024)} MB。{words.hint}
        </p>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={`${words.what}文件`}
          accept={accept}
          onChange={(event) => {
            take(event.target.files?.[0])
            // The same file may be chosen again after it was put right.
            event.target.value = ''
          }}
        />
      </div>
      <Below error={error} sample={words.sample} />
      <PasteDialog
        open={pasting !== null}
        cells={pasting?.cells ?? null}
        onClose={() => setPasting(null)}
        onFile={(file) => {
          setPasting(null)
          take(file)
        }}
      />
    </div>
  )
}

/** What was wrong with the last file, and a sheet to fill in. */
const Below = ({ error, sample }: { error: string | null; sample: 'wage' | 'member' }) =>
  error ? (
    <div className={sendStyles.wrong} role="alert">
      <Icon name="warn" />
      <div>
        <p>{error}</p>
        <p>
          不知道怎样写？<a href={sampleOf(sample)}>下载样表</a>照着填。
        </p>
      </div>
    </div>
  ) : (
    <p className={`ui-hint ${styles.sample}`}>
      第一次用？<a href={sampleOf(sample)}>下载样表</a>看看可以怎样写
    </p>
  )
