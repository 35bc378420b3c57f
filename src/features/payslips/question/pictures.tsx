import { useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { uploadFile } from '../../../../server/contract/files/files.ts'
import { maxPicturesPerMessage } from '../../../../server/contract/payslips/feedback.ts'
import { useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { createPhoto } from './photo.ts'
import styles from './pictures.module.css'

/** Loads a picture: each side of a thread has its own call. */
type LoadPicture = (id: string) => Promise<{ picture: string }>

/** The pictures of one message; a press shows one as large as possible. */
export function MessagePictures({ ids, ...rest }: { ids: readonly string[]; load: LoadPicture }) {
  if (ids.length === 0) return null
  return (
    <div className={styles.talkPictures}>
      {ids.map((id, index) => (
        <MessagePicture key={id} id={id} word={`图片 ${index + 1}`} {...rest} />
      ))}
    </div>
  )
}

function MessagePicture({ id, word: label, load }: { id: string; word: string; load: LoadPicture }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['talk picture', id],
    queryFn: () => load(id),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const dialogRef = useRef<HTMLDialogElement>(null)
  if (!data)
    return error ? (
      <button type="button" className={styles.talkPicture} onClick={() => void refetch()}>
        没有打开，重试
      </button>
    ) : (
      <span className={styles.talkPicture} role="img" aria-label="正在打开图片" />
    )
  const show = () =>
    typeof dialogRef.current?.showModal === 'function'
      ? dialogRef.current.showModal()
      : dialogRef.current?.setAttribute('open', '')
  return (
    <>
      <button type="button" className={styles.talkPicture} aria-label={`放大${label}`} onClick={show}>
        <img src={data.picture} alt={label} />
      </button>
      <dialog ref={dialogRef} className={styles.talkLarge} aria-label={label}>
        <button type="button" aria-label="关闭图片" onClick={() => dialogRef.current?.close()}>
          <img src={data.picture} alt={label} />
        </button>
      </dialog>
    </>
  )
}

/** A picture uploaded in advance, shown below the draft. */
export type UploadedPicture = { readonly file_id: string; readonly url: string }

/** Adds pictures to the draft and removes them. `isCompact`: the button is an icon beside the field of a phone. */
export function PicturePicker(props: {
  sent: readonly UploadedPicture[]
  isCompact?: boolean
  /** Updates the list as it is then, because an upload takes time and the user continues meanwhile. */
  onChange: (change: (sent: UploadedPicture[]) => UploadedPicture[]) => void
}) {
  const { sent: pictures, isCompact = false, onChange } = props
  const id = useId()
  const [isRendering, setRendering] = useState(false)
  const upload = useCallMutation(uploadFile)
  const busy = isRendering || upload.isPending
  const add = async (file: File | undefined) => {
    if (!file) return
    setRendering(true)
    try {
      const picture = await createPhoto(file)
      // The file is not a field of the contract.
      const form: { for: 'question'; file: File } = { for: 'question', file: picture }
      const { file_id } = await upload.mutateAsync(form)
      onChange((current) => [...current, { file_id, url: URL.createObjectURL(picture) }])
    } catch (error) {
      // The call itself reports server errors.
      if (error instanceof Error && error.constructor === Error) toast.error(error.message)
    } finally {
      setRendering(false)
    }
  }
  const remove = (removed: UploadedPicture) => {
    URL.revokeObjectURL(removed.url)
    onChange((current) => current.filter((one) => one !== removed))
  }
  const label = busy ? '正在处理…' : '添加图片'
  const thumbnails = pictures.map((item, index) => (
    <button
      key={item.file_id}
      type="button"
      className={styles.talkPicture}
      aria-label={`移除图片 ${index + 1}`}
      onClick={() => remove(item)}
    >
      <img src={item.url} alt="" />
      <Icon name="close" size={16} />
    </button>
  ))
  return (
    <div className={isCompact ? styles.talkCompact : styles.talkChooser}>
      {isCompact && pictures.length > 0 ? <div className={styles.talkChooser}>{thumbnails}</div> : thumbnails}
      {pictures.length < maxPicturesPerMessage && (
        <label className={styles.talkAdd} htmlFor={id} aria-busy={busy}>
          {isCompact ? (
            <>
              <Icon name={busy ? 'clock' : 'picture'} size={22} />
              <span className="sr-only">{label}</span>
            </>
          ) : (
            <>
              <Icon name="add" size={16} /> {label}
            </>
          )}
          <input
            id={id}
            type="file"
            accept="image/*"
            disabled={busy}
            onChange={(event) => {
              void add(event.target.files?.[0])
              // Allows the same file to be selected again.
              event.target.value = ''
            }}
          />
        </label>
      )}
    </div>
  )
}
