import { ConfigProvider, message, theme } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { type ReactNode, useEffect } from 'react'
import { narrow } from '../../theme.ts'
import { useDark, useNarrow, useStill } from '../../ui/media.ts'
import { showToastsWith, toastSeconds } from '../../ui/over/toast.ts'
import { antdFixed, antdParts, antdToken } from './desk-theme.ts'

dayjs.locale('zh-cn')

/** antd in our colours, light or dark as the system is, and its messages for our toasts. */
export function DeskLook({ children }: { children: ReactNode }) {
  const scheme = useDark() ? 'dark' : 'light'
  const still = useStill()
  const touched = useNarrow(narrow)
  const base = scheme === 'dark' ? theme.darkAlgorithm : theme.defaultAlgorithm
  return (
    <ConfigProvider
      locale={zhCN}
      theme={{
        // The dark algorithm would dim our colours, which are chosen for dark already.
        algorithm: (seed) => ({ ...base(seed), ...antdFixed(scheme) }),
        token: antdToken(scheme, { still, touched }),
        components: antdParts(scheme),
      }}
      button={{ autoInsertSpace: false }}
    >
      <Toasts />
      {children}
    </ConfigProvider>
  )
}

function Toasts() {
  const [api, holder] = message.useMessage({ maxCount: 3 })
  // Lends antd's message to whoever has something to say while the desk is open.
  useEffect(
    () =>
      showToastsWith((one) => {
        const { kind, text, title } = one
        const type = ({ done: 'success', fail: 'error', info: 'info', tip: 'success' } as const)[kind]
        const content = title ? (
          <>
            <strong>{title}</strong>　{text}
          </>
        ) : (
          text
        )
        void api.open({ type, content, duration: toastSeconds(one) })
      }),
    [api],
  )
  return holder
}
