import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toSignIn } from '../../api.ts'
import { session } from '../../api-core.ts'
import { Icon } from '../../ui/icon.tsx'
import { useDark } from '../../ui/media.ts'
import { showToastsWith } from '../../ui/over/toast.ts'
import '../../parts/ahead/waiting.css'
import './pocket.css'

const mainPages = [
  { path: '/m/slips', title: '工资条', icon: 'sheet' },
  { path: '/m/me', title: '我的', icon: 'user' },
] as const
/** Pages for people who are not signed in. */
const open = /^\/m\/(login|invite)\/?$/i

/** The frame of everything under /m: antd-mobile in our colours (Chinese by itself), its toasts, the tabs under the two main pages. */
export function Pocket() {
  const { pathname } = useLocation()
  const dark = useDark()
  const tabs = useTabs(pathname)
  const signedOut = !open.test(pathname) && !session.token
  // Lends antd-mobile's Toast to whoever has something to say while /m is open.
  useEffect(
    () =>
      // Toast brings an animation library of 20 kB, which the first view does not need. Without a network it does not come, and
      // that there is none must be said all the same.
      showToastsWith(
        (one) =>
          void import('./toast.ts').then(
            ({ showToast }) => showToast(one),
            () => alert(one.text),
          ),
      ),
    [],
  )
  // antd-mobile chooses its dark colours by this attribute.
  useEffect(() => {
    document.documentElement.dataset.prefersColorScheme = dark ? 'dark' : 'light'
  }, [dark])
  // Leaving the app is a navigation of the whole window.
  useEffect(() => {
    if (signedOut) toSignIn()
  }, [signedOut])
  if (signedOut) return null
  return (
    <>
      <div className={tabs.length > 0 ? 'pocket pocket-above-tabs' : 'pocket'}>
        <Outlet />
      </div>
      {tabs.length > 0 && <Tabs tabs={tabs} here={pathname} />}
    </>
  )
}

type Tab = (typeof mainPages)[number]
const plain = (pathname: string): string => pathname.toLowerCase().replace(/\/$/, '')

/** The tabs below this page: under the main pages only. */
function useTabs(pathname: string): readonly Tab[] {
  return mainPages.some((tab) => tab.path === plain(pathname)) ? mainPages : []
}

function Tabs({ tabs, here }: { tabs: readonly Tab[]; here: string }) {
  return (
    <nav className="pocket-tabs no-print" aria-label="主要页面">
      {tabs.map((tab) => (
        <Link key={tab.path} to={tab.path} replace aria-current={tab.path === plain(here) ? 'page' : undefined}>
          <Icon name={tab.icon} size={22} />
          {tab.title}
        </Link>
      ))}
    </nav>
  )
}
