import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Dropdown } from 'antd'
import { useRef, useState } from 'react'
import { getAvailableCorps } from '../../../server/contract/auth/sign-in.ts'
import { callQuery } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { lazyDialog } from '../../components/lazy.tsx'
import type { CurrentUser } from '../../session.ts'
import { Avatar } from './avatar.tsx'
import styles from './shell.module.css'

const CorpsDialog = lazyDialog(async () => (await import('../dialogs/switch-company.tsx')).SwitchCompanyDialog)
const LogoutDialog = lazyDialog(async () => (await import('../dialogs/logout.tsx')).LogoutDialog)
const PasswordDialog = lazyDialog(async () => (await import('../dialogs/password.tsx')).PasswordDialog)
const TransferDialog = lazyDialog(async () => (await import('../dialogs/transfer.tsx')).TransferDialog)

const menuActions = ['profile', 'todos', 'news', 'password', 'corps', 'transfer', 'logout'] as const
type MenuAction = (typeof menuActions)[number]

/**
 * Returns whether the user may apply to transfer payroll (spec §6): users with power 2 but not 1; users with power 4
 * transfer on the role pages. An agency has no payroll of its own.
 */
export const canRequestTransfer = ({ power, corp }: Pick<CurrentUser, 'power' | 'corp'>): boolean =>
  corp.corp_role === 10 && power.includes('2') && !power.includes('1') && !power.includes('4')

export function UserMenu({ me }: { me: CurrentUser }) {
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<MenuAction | null>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  // Dialogs load on first use and stay mounted so that their closing animation runs.
  const [loadedDialogs, setLoadedDialogs] = useState<readonly MenuAction[]>([])
  // The companies are requested when the menu is first opened, because most users have one company and nothing to
  // choose.
  const [opened, setOpened] = useState(false)
  const { data } = useQuery({ ...callQuery(getAvailableCorps, {}), enabled: opened, staleTime: 60_000 })
  const corps = data?.corps ?? []
  const selectAction = (key: string) => {
    const action = menuActions.find((one) => one === key)
    if (!action) return
    if (action === 'profile') return void navigate({ to: '/profile' })
    if (action === 'todos') return void navigate({ to: '/agency' })
    if (action === 'news') return void navigate({ to: '/strategic' })
    if (!loadedDialogs.includes(action)) setLoadedDialogs([...loadedDialogs, action])
    setDialog(action)
  }
  const close = () => setDialog(null)
  return (
    <>
      <Dropdown
        trigger={['click']}
        onOpenChange={(open) => open && setOpened(true)}
        menu={{
          items: [
            { key: 'profile', label: '我的账号', icon: <Icon name="user" size={16} /> },
            // The bar of an agency has no bell, and its menu no news (spec §2): both are reached from here.
            ...(me.corp.corp_role === 20
              ? [
                  { key: 'todos', label: '待办和审批', icon: <Icon name="bell" size={16} /> },
                  { key: 'news', label: '资讯', icon: <Icon name="sheet" size={16} /> },
                ]
              : []),
            { key: 'password', label: '修改密码', icon: <Icon name="lock" size={16} /> },
            ...(corps.length > 1 ? [{ key: 'corps', label: '切换公司', icon: <Icon name="company" size={16} /> }] : []),
            ...(canRequestTransfer(me)
              ? [{ key: 'transfer', label: '移交薪酬管理权限', icon: <Icon name="people" size={16} /> }]
              : []),
            { key: 'logout', label: '退出登录', icon: <Icon name="out" size={16} /> },
          ],
          onClick: ({ key }) => {
            // The menu would take the focus with it; the dialog returns it to the trigger.
            trigger.current?.focus()
            selectAction(key)
          },
        }}
      >
        <button
          ref={trigger}
          type="button"
          className={`${styles.barItem} ${styles.barUser}`}
          aria-haspopup="menu"
          title={me.user.user_name}
        >
          <Avatar name={me.user.user_name} logo={me.user.logo} />
          <span>{me.user.user_name || '未登录'}</span>
          <Icon name="down" size={14} />
        </button>
      </Dropdown>

      {loadedDialogs.includes('password') && <PasswordDialog open={dialog === 'password'} onClose={close} />}
      {loadedDialogs.includes('corps') && (
        <CorpsDialog open={dialog === 'corps'} corps={corps} current={me.corp.corp_id} onClose={close} />
      )}
      {loadedDialogs.includes('transfer') && <TransferDialog open={dialog === 'transfer'} onClose={close} />}
      {loadedDialogs.includes('logout') && <LogoutDialog open={dialog === 'logout'} onClose={close} />}
    </>
  )
}
