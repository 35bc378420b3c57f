import { useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { Upload } from '../../../../server/contract/corp/desk.ts'
import { most_pictures } from '../../../../server/contract/slip/feedback.ts'
import { useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { photoOf } from './photo.ts'
import styles from './pictures.module.css'

/** How a picture is asked for: each side of a thread has its own call. */
type Load = (id: string) => Promise<{ picture: string }>

/** Pictures of one message; a press shows one as large as there is room. */
export function Pictures({ ids, ...rest }: { ids: readonly string[]; load: Load }) {
  if (ids.length === 0) return null
  return (
    <div className={styles.talkPictures}>
      {ids.map((id, at) => (
        <Picture key={id} id={id} word={`图片 ${at + 1}`} {...rest} />
      ))}
    </div>
  )
}

function Picture({ id, word, load }: { id: string; word: string; load: Load }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['talk picture', id],
    queryFn: () => load(id),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const box = useRef<HTMLDialogElement>(null)
  if (!data)
    return error ? (
      <button type="button" className={styles.talkPicture} onClick={() => void refetch()}>
        没有打开，重试
      </button>
    ) : (
      <span className={styles.talkPicture} role="img" aria-label="正在打开图片" />
    )
  const show = () =>
    typeof box.current?.showModal === 'function' ? box.current.showModal() : box.current?.setAttribute('open', '')
  return (
    <>
      <button type="button" className={styles.talkPicture} aria-label={`放大${word}`} onClick={show}>
        <img src={data.picture} alt={word} />
      </button>
      <dialog ref={box} className={styles.talkLarge} aria-label={word}>
        <button type="button" aria-label="关闭图片" onClick={() => box.current?.close()}>
          <img src={data.picture} alt={word} />
        </button>
      </dialog>
    </>
  )
}

/** One that was sent ahead, and stands below what is being written. */
export type Sent = { readonly file_id: string; readonly url: string }

/** Adds pictures to what is being written, and takes them back out. */
export function PictureChooser(props: {
  sent: readonly Sent[]
  /** Changes those that are there by then: a picture takes a while, and one goes on meanwhile. */
  onChange: (change: (sent: Sent[]) => Sent[]) => void
}) {
  const { sent, onChange } = props
  const id = useId()
  const [drawing, setDrawing] = useState(false)
  const upload = useCall(Upload)
  const busy = drawing || upload.isPending
  const add = async (file: File | undefined) => {
    if (!file) return
    setDrawing(true)
    try {
      const picture = await photoOf(file)
      // A file is no field of a contract.
      const form: { for: 'question'; file: File } = { for: 'question', file: picture }
      const { file_id } = await upload.mutateAsync(form)
      onChange((now) => [...now, { file_id, url: URL.createObjectURL(picture) }])
    } catch (error) {
      // What the server refuses is said by the call itself.
      if (error instanceof Error && error.constructor === Error) toast.fail(error.message)
    } finally {
      setDrawing(false)
    }
  }
  const remove = (gone: Sent) => {
    URL.revokeObjectURL(gone.url)
    onChange((now) => now.filter((one) => one !== gone))
  }
  return (
    <div className={styles.talkChooser}>
      {sent.map((one, at) => (
        <button
          key={one.file_id}
          type="button"
          className={styles.talkPicture}
          aria-label={`移除图片 ${at + 1}`}
          onClick={() => remove(one)}
        >
          <img src={one.url} alt="" />
          <Icon name="close" size={16} />
        </button>
      ))}
      {sent.length < most_pictures && (
        <label className={styles.talkAdd} htmlFor={id} aria-busy={busy}>
          <Icon name="add" size={16} /> {busy ? '正在处理…' : '添加图片'}
          <input
            id={id}
            type="file"
            accept="image/*"
            disabled={busy}
            onChange={(event) => {
              void add(event.target.files?.[0])
              // The same file may be chosen again.
              event.target.value = ''
            }}
          />
        </label>
      )}
    </div>
  )
}
