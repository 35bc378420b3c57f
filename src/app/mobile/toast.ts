import { Toast } from 'antd-mobile'
import { getToastSeconds, type ToastMessage } from '../../components/overlay/toast.ts'
import { installReactRenderer } from './react-renderer.ts'

export const showToast = (message: ToastMessage) => {
  const { kind, text, title } = message
  installReactRenderer()
  Toast.show({
    content: title ? `${title}\n${text}` : text,
    duration: getToastSeconds(message) * 1000,
    ...(kind === 'done' ? { icon: 'success' } : {}),
    maskClassName: 'pocket-toast',
  })
}
