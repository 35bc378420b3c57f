import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { takeDroppedFile } from './dropped-file.ts'
import { UploadArea } from './upload-area.tsx'
import { useSheetUpload } from './use-upload.ts'

/** Uploads a wage sheet as a separate batch, in a new pay run or an existing one; then opens its page. */
export function UploadSheet(props: { primary: boolean; title_id?: string; replace?: boolean; onBusy?: (busy: boolean) => void }) {
  const { title_id, replace = false, onBusy } = props
  const navigate = useNavigate()
  const uploading = useSheetUpload()
  const upload = async (file: File) => {
    onBusy?.(true)
    const info = await uploading.upload(file, title_id ? { title_id } : {})
    onBusy?.(false)
    if (!info) return
    await navigate({ to: '/wageSend1', search: { batch_id: info.batch_id }, replace })
  }
  const uploadDropped = useEffectEvent(() => {
    const file = takeDroppedFile()
    if (file) void upload(file)
  })
  // A file dropped on another page led here.
  useEffect(() => uploadDropped(), [])
  return <UploadArea uploading={uploading} primary={props.primary} onFile={(file) => void upload(file)} />
}
