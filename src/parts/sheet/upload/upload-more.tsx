import { Button } from 'antd'
import type { SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import { UploadSheet } from './upload-sheet.tsx'

/** Another sheet in place of this one (`again`), or beside it in the same pay run. */
export function UploadMore({ info, adding, onClose }: { info: SheetInfo; adding: 'again' | 'append'; onClose: () => void }) {
  const beside = adding === 'append' ? info.title : null
  return (
    <section className="ui-stack" aria-label={adding === 'again' ? '重新上传' : '再加一张表'}>
      {beside && <p>再上传一张表，和这一张一起放在「{beside.title}」下，各自核对和发送。</p>}
      <UploadSheet primary={false} replace={adding === 'again'} {...(beside ? { title_id: beside.title_id } : {})} />
      <div>
        <Button onClick={onClose}>{adding === 'again' ? `不换了，继续用「${info.file_name}」` : '不加了'}</Button>
      </div>
    </section>
  )
}
