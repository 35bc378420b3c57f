import { useNavigate } from '@tanstack/react-router'
import { Dropdown } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { getImportSampleFile } from '../../server/contract/desk.ts'
import { cache, downloadFrom } from '../api.ts'
import { type Role, roleQuery } from '../session.ts'
import { Icon } from '../ui/icon.tsx'
import { useRouteExists } from './routes.ts'

const LogoutDialog = lazy(async () => ({ default: (await import('./dialogs/logout.tsx')).LogoutDialog }))
const PasswordDialog = lazy(async () => ({ default: (await import('./dialogs/password.tsx')).PasswordDialog }))

/** Company, help, to-dos with their red dot, and the user's own menu. Agencies have neither help nor to-dos (spec §2). */
export function TopBar({ me, onMenu }: { me: Role | undefined; onMenu?: (() => void) | undefined }) {
  return (
    <header className="bar no-print">
      {onMenu && (
        <button type="button" className="bar-item" aria-label="打开菜单" onClick={onMenu}>
          <Icon name="menu" size={22} />
        </button>
      )}
      <div className="bar-company">
        <img src={me?.corp.logo ?? '/favicon.svg'} alt="" width={32} height={32} />
        <strong>{me?.corp.name ?? '薪函'}</strong>
      </div>
      {me && me.corp.corp_role !== 20 && (
        <>
          <button
            type="button"
            className="bar-item"
            aria-label="帮助"
            onClick={() => downloadFrom(getImportSampleFile, { type: 'help', page: 'guide' })}
          >
            <Icon name="help" />
            <span>帮助</span>
          </button>
          <Todo me={me} />
        </>
      )}
      {me?.user.user_name ? <UserMenu me={me} /> : <span className="bar-item">未登录</span>}
    </header>
  )
}

function Todo({ me }: { me: Role }) {
  const exists = useRouteExists()
  const navigate = useNavigate()
  if (!exists('/agency')) return null
  const unread = me.user.notice_number > 0
  const go = () => {
    cache.setQueryData(roleQuery.queryKey, (old: Role | undefined) => old && { ...old, user: { ...old.user, notice_number: 0 } })
    void navigate({ to: '/agency' })
  }
  return (
    <button type="button" className="bar-item" onClick={go} aria-label={unread ? '待办，有未读通知' : '待办'}>
      <span className="bar-bell" data-unread={unread || undefined}>
        <Icon name="bell" />
      </span>
      <span>待办</span>
    </button>
  )
}

function UserMenu({ me }: { me: Role }) {
  const [dialog, setDialog] = useState<'password' | 'logout' | null>(null)
  // Dialogs are loaded when first asked for, and stay so that they can close gently.
  const [asked, setAsked] = useState(false)
  const show = (key: 'password' | 'logout') => {
    setAsked(true)
    setDialog(key)
  }
  const close = () => setDialog(null)
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            { key: 'password', label: '修改密码', icon: <Icon name="lock" size={16} /> },
            { key: 'logout', label: '退出登录', icon: <Icon name="out" size={16} /> },
          ],
          onClick: ({ key }) => show(key === 'password' ? 'password' : 'logout'),
        }}
      >
        <button type="button" className="bar-item bar-user" aria-haspopup="menu" title="我的账号">
          {me.user.logo ? (
            <img src={me.user.logo} alt="" width={28} height={28} />
          ) : (
            <i aria-hidden="true">{me.user.user_name.slice(-1)}</i>
          )}
          <span>{me.user.user_name}</span>
          <Icon name="down" size={14} />
        </button>
      </Dropdown>
      {asked && (
        <Suspense fallback={null}>
          <PasswordDialog open={dialog === 'password'} onClose={close} />
          <LogoutDialog open={dialog === 'logout'} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
