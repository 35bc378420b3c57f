import { Button } from 'antd'
import type { WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { UploadSheet } from './upload-sheet.tsx'

/** Uploads another wage sheet that replaces this one (`again`), or adds a batch to the same pay run. */
export function UploadAnotherSheet({
  info,
  adding: mode,
  onClose,
}: {
  info: WageSheetInfo
  adding: 'again' | 'append'
  onClose: () => void
}) {
  const existingTitle = mode === 'append' ? info.title : null
  return (
    <section className="ui-stack" aria-label={mode === 'again' ? '重新上传' : '再加一张表'}>
      {existingTitle && <p>再上传一张表，和这一张一起放在「{existingTitle.title}」下，各自核对和发送。</p>}
      <UploadSheet primary={false} replace={mode === 'again'} {...(existingTitle ? { title_id: existingTitle.title_id } : {})} />
      <div>
        <Button onClick={onClose}>{mode === 'again' ? `不换了，继续用「${info.file_name}」` : '不加了'}</Button>
      </div>
    </section>
  )
}
