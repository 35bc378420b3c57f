import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { redirectToSignIn } from '../../api.ts'
import { session } from '../../api-core.ts'
import { Icon } from '../../components/icon.tsx'
import { useDarkMode } from '../../components/media.ts'
import { setToastHandler } from '../../components/overlay/toast.ts'
import '../preload/placeholders.css'
import './mobile.css'

const mainPages = [
  { path: '/m/slips', title: '工资条', icon: 'sheet' },
  { path: '/m/me', title: '我的', icon: 'user' },
] as const
/** Pages for users who are not signed in. */
const publicPathPattern = /^\/m\/(login|invite)\/?$/i

/** The frame of everything under /m: antd-mobile in our colors (Chinese by default), toasts, tabs of the two main pages. */
export function MobileLayout() {
  const { pathname } = useLocation()
  const dark = useDarkMode()
  const tabs = useTabs(pathname)
  const signedOut = !publicPathPattern.test(pathname) && !session.token
  // Provides antd-mobile's Toast as the toast handler while /m is open.
  useEffect(
    () =>
      // Toast brings an animation library of 20 kB, which the first view does not need. Without a network it cannot
      // load, and the network error must be shown all the same.
      setToastHandler(
        (one) =>
          void import('./toast.ts').then(
            ({ showToast }) => showToast(one),
            () => alert(one.text),
          ),
      ),
    [],
  )
  // antd-mobile selects its dark colors by this attribute.
  useEffect(() => {
    document.documentElement.dataset.prefersColorScheme = dark ? 'dark' : 'light'
  }, [dark])
  // Leaving the app is a navigation of the whole window.
  useEffect(() => {
    if (signedOut) redirectToSignIn()
  }, [signedOut])
  if (signedOut) return null
  return (
    <>
      <div className={tabs.length > 0 ? 'pocket pocket-above-tabs' : 'pocket'}>
        <Outlet />
      </div>
      {tabs.length > 0 && <BottomTabs tabs={tabs} context={pathname} />}
    </>
  )
}

type Tab = (typeof mainPages)[number]
const normalizePath = (pathname: string): string => pathname.toLowerCase().replace(/\/$/, '')

/** Returns the tabs below the current page; only the main pages have them. */
function useTabs(pathname: string): readonly Tab[] {
  return mainPages.some((tab) => tab.path === normalizePath(pathname)) ? mainPages : []
}

function BottomTabs({ tabs, context: pathname }: { tabs: readonly Tab[]; context: string }) {
  return (
    <nav className="pocket-tabs no-print" aria-label="主要页面">
      {tabs.map((tab) => (
        <Link key={tab.path} to={tab.path} replace aria-current={tab.path === normalizePath(pathname) ? 'page' : undefined}>
          <Icon name={tab.icon} size={22} />
          {tab.title}
        </Link>
      ))}
    </nav>
  )
}
