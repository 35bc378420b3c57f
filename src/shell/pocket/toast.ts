import { Toast } from 'antd-mobile'
import { type Message, toastSeconds } from '../../ui/over/toast.ts'
import { drawOutside } from './render.ts'

export const showToast = (message: Message) => {
  const { kind, text, title } = message
  drawOutside()
  Toast.show({
    content: title ? `${title}\n${text}` : text,
    duration: toastSeconds(message) * 1000,
    ...(kind === 'done' ? { icon: 'success' } : {}),
    maskClassName: 'pocket-toast',
  })
}
