import { Toast } from 'antd-mobile'
import { type Message, toastSeconds } from '../ui/toast.ts'
import { drawOutside } from './pocket-render.ts'

export const showToast = ({ kind, text, title }: Message) => {
  drawOutside()
  Toast.show({
    content: title ? `${title}\n${text}` : text,
    duration: toastSeconds * 1000,
    ...(kind === 'done' ? { icon: 'success' } : {}),
    maskClassName: 'pocket-toast',
  })
}
