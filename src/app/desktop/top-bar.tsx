import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { getImportSampleFile } from '../../../server/contract/files/files.ts'
import { downloadFile, queryClient } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { type CurrentUser, currentUserQuery } from '../../session.ts'
import styles from './shell.module.css'
import { UserMenu } from './user-menu.tsx'

type TopBarProps = { me: CurrentUser | undefined; onMenu?: (() => void) | undefined }

/** Company, help, to-dos with their red dot, and the user menu. Agencies have neither help nor to-dos (spec §2). */
export function TopBar({ me, onMenu }: TopBarProps) {
  return (
    <header className={`${styles.bar} no-print`}>
      {onMenu && (
        <button type="button" className={styles.barItem} aria-label="打开菜单" disabled={!me} onClick={onMenu}>
          <Icon name="menu" size={22} />
        </button>
      )}
      <Link to="/landing" className={styles.barCompany} title={me?.corp.name} aria-label={`${me?.corp.name ?? '薪函'}，回到首页`}>
        <img src={me?.corp.logo ?? '/favicon.svg'} alt="" width={32} height={32} />
        <strong>{me?.corp.name ?? '薪函'}</strong>
      </Link>
      {me && me.corp.corp_role !== 20 && (
        <>
          <button
            type="button"
            className={styles.barItem}
            aria-label="帮助，下载使用说明"
            onClick={() => downloadFile(getImportSampleFile, { type: 'help', page: 'guide' })}
          >
            <Icon name="help" />
            <span>帮助</span>
          </button>
          <SearchLink />
          <TodoButton me={me} />
        </>
      )}
      {me && <UserMenu me={me} />}
    </header>
  )
}

/** Opens the search with Ctrl K, or ⌘K, from every page. */
function SearchLink() {
  const navigate = useNavigate()
  // Keyboard shortcuts are window events.
  useEffect(() => {
    const handleShortcut = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      void navigate({ to: '/find' }).then(() => document.querySelector<HTMLInputElement>('main input[type=search]')?.select())
    }
    addEventListener('keydown', handleShortcut)
    return () => removeEventListener('keydown', handleShortcut)
  }, [navigate])
  return (
    <Link to="/find" className={styles.barItem} aria-label="搜索，Ctrl K" aria-keyshortcuts="Control+K Meta+K">
      <Icon name="search" />
      <span>搜索</span>
    </Link>
  )
}

function TodoButton({ me }: { me: CurrentUser }) {
  const navigate = useNavigate()
  const unread = me.user.notice_number > 0
  const openTodos = () => {
    queryClient.setQueryData(
      currentUserQuery.queryKey,
      (old: CurrentUser | undefined) => old && { ...old, user: { ...old.user, notice_number: 0 } },
    )
    void navigate({ to: '/agency' })
  }
  return (
    <button type="button" className={styles.barItem} onClick={openTodos} aria-label={unread ? '待办，有未读通知' : '待办'}>
      <span className={styles.barBell} data-unread={unread || undefined}>
        <Icon name="bell" />
      </span>
      <span>待办</span>
    </button>
  )
}
