import { ConfigProvider, message, theme } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { type ReactNode, useEffect } from 'react'
import { useDarkMode, useIsNarrow, useReducedMotion } from '../../components/media.ts'
import { getToastSeconds, setToastHandler } from '../../components/overlay/toast.ts'
import { narrowWidth } from '../../theme.ts'
import { getAntdComponentTokens, getAntdToken, getFixedAntdColors } from './antd-theme.ts'

dayjs.locale('zh-cn')

/** Configures antd with our colors, light or dark like the system, and shows its messages as our toasts. */
export function DesktopTheme({ children }: { children: ReactNode }) {
  const scheme = useDarkMode() ? 'dark' : 'light'
  const reducedMotion = useReducedMotion()
  const isTouch = useIsNarrow(narrowWidth)
  const baseAlgorithm = scheme === 'dark' ? theme.darkAlgorithm : theme.defaultAlgorithm
  return (
    <ConfigProvider
      locale={zhCN}
      theme={{
        // The dark algorithm would dim our colors, which are already chosen for dark mode.
        algorithm: (seed) => ({ ...baseAlgorithm(seed), ...getFixedAntdColors(scheme) }),
        token: getAntdToken(scheme, { still: reducedMotion, touched: isTouch }),
        components: getAntdComponentTokens(scheme),
      }}
      button={{ autoInsertSpace: false }}
    >
      <ToastHost />
      {children}
    </ConfigProvider>
  )
}

function ToastHost() {
  const [api, holder] = message.useMessage({ maxCount: 3 })
  // Provides antd's message as the toast handler while the desktop app is open.
  useEffect(
    () =>
      setToastHandler((one) => {
        const { kind, text, title } = one
        const type = ({ done: 'success', fail: 'error', info: 'info', tip: 'success' } as const)[kind]
        const content = title ? (
          <>
            <strong>{title}</strong>　{text}
          </>
        ) : (
          text
        )
        void api.open({ type, content, duration: getToastSeconds(one) })
      }),
    [api],
  )
  return holder
}
