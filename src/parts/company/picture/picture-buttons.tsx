import { Button } from 'antd'
import { useRef } from 'react'
import { withFile } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import styles from './picture.module.css'

type Props = {
  /** What the picture is: 头像. */
  word: string
  has: boolean
  busy: boolean
  /** Draws what was chosen as it will leave the browser; throws a sentence for the user. */
  draw: (file: File) => Promise<File>
  /** The form with the one file. */
  onDrawn: (form: Record<string, never>) => void
  onRemove: () => void
}

/** Choosing a picture, another one, or none. */
export function PictureButtons({ word, has, busy, draw, onDrawn, onRemove }: Props) {
  const chooser = useRef<HTMLInputElement>(null)
  const choose = async (file: File | undefined) => {
    if (!file) return
    try {
      onDrawn(withFile<Record<string, never>>({}, await draw(file)))
    } catch (error) {
      toast.fail(error instanceof Error ? error.message : '浏览器没能处理这张图片，请换一张')
    }
  }
  return (
    <div className={styles.buttons}>
      <input
        ref={chooser}
        type="file"
        accept="image/*"
        hidden
        aria-label={`选择${word}图片`}
        onChange={(event) => {
          void choose(event.target.files?.[0])
          // The same file may be chosen again.
          event.target.value = ''
        }}
      />
      {has && (
        <Button type="text" disabled={busy} onClick={onRemove}>
          移除
        </Button>
      )}
      <Button loading={busy} onClick={() => chooser.current?.click()}>
        {has ? `更换${word}` : `上传${word}`}
      </Button>
    </div>
  )
}
