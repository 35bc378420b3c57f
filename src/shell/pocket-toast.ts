import { Toast } from 'antd-mobile'
import './pocket-render.ts'
import { type Message, toastSeconds } from '../ui/toast.ts'

export const showToast = ({ kind, text, title }: Message) =>
  Toast.show({
    content: title ? `${title}\n${text}` : text,
    duration: toastSeconds * 1000,
    ...(kind === 'done' ? { icon: 'success' } : {}),
    maskClassName: 'pocket-toast',
  })
