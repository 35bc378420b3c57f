import { Button } from 'antd'
import { type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { getImportSampleFile } from '../../../server/contract/desk.ts'
import { Icon } from '../../ui/icon.tsx'
import { Progress } from '../../ui/progress.tsx'

const kinds = ['xlsx', 'xls', 'xlsm', 'csv'] as const
const sampleHref = `${getImportSampleFile.path}?type=wage`

/** What is wrong with a file before it is sent anywhere; null when nothing is. */
export function refusalOf(file: { name: string; size: number }, maxBytes: number): string | null {
  const ending = file.name.toLowerCase().split('.').at(-1) ?? ''
  if (!kinds.some((kind) => kind === ending)) return `「${file.name}」不是表格文件，请选择 .xlsx、.xls 或 .csv`
  if (file.size === 0) return `「${file.name}」是空文件，请检查后重新选择`
  if (file.size > maxBytes)
    return `「${file.name}」有 ${(file.size / 1024 / 1024).toFixed(1)} MB，超过 ${Math.floor(maxBytes / 1024 / 1024)} MB。请删去图片和无关的工作表后再传`
  return null
}

/** Takes a sheet by drag, click or paste. While one is on its way it shows how far, then that it is being read. */
export function UploadArea(props: {
  maxBytes: number
  /** 0 to 1 while a file is on its way, null otherwise. */
  progress: number | null
  fileName: string
  fileBytes: number
  error: string | null
  /** False where another button is the one to press. */
  primary: boolean
  onFile: (file: File) => void
  onRefuse: (why: string) => void
  onGiveUp: () => void
}) {
  const { maxBytes, progress, onFile, onRefuse } = props
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const size = Math.max(1, Math.ceil(props.fileBytes / 1024))
  const take = (file: File | undefined) => {
    if (!file || progress !== null) return
    const why = refusalOf(file, maxBytes)
    if (why) onRefuse(why)
    else onFile(file)
  }
  const pasted = useEffectEvent(take)
  // A file copied in the file manager may be pasted anywhere on the page.
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const file = event.clipboardData?.files[0]
      if (!file) return
      event.preventDefault()
      pasted(file)
    }
    document.addEventListener('paste', paste)
    return () => document.removeEventListener('paste', paste)
  }, [])
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (event.dataTransfer.files.length > 1) onRefuse('一次只能上传一个文件，请只拖入一份工资表')
    else take(event.dataTransfer.files[0])
  }
  if (progress !== null)
    return (
      <div className="upload upload-busy" role="status">
        {progress < 1 ? (
          <Progress label={`正在上传「${props.fileName}」`} done={Math.round(progress * size)} total={size} unit="KB" />
        ) : (
          <>
            <Progress label={`正在识别「${props.fileName}」…`} done={size} total={size} unit="KB" />
            <p className="ui-hint">正在找表头和每一列的用途，一般只要几秒</p>
          </>
        )}
        <Button onClick={props.onGiveUp}>取消上传</Button>
      </div>
    )
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping is an extra; the button inside is the way for keyboards */}
      <div
        className="upload"
        data-over={over || undefined}
        data-wrong={props.error !== null || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon name="import" size={40} />
        <p>
          <strong>把工资表拖到这里</strong>，或粘贴文件
        </p>
        <Button type={props.primary ? 'primary' : 'default'} size="large" onClick={() => input.current?.click()}>
          选择文件
        </Button>
        <p className="ui-hint">
          支持 .xlsx、.xls、.csv，不超过 {Math.floor(maxBytes / 1024 / 1024)} MB。直接用您平时的工资表，不用改格式
        </p>
        <input
          ref={input}
          type="file"
          hidden
          aria-label="工资表文件"
          accept={kinds.map((kind) => `.${kind}`).join(',')}
          onChange={(event) => {
            take(event.target.files?.[0])
            // The same file may be chosen again after it was put right.
            event.target.value = ''
          }}
        />
      </div>
      {props.error && (
        <div className="send-wrong" role="alert">
          <Icon name="warn" />
          <div>
            <p>{props.error}</p>
            <p>
              检查文件能否用 Excel 打开、第一行是不是列名（姓名、手机号、实发工资…），改好后重新上传；也可以
              <a href={sampleHref}>下载样表</a>照着填。
            </p>
          </div>
        </div>
      )}
      {!props.error && (
        <p className="ui-hint upload-sample">
          第一次用？<a href={sampleHref}>下载样表</a>看看可以怎样写
        </p>
      )}
    </div>
  )
}
